import type { IncomingMessage, ServerResponse } from 'node:http';
import { firstValue, parseQuery, type Query } from '../protocol/query.ts';

/** One request and its answer, with what every handler asks of them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly query: Query;
  readonly accept: string | undefined;
  readonly auditId: string;
  /** Ends when the client is gone or the server closes. */
  readonly signal: AbortSignal;
}

/** Splits the target of a request line into path and query. */
export function splitTarget(target: string): { path: string; query: Query } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: parseQuery('') }
    : { path: target.slice(0, mark), query: parseQuery(target.slice(mark + 1)) };
}

/** Browsers and command-line tools get indented JSON, as from upstream (responsewriters isPrettyPrint). */
export function wantsPretty({ query, request }: Exchange): boolean {
  const asked = firstValue(query, 'pretty');
  if (asked) return /^(?:1|t|true)$/i.test(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
