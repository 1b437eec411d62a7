import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { createGzip } from 'node:zlib';

/** What a path between a client and an apiserver does wrong. */
export type Break =
  | 'nothing'
  /** Watch: the headers wait for the first byte of the body. */
  | 'headers-held'
  /** Watch: the connection is closed where the last chunk should come. */
  | 'no-last-chunk'
  /** Watch: it stays open beyond its end. */
  | 'timeout-ignored'
  /** Watch: a 410 in the stream becomes an HTTP 410. */
  | 'http-410'
  /** Watch: a 410 in the stream comes twice. */
  | 'two-errors'
  /** Watch: bookmarks are left out. */
  | 'no-bookmarks'
  /** Watch: compressed for whoever takes it. */
  | 'gzip-watch'
  /** Watch: an RV that is no number is taken for none. */
  | 'any-rv'
  /** Everything is answered with a login page. */
  | 'html'
  /** Watches are answered with a login page, HTTP 200. */
  | 'html-watch'
  /** Nothing is answered. */
  | 'silent'
  /** Watches are not answered. */
  | 'silent-watch'
  /** Everything gets HTTP 429 with Retry-After: 1. */
  | 'throttled'
  /** Every other request gets HTTP 429 with Retry-After: 1. */
  | 'throttled-at-times'
  /** Date is an hour ahead. */
  | 'wrong-date'
  /** Everything but LIST and WATCH of the resource itself gets HTTP 403; so does a LIST at an RV. */
  | 'forbids-extras'
  /** LIST: RVs are no numbers. */
  | 'opaque-rv'
  /** Each answer comes 1.5 s late. */
  | 'slow'
  /** Each connection is closed as soon as a request came. */
  | 'hangs-up';

export interface BrokenPath {
  url: string;
  /** Path and User-Agent of each request, in their order. */
  requests: { path: string; agent: string }[];
  close(): Promise<void>;
}

/** A reverse proxy on 127.0.0.1 in front of `port` that breaks one thing. */
export async function brokenPath(port: number, broken: Break): Promise<BrokenPath> {
  const requests: BrokenPath['requests'] = [];
  const server = createServer((incoming, outgoing) => {
    requests.push({ path: incoming.url ?? '', agent: incoming.headers['user-agent'] ?? '' });
    outgoing.on('error', () => outgoing.destroy());
    if (!refused(incoming, outgoing, broken, requests.length)) forward(incoming, outgoing, port, broken);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => closed(server),
  };
}

async function closed(server: Server): Promise<void> {
  const over = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await over;
}

const isWatch = (path: string) => /[?&]watch=1/.test(path);

/** Answers itself, or not at all: then there is nothing to forward. */
function refused({ url = '/' }: IncomingMessage, outgoing: ServerResponse, broken: Break, nth: number): boolean {
  switch (broken) {
    case 'html':
      return page(outgoing);
    case 'html-watch':
      return isWatch(url) && page(outgoing);
    case 'silent':
      return true;
    case 'silent-watch':
      return isWatch(url);
    case 'throttled':
      return tooMany(outgoing);
    case 'throttled-at-times':
      return nth % 5 === 2 && tooMany(outgoing);
    case 'forbids-extras':
      return (
        (/^\/(version|metrics)/.test(url) || /resourceVersion(Match)?=.*resourceVersion/.test(url)) &&
        forbidden(outgoing)
      );
    case 'hangs-up':
      outgoing.destroy();
      return true;
    default:
      return false;
  }
}

function page(outgoing: ServerResponse): true {
  outgoing.writeHead(200, { 'Content-Type': 'text/html' });
  outgoing.end('<!DOCTYPE html><html><head><title>Sign in</title></head><body></body></html>\n');
  return true;
}

function tooMany(outgoing: ServerResponse): true {
  outgoing.writeHead(429, { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1' });
  outgoing.end('Too many requests, please try again later.\n');
  return true;
}

function forbidden(outgoing: ServerResponse): true {
  outgoing.writeHead(403, { 'Content-Type': 'application/json' });
  outgoing.end('{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","code":403}\n');
  return true;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number, broken: Break): void {
  const { url: path = '/', headers } = incoming;
  const sent = broken === 'any-rv' ? path.replace(/resourceVersion=[^&]*[^\d&][^&]*/, 'resourceVersion=0') : path;
  const upstream = request({ host: '127.0.0.1', port, path: sent, headers, agent: false }, (answer) => {
    if (broken === 'slow') setTimeout(() => answered(answer, outgoing, path, broken), 1_500);
    else answered(answer, outgoing, path, broken);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  upstream.end();
}

function answered(answer: IncomingMessage, outgoing: ServerResponse, path: string, broken: Break): void {
  const watch =
    isWatch(path) && answer.statusCode === 200 && (broken !== 'http-410' || /resourceVersion=1&/.test(path));
  const headers = { ...answer.headers };
  if (broken === 'wrong-date') headers.date = new Date(Date.now() + 3_600_000).toUTCString();
  if (watch && broken === 'gzip-watch') headers['content-encoding'] = 'gzip';
  const changed = (watch ? WATCH_CHANGES : LIST_CHANGES)[broken]?.();
  if (changed) delete headers['content-length'];
  const head = () => {
    if (!outgoing.headersSent) outgoing.writeHead(answer.statusCode ?? 502, headers);
  };
  if (!watch || !['headers-held', 'http-410'].includes(broken)) {
    head();
    outgoing.flushHeaders();
  }
  const body = changed ? answer.pipe(changed) : answer;
  body.on('data', (chunk: Buffer) => {
    const gone =
      broken === 'http-410' && watch ? /"object":(\{.*"code":410.*\})\}/.exec(chunk.toString())?.[1] : undefined;
    if (gone) outgoing.writeHead(410, { 'Content-Type': 'application/json' });
    head();
    outgoing.write(gone ?? chunk);
  });
  body.on('end', () => {
    head();
    if (watch && broken === 'no-last-chunk') outgoing.socket?.destroySoon();
    else if (!watch || broken !== 'timeout-ignored') outgoing.end();
  });
}

function linesOf(change: (line: string) => string): Transform {
  return new Transform({
    transform: (chunk: Buffer, _, done) =>
      done(
        null,
        chunk
          .toString()
          .split(/(?<=\n)/)
          .map(change)
          .join(''),
      ),
  });
}

/** Of an apiserver's watch each chunk holds whole lines. */
const WATCH_CHANGES: Partial<Record<Break, () => Transform>> = {
  'two-errors': () => linesOf((line) => (line.startsWith('{"type":"ERROR"') ? line + line : line)),
  'no-bookmarks': () => linesOf((line) => (line.startsWith('{"type":"BOOKMARK"') ? '' : line)),
  'gzip-watch': () => createGzip(),
};
const LIST_CHANGES: Partial<Record<Break, () => Transform>> = {
  'opaque-rv': () => linesOf((line) => line.replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"c0ffee"')),
};
