import { goQuote } from '../protocol/go-strconv.ts';
import { firstValue, type Query } from '../protocol/query.ts';
import type { Status } from '../protocol/status.ts';
import { parseGoDuration } from '../util/go-duration.ts';
import { badRequest } from './refusals.ts';

/** kube-apiserver `--request-timeout`, ms. It does not bind watches. */
const REQUEST_TIMEOUT_MS = 60_000;

/** handlers/rest.go `requestTimeoutUpperBound`, ms: how long one write waits for the store. Deletions of collections do not have it. */
export const WRITE_TIMEOUT_MS = 34_000;

/** What a write gets that the store did not answer in time (finisher.go); the write is not done then. */
export function requestTimedOut(): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    reason: 'Timeout',
    details: {},
    code: 504,
  };
}

/**
 * How long a request that is no watch may take, ms (filters/request_deadline.go): `timeout` of the query, 60 s at most.
 * Throws 400.
 */
export function requestTimeout(query: Query): number {
  const text = firstValue(query, 'timeout') ?? '';
  if (text === '') return REQUEST_TIMEOUT_MS;
  const asked = parseGoDuration(text);
  if (asked === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${durationError(text)}`);
  }
  return asked === 0 ? REQUEST_TIMEOUT_MS : Math.min(asked, REQUEST_TIMEOUT_MS);
}

/** What Go's time.ParseDuration says of a text that it does not take. */
function durationError(text: string): string {
  const quoted = goQuote(text);
  const [, rest = ''] = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(.*)$/s.exec(text) ?? [];
  const [, unit] = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
  if (unit === undefined) return `time: invalid duration ${quoted}`;
  return unit === ''
    ? `time: missing unit in duration ${quoted}`
    : `time: unknown unit ${goQuote(unit)} in duration ${quoted}`;
}
