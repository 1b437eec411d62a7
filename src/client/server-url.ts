import { UsageError } from '../util/usage-error.ts';

export interface ServerUrl {
  scheme: 'http' | 'https';
  /** `host` or `host:port`, as a URL has it. */
  host: string;
  /** Without a slash at its end; "" for none. */
  prefix: string;
}

/**
 * Reads a server address. Without a scheme it is plain http, as for kubectl, and then may have no path (facts/client §11
 * rule 11). `where`: a flag, or a cluster and its file, for the message.
 */
export function parseServer(text: string, where: string): ServerUrl {
  const bare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const shown = JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@').slice(0, 200));
  if (bare && text.includes('/')) {
    throw new UsageError(`${where}: ${shown} has a path but no scheme: write https://HOST:PORT/PATH`);
  }
  const candidate = bare ? `http://${text}` : text;
  if (text.trim() === '' || !URL.canParse(candidate)) {
    throw new UsageError(`${where}: ${shown} is no server address: write https://HOST:PORT`);
  }
  const url = new URL(candidate);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(`${where}: ${shown} is neither http nor https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(`${where}: a user name in the address is not supported: use --token, or kubectl proxy`);
  }
  if (url.search !== '' || url.hash !== '')
    throw new UsageError(`${where}: ${shown} has a query: write https://HOST:PORT/PATH`);
  return {
    scheme: url.protocol === 'http:' ? 'http' : 'https',
    host: url.host,
    prefix: url.pathname.replace(/\/+$/, ''),
  };
}

/** Where plain http never leaves the machine: a token may go there in the clear (contract §4). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
