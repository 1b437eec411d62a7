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

/** Longest Retry-After that is honoured, seconds: a hostile value must not put a watch to sleep for ever. */
const MAX_RETRY_AFTER_S = 3600;

/**
 * Retry-After in ms, or undefined. Only whole seconds, the form that an apiserver writes; the date form needs the
 * server's clock, and falls back to our own back-off.
 */
export function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined || !/^\s*\d{1,9}\s*$/.test(text)) return undefined;
  return Math.min(Number(text), MAX_RETRY_AFTER_S) * 1000;
}
