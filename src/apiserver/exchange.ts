import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { firstValue, parseQuery, type Query } from '../protocol/query.ts';
import type { Stallable } from '../util/stall-timer.ts';
import type { PendingAnswers } from './pending-answers.ts';
import type { StreamConnection } from './stream-connection.ts';

/** What handlers read of a request, whichever version of HTTP it came by. */
export interface HttpRequest extends Readable {
  readonly headers: IncomingHttpHeaders;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
}

/** What handlers need of an answer; the responses of node:http and of node:http2 both are one. */
export interface HttpResponse extends EventEmitter, Stallable {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  removeHeader(name: string): void;
  writeHead(code: number, headers?: OutgoingHttpHeaders): unknown;
  /** Over HTTP/2 `writeHead` sends at once, and this does not have to be there. */
  flushHeaders?(): void;
  /** False: it will be a while, `drain` follows. Over HTTP/2 that is the client's flow control window as well. `taken`: the bytes may be changed. */
  write(bytes: Uint8Array, taken?: (error?: Error | null) => void): boolean;
  end(): unknown;
  end(bytes: Uint8Array): unknown;
  destroy(): unknown;
}

/** One request and its answer, with what every handler asks of them. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** The same answer where it goes over a connection of its own (HTTP/1); undefined: it is one stream of an HTTP/2 connection. */
  readonly http1: ServerResponse | undefined;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly query: Query;
  readonly accept: string | undefined;
  /** Whom the request is addressed to: `Host`, or `:authority`. */
  readonly host: string;
  readonly auditId: string;
  /** Of all exchanges of this server. */
  readonly pending: PendingAnswers;
  /** Ends when the client is gone or the server closes. */
  readonly signal: AbortSignal;
  /** Ends the signal: nothing may wait for this request any longer. */
  expire(): void;
  /**
   * For a stream that will last, once its headers are out: its connection alone. Request and response are over then, and so is this
   * exchange for its server; `signal` still ends when the client is gone or the server closes. Undefined where it cannot be had.
   */
  detach(): StreamConnection | undefined;
  /** No further request by this connection: `Connection: close`, or GOAWAY. To be called before the headers go out. */
  closeAfterwards(): void;
}

/** Why a signal ended. Without a reason Node would make an exception with its stack for each request, which costs more than to route it. */
export const OVER = new Error('the answer is out, or its client has gone');

/** Splits the target of a request line into path and query. */
export function splitTarget(target: string): { target: string; path: string; query: Query } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { target, path: target, query: parseQuery('') }
    : { target, path: target.slice(0, mark), query: parseQuery(target.slice(mark + 1)) };
}

/** Browsers and command-line tools get indented JSON, as from upstream (responsewriters isPrettyPrint). */
export function wantsPretty({ query, request }: Exchange): boolean {
  const asked = firstValue(query, 'pretty');
  if (asked) return /^(?:1|t|true)$/i.test(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
