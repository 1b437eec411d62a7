import { UsageError } from '../util/usage-error.ts';
import { bearer, readTokenFile, type TokenSource, tokenExpiry } from './credentials.ts';
import {
  type Entry,
  type Environment,
  flagOf,
  loadKubeconfig,
  pathOf,
  pickContext,
  quote,
  refuse,
  textOf,
} from './kubeconfig.ts';
import { isLoopback, parseServer, type ServerUrl } from './server-url.ts';
import { readTls, readTlsFlags, type TlsFlags } from './tls-material.ts';

/** Where requests go, and what proves who we are. */
export interface Endpoint {
  scheme: 'http' | 'https';
  /** `host:port` as in a URL, for people and for RunFacts. */
  host: string;
  /** Path before every request's path, without a slash at the end; "" for none. */
  prefix: string;
  tls: EndpointTls;
  /** Value of the Authorization header for the next request; read anew each time where it comes from a file. */
  authorization(): Promise<string | undefined>;
  /** Reads the credential again where it stands in a file: after a 401 it may be another one. Absent: it cannot change. */
  renew?: () => Promise<void>;
  /** `exp` of a bearer JWT, ms since the epoch. */
  tokenExpiresAt?: number;
  /** Nothing that proves who we are is sent: no token, no client certificate, no `-H Authorization`. */
  anonymous?: true;
  /** Of the context. */
  namespace?: string;
  /** Context's name, or the host. */
  title: string;
  /** What a person should know before the first request, a line each: it is told on stderr. */
  warnings?: string[];
  /** True under `disable-compression`: then no Accept-Encoding at all is sent. */
  noEncodingHeader?: boolean;
}

export interface EndpointTls {
  /** PEM. */
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
  /** False: any certificate will do. */
  rejectUnauthorized?: boolean;
}

export interface EndpointOptions extends TlsFlags {
  /** `-s`: then no kubeconfig is read. */
  server?: string;
  /** `--context`: of the kubeconfig, instead of its current one. */
  context?: string;
  /** `--token`: takes the place of a kubeconfig's `token`. */
  token?: string;
  /** `-H`: looked at for credentials. */
  headers?: Record<string, string>;
  env: Environment;
}

/**
 * The endpoint that flags and files name: `-s URL`, else the current context of the kubeconfig. Throws a UsageError of one
 * line that names file, entry and remedy.
 */
export async function resolveEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { server } = options;
  const endpoint = server === undefined ? await fromKubeconfig(options) : await fromFlags(server, options);
  const proofs = credentialHeaders(options.headers ?? {});
  refuseInTheClear(endpoint, proofs);
  if (proofs.length > 0 || endpoint.tls.cert !== undefined) delete endpoint.anonymous;
  return endpoint;
}

async function fromFlags(server: string, options: EndpointOptions): Promise<Endpoint> {
  const url = parseServer(server, '--server');
  const tls = url.scheme === 'http' ? {} : await readTlsFlags(options);
  return {
    ...url,
    tls,
    title: url.host,
    ...unverified(url, tls, '--insecure-skip-tls-verify was given'),
    ...flagCredential(url, options.token),
  };
}

/** What is told before the first request where any certificate will do. */
function unverified({ host }: ServerUrl, tls: EndpointTls, why: string): Pick<Endpoint, 'warnings'> {
  return tls.rejectUnauthorized === false ? { warnings: [`the certificate of ${host} is not verified: ${why}`] } : {};
}

/** Headers that prove who we are, as a token does. */
const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'cookie'];

function credentialHeaders(headers: Record<string, string>): string[] {
  return Object.keys(headers).filter((name) => CREDENTIAL_HEADERS.includes(name.toLowerCase()));
}

function refuseInTheClear({ scheme, host }: Endpoint, [found]: readonly string[]): void {
  if (found === undefined || scheme === 'https' || isLoopback(host)) return;
  throw new UsageError(`-H ${found} is not sent to ${host} over plain http: use https, or a tunnel to 127.0.0.1`);
}

/** No token: who we are is then shown by a certificate, or not at all. */
function nobody(): Pick<Endpoint, 'authorization' | 'anonymous'> {
  return { authorization: async () => undefined, anonymous: true };
}

