import type { Command } from 'commander';
import type { Endpoint, EndpointOptions } from '../client/endpoint.ts';
import type { TlsFlags } from '../client/tls-material.ts';
import { header } from './options.ts';

/** The flags that say which endpoint is asked, and as whom (kubectl's spelling). */
export interface ConnectionFlags extends TlsFlags {
  server?: string;
  kubeconfig?: string;
  context?: string;
  token?: string;
  header?: Record<string, string>;
}

/** Adds them to a command. */
export function connectionOptions(command: Command): Command {
  return command
    .option('-s, --server <url>', 'the endpoint, instead of the current context of the kubeconfig')
    .option('--kubeconfig <file>', 'kubeconfig, instead of $KUBECONFIG and ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig, instead of its current one')
    .option('-H, --header <name: value>', 'extra request header (repeatable)', header)
    .option('--token <token>', 'bearer token')
    .option('--certificate-authority <file>', 'PEM file of the CA that signed the server’s certificate')
    .option('--insecure-skip-tls-verify', 'take any certificate of the server')
    .option('--tls-server-name <name>', 'name expected in the server’s certificate, and sent as SNI');
}

/** The flags as they are resolved. */
export function endpointFlags(flags: ConnectionFlags): EndpointOptions {
  return {
    ...(flags.server === undefined ? {} : { server: flags.server }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
    ...(flags.token === undefined ? {} : { token: flags.token }),
    ...(flags.header === undefined ? {} : { headers: flags.header }),
    ...(flags.certificateAuthority === undefined ? {} : { certificateAuthority: flags.certificateAuthority }),
    ...(flags.insecureSkipTlsVerify ? { insecureSkipTlsVerify: true } : {}),
    ...(flags.tlsServerName === undefined ? {} : { tlsServerName: flags.tlsServerName }),
    env: flags.kubeconfig === undefined ? process.env : { ...process.env, KUBECONFIG: flags.kubeconfig },
  };
}

/** The endpoint that the flags, or the kubeconfig, name. Warnings go to stderr. Throws a UsageError where there is none. */
export async function endpointOf(flags: ConnectionFlags): Promise<Endpoint> {
  const { resolveEndpoint } = await import('../client/endpoint.ts');
  const endpoint = await resolveEndpoint(endpointFlags(flags));
  for (const warning of endpoint.warnings ?? []) process.stderr.write(`kwatch: warning: ${warning}\n`);
  return endpoint;
}
