import type { StreamFacts } from '../client/facts.ts';
import { oncePerLine, type Place } from './scene.ts';
import { gaveHistory, meets, timeoutMs } from './signs.ts';

/** Headers that take longer than this do not wait for a connection, ms (contract §5: the time for NO ANSWER). */
const LATE_MS = 10_000;
/** All of a stream that comes within so long of its headers, its end included, was ready long before, ms. */
const AT_ONCE_MS = 2_000;

/** A watch may have asked for less than LATE_MS: then its headers are late where they came with its time over, and after so long, ms. */
const BRIEF_LATE_MS = 3_000;
/** Of the time that a brief watch had asked for, at least so much went by before its headers, and at most so much after them. */
const BRIEF_SHARE = { before: 0.8, after: 0.15 };

/** Headers, frames and the end of a stream came all at once, late: its whole body had been held back until it was over. */
export function wasHeldBack(stream: StreamFacts): boolean {
  const { openedAt, endedAt, askedAt } = stream;
  if (openedAt === undefined || endedAt === undefined || !isWhole(stream)) return false;
  return openedAt - askedAt >= LATE_MS && endedAt - openedAt <= AT_ONCE_MS;
}

/** One slow answer of a few seconds may have many reasons. The same again and again, each as long as was asked for, has one. */
export function wasHeldBackBriefly(place: Place): boolean {
  const { stream } = place;
  if (!stream || !isBrief(stream)) return false;
  return heldBackSoFar(place).length >= 2;
}

function isBrief(stream: StreamFacts): boolean {
  const { openedAt, endedAt, askedAt } = stream;
  const asked = timeoutMs(stream);
  if (asked === undefined || openedAt === undefined || endedAt === undefined || !isWhole(stream)) return false;
  const waited = openedAt - askedAt;
  if (waited < BRIEF_LATE_MS || waited >= LATE_MS || waited < BRIEF_SHARE.before * asked) return false;
  return endedAt - openedAt <= BRIEF_SHARE.after * asked;
}

/** Something came, and then its end, as far as that can be told. */
function isWhole(stream: StreamFacts): boolean {
  const { end } = stream;
  const proper = end === 'eof' || end === 'eof-unframed' || end === 'truncated';
  return proper && stream.bytes > 0 && gaveHistory(stream) && !stream.errorStatus;
}

/** It was over when its `timeoutSeconds` were, counted from the request: then it had been open all the while. */
export function heldBackToItsTimeout(stream: StreamFacts): boolean {
  const asked = timeoutMs(stream);
  return (
    (wasHeldBack(stream) || isBrief(stream)) &&
    asked !== undefined &&
    meets((stream.endedAt ?? 0) - stream.askedAt, asked)
  );
}

/** Streams of this target, up to and with this attempt, that were held back. */
export function heldBackSoFar(place: Place): StreamFacts[] {
  return oncePerLine(place, heldBack).flatMap(({ stream, index }) => (index <= place.index ? [stream] : []));
}

function heldBack({ line }: Place): { stream: StreamFacts; index: number }[] {
  return line.flatMap(({ stream }, index) =>
    stream && (wasHeldBack(stream) || isBrief(stream)) ? [{ stream, index }] : [],
  );
}
