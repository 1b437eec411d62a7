import type { ListFacts, StreamFacts } from '../client/facts.ts';
import { compareRv } from '../protocol/resource-version.ts';
import type { Rule } from './decision.ts';
import { lastBefore, type Place } from './scene.ts';
import { gaveHistory, wasLive } from './signs.ts';

/** What a stream (or a LIST) shows beside its end. Each table is a question of its own and may give one finding. */
export interface ShownSigns {
  place: Place;
  stream?: StreamFacts;
  list?: ListFacts;
  now: number;
}

/** A read stall as long as this is worth a finding of its own, also where nothing came of it. */
const OWN_STALL_MS = 5_000;
/** client-go warns when the end mark of the initial events is missing for so long (facts/client §1.1). */
const END_MARK_MS = 10_000;

const FRAME_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'no watch event',
    when: ({ stream }) => stream !== undefined && stream.malformed > 0,
    class: 'malformed-stream',
    confidence: 'high',
    others: () => ['gateway-error'],
    repeats: 'run',
  },
];

const RV_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'opaque rv',
    when: ({ stream }) => Boolean(stream?.oddRv),
    class: 'rv-not-comparable',
    confidence: 'high',
    repeats: 'run',
  },
  {
    name: 'empty rv',
    when: ({ stream }) => stream?.oddRv === '',
    class: 'rv-not-comparable',
    confidence: 'medium',
    others: () => ['bookmark-anomaly'],
    repeats: 'run',
  },
  {
    name: 'rv fell in the stream',
    when: ({ stream }) => stream?.wentBackwards !== undefined,
    class: 'rv-went-backwards',
    confidence: ({ stream }) => (stream && staysLow(stream) ? 'high' : 'medium'),
    others: () => ['bookmark-anomaly'],
    repeats: 'run',
  },
  {
    name: 'rv fell in a list',
    when: ({ place, list }) => list?.rv !== undefined && highestBefore(place, list.rv) !== undefined,
    class: 'rv-went-backwards',
    confidence: ({ place }) => (listsBelow(place) >= 2 ? 'high' : 'medium'),
    repeats: 'run',
  },
];

const INITIAL_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'end mark missing',
    when: ({ stream, now }) =>
      stream?.initialEventsEndAt === null &&
      stream.openedAt !== undefined &&
      wasLive(stream) &&
      stream.errorStatus === undefined &&
      stream.events + stream.bookmarks > 0 &&
      (stream.endedAt ?? now) - stream.openedAt >= END_MARK_MS,
    class: 'watchlist-incomplete',
    confidence: ({ stream }) => (stream && stream.bookmarks > 0 ? 'high' : 'medium'),
    repeats: 'run',
  },
  {
    name: 'state replayed',
    when: ({ place, stream }) =>
      stream !== undefined &&
      stream.requestedRv === undefined &&
      stream.eventsInFirstSecond > 0 &&
      lastBefore(place, ({ stream: before }) => before !== undefined && gaveHistory(before) && before.events > 0) !==
        undefined,
    class: 'duplicate-events',
    confidence: 'high',
    repeats: 'run',
  },
];

const SELF_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'we did not read',
    when: ({ stream }) => stream !== undefined && wasLive(stream) && stream.readStalledMs >= OWN_STALL_MS,
    class: 'self-inflicted',
    confidence: 'high',
    repeats: 'never',
  },
];

/** By the slot of a finding's key. */
export const SHOWN_RULES: readonly { slot: string; rules: readonly Rule<ShownSigns>[] }[] = [
  { slot: 'frames', rules: FRAME_RULES },
  { slot: 'rv', rules: RV_RULES },
  { slot: 'initial', rules: INITIAL_RULES },
  { slot: 'self', rules: SELF_RULES },
];

/** The stream's newest RV is still below the one it had before the fall: no stale replica that caught up. */
function staysLow({ wentBackwards, lastRv }: StreamFacts): boolean {
  return wentBackwards !== undefined && lastRv !== undefined && compareRv(lastRv, wentBackwards.before) === -1;
}

/** The highest RV that this target had been given before, where `rv` lies below it. */
export function highestBefore(place: Place, rv: string): string | undefined {
  let highest: string | undefined;
  const take = (other: string | undefined) => {
    if (
      other !== undefined &&
      compareRv(rv, other) === -1 &&
      (highest === undefined || compareRv(highest, other) === -1)
    ) {
      highest = other;
    }
  };
  for (let i = 0; i < place.index; i++) {
    const { stream, list } = place.line[i]!;
    // RVs that were received before this LIST was asked for.
    if (stream && (stream.lastRvAt ?? Infinity) <= place.at) take(stream.lastRv);
    if (list && list.endedAt <= place.at) take(list.rv);
  }
  return highest;
}

/** LISTs of this target, this one among them, that lie below what was known before. */
function listsBelow(place: Place): number {
  return place.line.filter(({ list }, index) => {
    if (list?.rv === undefined) return false;
    return highestBefore({ ...place, at: list.askedAt, index, list }, list.rv) !== undefined;
  }).length;
}