/** A token of the command line: somebody typed it for this address, so it may go to a loopback one in the clear. */
function flagCredential(
  url: ServerUrl,
  token: string | undefined,
): Pick<Endpoint, 'authorization' | 'tokenExpiresAt' | 'anonymous'> {
  if (token === undefined) return nobody();
  if (url.scheme === 'http' && !isLoopback(url.host)) {
    throw new UsageError(`--token is not sent to ${url.host} over plain http: use https, or a tunnel to 127.0.0.1`);
  }
  const value = bearer(token, '--token');
  const expiry = tokenExpiry(token);
  return { authorization: async () => value, ...(expiry === undefined ? {} : { tokenExpiresAt: expiry }) };
}

const PROXY_REMEDY = 'run kubectl proxy and watch through --server http://127.0.0.1:8001';
/** Fields of a user that say how to prove an identity in a way that is not understood. */
const FOREIGN_CREDENTIALS = ['auth-provider', 'username', 'password'];
const IMPERSONATION = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

async function fromKubeconfig({ token, env, ...flags }: EndpointOptions): Promise<Endpoint> {
  const { context, cluster, user } = pickContext(await loadKubeconfig(env), flags.context);
  const where = `kubeconfig ${cluster.file}: cluster ${quote(cluster.name)}`;
  const server = textOf(cluster, 'cluster', 'server');
  if (server === undefined) throw new UsageError(`${where} has no server`);
  const url = parseServer(server, where);
  refuse(cluster, 'cluster', ['proxy-url'], PROXY_REMEDY);
  if (user) refuse(user, 'user', IMPERSONATION, PROXY_REMEDY);
  const namespace = textOf(context, 'context', 'namespace');
  const place = {
    ...url,
    title: context.name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(flagOf(cluster, 'cluster', 'disable-compression') ? { noEncodingHeader: true } : {}),
  };
  // Credentials of a file are never sent in the clear, as with kubectl (facts/client §11 rule 10).
  if (url.scheme === 'http') return { ...place, tls: {}, ...flagCredential(url, token) };
  const tls = await readTls(cluster, user, flags);
  const why = flags.insecureSkipTlsVerify
    ? '--insecure-skip-tls-verify was given'
    : `${where} says insecure-skip-tls-verify`;
  const secured = { ...place, tls, ...unverified(url, tls, why) };
  if (token !== undefined) return { ...secured, ...flagCredential(url, token) };
  if (!user) return { ...secured, ...nobody() };
  const source = tokenSource(user);
  // A plugin is not run where there is a token (facts/client §11 rule 13); the others contradict one.
  const foreign = (source.token ?? source.tokenFile) ? FOREIGN_CREDENTIALS : ['exec', ...FOREIGN_CREDENTIALS];
  refuse(user, 'user', foreign, `${PROXY_REMEDY}, or pass --token`);
  const again = async () => {
    const { user: now } = pickContext(await loadKubeconfig(env), context.name);
    return now ? tokenSource(now) : {};
  };
  const name = `kubeconfig ${user.file}: user ${quote(user.name)}`;
  return { ...secured, ...(await fileCredential(source, name, again)) };
}

function tokenSource(user: Entry): TokenSource {
  const source: TokenSource = {};
  const file = pathOf(user, 'user', 'tokenFile');
  const text = textOf(user, 'user', 'token');
  if (file !== undefined) source.tokenFile = file;
  if (text !== undefined) source.token = text;
  return source;
}

/** A token that stands in a file or in the kubeconfig. `again` reads the kubeconfig anew. */
async function fileCredential(
  first: TokenSource,
  where: string,
  again: () => Promise<TokenSource>,
): Promise<Pick<Endpoint, 'authorization' | 'renew' | 'tokenExpiresAt' | 'anonymous'>> {
  let source = first;
  let last: string | undefined;
  const read = async (): Promise<string | undefined> => {
    const fallback = source.token === undefined ? undefined : bearer(source.token, where);
    const file = source.tokenFile;
    return file === undefined ? fallback : ((await readTokenFile(file, fallback !== undefined)) ?? fallback);
  };
  last = await read();
  if (last === undefined) return nobody();
  const expiry = tokenExpiry(last.slice('Bearer '.length));
  return {
    authorization: async () => {
      try {
        last = await read();
      } catch (error) {
        // A file that is being replaced: the token we have is as good as none, and the server will say which it is.
        if (!(error instanceof UsageError)) throw error;
      }
      return last;
    },
    renew: async () => {
      try {
        source = await again();
      } catch (error) {
        // As above: a kubeconfig that cannot be read now leaves us with what it said before.
        if (!(error instanceof UsageError)) throw error;
      }
    },
    ...(expiry === undefined ? {} : { tokenExpiresAt: expiry }),
  };
}
