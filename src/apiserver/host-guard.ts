import { isIP } from 'node:net';

/** Host names that lead to this machine from this machine, whatever DNS says. */
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Is this request addressed to a loopback name? A web page may point a name of its own at 127.0.0.1 (DNS rebinding) and
 * then talk to us as its own origin; its `Host` betrays it. As `kubectl proxy` (FilterServer, DefaultHostAcceptRE).
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.test(host);
}

/** Does a browser say that a page from elsewhere sent this request? What is no browser sends no Origin. */
export function isForeignOrigin(origin: string | undefined): boolean {
  return origin !== undefined && !LOOPBACK.test(origin.replace(/^https?:\/\//i, ''));
}

/** `127.0.0.1`, `::1`, `localhost`: can nobody but this machine reach a server that listens there? */
export function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(isIP(address) === 6 ? `[${address}]` : address);
}

/** Where a server that listens on `address` is reached from this machine, as a URL has it: every address includes loopback. */
export function reachableHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return isIP(address) === 6 ? `[${address}]` : address;
}
