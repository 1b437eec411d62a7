import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from './endpoint.ts';

/**
 * A socket to an endpoint, TLS where it says so; it emits `timeout` when nothing happens for `timeoutMs`. `alpn`: protocols that are
 * offered, best first; without TLS they are not asked for.
 */
export function dial({ scheme, host, tls }: Endpoint, alpn: string[], timeoutMs: number): Socket {
  const { hostname, port } = new URL(`${scheme}://${host}`);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (scheme === 'https' ? 443 : 80)) };
  const patience = { timeout: timeoutMs };
  if (scheme === 'http') return connectTcp({ ...address, ...patience, noDelay: true, keepAlive: true });
  // SNI holds names only, no addresses.
  const name = /^[\d.]+$|:/.test(address.host) ? {} : { servername: address.host };
  return connectTls({ ...address, ...patience, ...name, ...tls, ALPNProtocols: alpn });
}
