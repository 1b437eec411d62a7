import type { EndKind, StreamFacts } from '../client/facts.ts';
import { sanitize } from './sanitize.ts';
import { duration } from './time-format.ts';

/**
 * How a stream ended, as the transport saw it, in words: a measurement, not a diagnosis. What it means stands in the
 * finding beside it.
 */
const END_WORDS: Record<EndKind, string> = {
  eof: 'proper end',
  'eof-unframed': 'end without framing (proper or cut: cannot be told)',
  truncated: 'cut: closed without a proper end',
  reset: 'cut: connection reset',
  goaway: 'GOAWAY',
  'h2-reset': 'HTTP/2 stream reset',
  'protocol-error': 'broken HTTP',
  refused: 'connection refused',
  tls: 'TLS failed',
  rejected: 'refused',
  'not-a-stream': 'the answer is no watch stream',
  'no-response': 'no headers came',
  stalled: 'given up: silent',
  'frame-too-large': 'given up: a frame without end',
  stopped: 'stopped',
};

/** A planned end comes within this of `timeoutSeconds`: the time of a round trip and of the server's timer. */
const PLANNED_WITHIN_MS = 2_000;

/** `proper end, as asked (312 s)`, `cut: connection reset (41 s)`, `HTTP 503: no endpoints available`. */
export function endWords(facts: StreamFacts): string {
  const lasted = (facts.endedAt ?? facts.askedAt) - (facts.openedAt ?? facts.askedAt);
  if (facts.openedAt === undefined || facts.end === undefined) return noAnswerWords(facts);
  if (facts.end === 'rejected') return refusalWords(facts);
  return `${END_WORDS[facts.end]}${asAsked(facts, lasted) ? ', as asked' : ''} (${duration(lasted)})`;
}

/** True where a stream was opened, so that there is something to have ended. */
export function wasStream(facts: StreamFacts): boolean {
  return facts.openedAt !== undefined && facts.end !== 'rejected';
}

function noAnswerWords({ end, endDetail }: StreamFacts): string {
  const words = end === undefined ? 'no answer' : END_WORDS[end];
  if (end === 'refused' || end === 'no-response') return `no answer: ${words}`;
  return endDetail ? `${words}: ${sanitize(endDetail, 120)}` : words;
}

function refusalWords({ httpStatus, body }: StreamFacts): string {
  const message = body?.status?.message ?? body?.status?.reason;
  return `HTTP ${httpStatus ?? '?'}${message ? `: ${sanitize(message, 200)}` : ''}`;
}

function asAsked({ end, timeoutSeconds }: StreamFacts, lasted: number): boolean {
  if (end !== 'eof' || timeoutSeconds === undefined) return false;
  return Math.abs(lasted - timeoutSeconds * 1000) <= PLANNED_WITHIN_MS;
}
