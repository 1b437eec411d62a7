import type { ListFacts, StreamFacts } from '../client/facts.ts';
import { refusedAt } from './floor-signs.ts';
import type { Place } from './scene.ts';

/**
 * For how long a dynamic ring keeps every *change* while it is below its bound (facts/server §3.3 `eventFreshDuration`). An RV goes
 * with the last change at or before it, which may be older: see burst-signs.
 */
export const RING_KEEPS_MS = 75_000;

/**
 * How old R was when it was refused, by this client's own clock. We know when we read it, and the server handed it out earlier: by
 * the time that it lay in a socket which we did not read.
 */
export interface AgeOfR {
  /** From our reading of R to the request that was refused; in the midst of a stream, to its ERROR. */
  atLeastMs: number;
  /**
   * From the first moment at which R can have been handed out, to our reading of the refusal; undefined where R came from outside
   * or is an object's own old RV.
   */
  atMostMs?: number;
}

/** R was handed out 75 s ago or more. */
export function isOld(age: AgeOfR | undefined): boolean {
  return age !== undefined && age.atLeastMs >= RING_KEEPS_MS;
}

/** R was handed out less than 75 s ago, also if it lay unread before. */
export function isYoung(age: AgeOfR | undefined): boolean {
  return age?.atMostMs !== undefined && age.atMostMs < RING_KEEPS_MS;
}

/** Both ends of an age are told alike where they are no further apart than this, or than this share of it: an answer takes its time. */
const ONE_AGE = { ms: 1_000, share: 0.1 };

/** True where it makes a difference that only a range is known. */
export function isWide({ atLeastMs, atMostMs = atLeastMs }: AgeOfR): boolean {
  return atMostMs - atLeastMs > Math.max(ONE_AGE.ms, ONE_AGE.share * atMostMs);
}

/** `giver`: the stream that had given (or been granted) R. */
export function ageOfR(place: Place, giver: StreamFacts | undefined): AgeOfR | undefined {
  const { stream, at } = place;
  if (!stream) return undefined;
  const until = Math.max(at, refusedAt(place));
  if (stream.cameTo) {
    const atLeastMs = Math.max(0, until - stream.cameTo.at);
    return { atLeastMs, atMostMs: atLeastMs + unreadMs(stream, stream.cameTo.at) };
  }
  const { requestedRvOrigin: origin, requestedRvAt: readAt } = stream;
  if (origin === 'list') {
    const since = listBefore(place, stream.requestedRv)?.askedAt ?? readAt;
    return since === undefined ? undefined : { atLeastMs: at - since, atMostMs: until - since };
  }
  if ((origin === 'event' || origin === 'bookmark') && readAt !== undefined) {
    const atLeastMs = Math.max(0, at - readAt);
    if (giver && isObjectsOwnRv(giver)) return { atLeastMs };
    return { atLeastMs, atMostMs: Math.max(0, until - readAt) + (giver ? unreadMs(giver, readAt) : 0) };
  }
  // From outside, but granted to an earlier stream: it was no later than that.
  return giver ? { atLeastMs: at - giver.askedAt } : undefined;
}

/** The last LIST before this request that told `rv`. */
export function listBefore({ line, index }: Place, rv: string | undefined): ListFacts | undefined {
  for (let i = index - 1; rv !== undefined && i >= 0; i--) if (line[i]?.list?.rv === rv) return line[i]?.list;
  return undefined;
}

/** What lay in the buffers of a socket is read within so long of reading on, ms: some megabytes, and a slow client. */
const DRAINED_MS = 30_000;

/** How long what was read at `readAt` may have lain in the socket before, since we did not read it, ms. */
function unreadMs({ readStalledMs, readStallEndedAt }: StreamFacts, readAt: number): number {
  const draining = readAt - (readStallEndedAt ?? readAt);
  if (readStalledMs === 0 || draining > DRAINED_MS) return 0;
  // Of before the last pause: there may have been one before that, of which we know only that all took so long together.
  return readStalledMs + Math.max(0, draining);
}

/** Initial ADDED events carry each object's own RV, however old: nothing says when it was handed out (facts/server §2.1). */
export function isObjectsOwnRv(giver: StreamFacts): boolean {
  if (giver.lastRvOrigin !== 'event') return false;
  const initial = giver.requestedRv === undefined || giver.requestedRv === '0' || giver.sendInitialEvents;
  const early = (giver.lastRvAt ?? 0) - (giver.openedAt ?? 0) < 1_000;
  return initial && early;
}
