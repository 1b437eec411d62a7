import type { AnswerHeaders } from './facts.ts';

/** Status line and headers of an answer. */
export interface AnswerHead {
  status: number;
  /** `1.1` or `2`. */
  httpVersion: string;
  headers: AnswerHeaders;
  /** A proper end can be told from a cut: chunked, sized, or HTTP/2. */
  framed: boolean;
  /** Id of the TCP connection. */
  connection: number;
}

/** Headers that are kept: those of contract §1 `open`, and what diagnosis reads beside them. Never a cookie. */
const KEPT = new Set([
  'audit-id',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'location',
  'retry-after',
  'server',
  'transfer-encoding',
  'via',
  'warning',
  'www-authenticate',
]);
/** Characters kept of one value. */
const MAX_VALUE = 1000;

/** Keeps what matters of the headers. Names must be in lower case, as undici gives them. */
export function keepHeaders(raw: Record<string, string | string[] | undefined>): AnswerHeaders {
  const kept: AnswerHeaders = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined || (!KEPT.has(name) && !name.startsWith('x-kubernetes-pf-'))) continue;
    kept[name] = (Array.isArray(value) ? value.join(', ') : value).slice(0, MAX_VALUE);
  }
  return kept;
}
