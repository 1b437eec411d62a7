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
