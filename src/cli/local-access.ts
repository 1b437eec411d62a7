import { hostname, networkInterfaces } from 'node:os';
import { isLoopbackAddress } from '../apiserver/host-guard.ts';
import { type ServingCertificate, selfSignedCertificate } from '../apiserver/self-signed-certificate.ts';
import { bearer } from '../client/credentials.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { UsageError } from '../util/usage-error.ts';
import { invocation } from './invocation.ts';

export interface AccessFlags {
  tls?: boolean;
  token?: string;
  host?: string;
}

/** How clients get at the embedded apiservers: where they listen, what they show, and what they ask for. */
export interface LocalAccess {
  /** undefined: 127.0.0.1 */
  readonly host: string | undefined;
  readonly certificate: ServingCertificate | undefined;
  readonly token: string | undefined;
}

/** Access that needs nothing: plain HTTP on loopback, nobody is asked who they are. */
export const OPEN_ACCESS: LocalAccess = { host: undefined, certificate: undefined, token: undefined };

/** What the flags ask for; `now`: ms since 1970, for the certificate. Throws a UsageError. */
export function localAccess({ tls, token, host }: AccessFlags, now: number): LocalAccess {
  if (token !== undefined) bearer(token, '--token');
  const address = host?.replace(/^\[(.*)\]$/, '$1');
  if (address !== undefined && !/^[\w.:%-]+$/.test(address)) {
    throw new UsageError('--host is an address or a name: 0.0.0.0, 192.168.1.5, box.lan');
  }
  if (address !== undefined && !isLoopbackAddress(address) && token === undefined) {
    throw new UsageError(
      `--host ${address} can be reached from elsewhere: it needs --token, so that not everybody may write`,
    );
  }
  return {
    host: address,
    certificate: tls ? selfSignedCertificate(certificateNames(address), now) : undefined,
    token: token?.trim(),
  };
}

/** Every name under which a server on `address` may be reached. */
function certificateNames(address: string | undefined): string[] {
  const names = new Set(['localhost', hostname(), '127.0.0.1', '::1']);
  if (address === '0.0.0.0' || address === '::') {
    for (const one of Object.values(networkInterfaces()).flat()) if (one) names.add(one.address);
  } else if (address !== undefined) {
    names.add(address);
  }
  return [...names].filter((name) => /^[\w.:-]+$/.test(name));
}

/** One of the embedded apiservers, for clients of our own. */
export function localEndpoint(url: string, { certificate, token }: LocalAccess): Endpoint {
  const authorization = token === undefined ? undefined : bearer(token, '--token');
  return {
    scheme: certificate ? 'https' : 'http',
    host: new URL(url).host,
    prefix: '',
    tls: certificate ? { ca: certificate.ca } : {},
    authorization: async () => authorization,
    title: 'kwatch local',
  };
}

/** What somebody is to type, a line each. A token is not shown: whoever started us knows it. */
export function howToReach(url: string, { certificate, token }: LocalAccess, kubeconfig: string | undefined): string[] {
  const noToken = token !== undefined && certificate === undefined;
  const clear = noToken ? ['kubectl sends no token over plain http: --tls makes it HTTPS'] : [];
  if (kubeconfig !== undefined) {
    return [
      `type: KUBECONFIG=${kubeconfig} ${invocation()} tail pods`,
      `type: kubectl --kubeconfig ${kubeconfig} get pods -w`,
      ...clear,
    ];
  }
  const flags = `${certificate ? ' --insecure-skip-tls-verify' : ''}${token === undefined ? '' : ' --token …'}`;
  return [
    `type: ${invocation()} tail pods -s ${url}${flags}`,
    ...(noToken ? clear : [`type: kubectl -s ${url}${flags} get pods -w`]),
  ];
}
