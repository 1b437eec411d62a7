import type { StreamFacts } from '../client/facts.ts';
import { oncePerLine, type Place } from './scene.ts';
import { gaveHistory, meets, timeoutMs } from './signs.ts';

/** Headers that take longer than this do not wait for a connection, ms (contract §5: the time for NO ANSWER). */
const LATE_MS = 10_000;
/** All of a stream that comes within so long of its headers, its end included, was ready long before, ms. */
const AT_ONCE_MS = 2_000;

/** Headers, frames and the end of a stream came all at once, late: its whole body had been held back until it was over. */
export function wasHeldBack(stream: StreamFacts): boolean {
  const { openedAt, endedAt, askedAt, end } = stream;
  if (openedAt === undefined || endedAt === undefined || !gaveHistory(stream) || stream.errorStatus) return false;
  const proper = end === 'eof' || end === 'eof-unframed' || end === 'truncated';
  return proper && stream.bytes > 0 && openedAt - askedAt >= LATE_MS && endedAt - openedAt <= AT_ONCE_MS;
}

/** It was over when its `timeoutSeconds` were, counted from the request: then it had been open all the while. */
export function heldBackToItsTimeout(stream: StreamFacts): boolean {
  const asked = timeoutMs(stream);
  return wasHeldBack(stream) && asked !== undefined && meets((stream.endedAt ?? 0) - stream.askedAt, asked);
}

/** Streams of this target, up to and with this attempt, that were held back. */
export function heldBackSoFar(place: Place): StreamFacts[] {
  return oncePerLine(place, heldBack).flatMap(({ stream, index }) => (index <= place.index ? [stream] : []));
}

function heldBack({ line }: Place): { stream: StreamFacts; index: number }[] {
  return line.flatMap(({ stream }, index) => (stream && wasHeldBack(stream) ? [{ stream, index }] : []));
}
