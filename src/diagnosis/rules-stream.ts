import type { ListFacts, StreamFacts } from '../client/facts.ts';
import { compareRv } from '../protocol/resource-version.ts';
import type { Rule } from './decision.ts';
import { lastBefore, oncePerLine, type Place } from './scene.ts';
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
    name: 'bookmark without rv',
    when: ({ stream }) => stream?.badBookmark?.rv === '',
    class: 'bookmark-anomaly',
    confidence: ({ stream }) => (stream?.oddRv === undefined ? 'high' : 'medium'),
    others: ({ stream }) => (stream?.oddRv === undefined ? [] : ['rv-not-comparable']),
    repeats: 'run',
  },
  {
    name: 'empty rv',
    // One such object may be a slip; where none of several has an RV, there are none.
    when: ({ stream }) => stream?.oddRv === '',
    class: 'rv-not-comparable',
    confidence: ({ stream }) => (stream && hasNoRvs(stream) ? 'high' : 'medium'),
    others: ({ stream }) => (stream && hasNoRvs(stream) ? [] : ['bookmark-anomaly']),
    repeats: 'run',
  },
  {
    name: 'list without rv',
    when: ({ list }) => list !== undefined && list.rv === undefined && list.httpStatus === 200 && !list.refusal,
    class: 'rv-not-comparable',
    confidence: 'medium',
    repeats: 'run',
  },
  {
    // Bookmarks alone are low, and what follows them goes on above: they cannot be used as such, storage is what it was.
    name: 'bookmark below an event',
    when: ({ stream }) => stream?.badBookmark !== undefined && !fellForGood(stream),
    class: 'bookmark-anomaly',
    confidence: ({ stream }) => (stream && wentOnAbove(stream) ? 'high' : 'medium'),
    others: ({ stream }) => (stream && wentOnAbove(stream) ? [] : ['rv-went-backwards']),
    repeats: 'run',
  },
  {
    name: 'rv fell in the stream',
    when: ({ stream }) => stream?.wentBackwards !== undefined,
    class: 'rv-went-backwards',
    confidence: ({ stream }) => (stream && fellForGood(stream) && stayedLow(stream) ? 'high' : 'medium'),
    others: ({ stream }) => (stream?.badBookmark ? ['bookmark-anomaly'] : []),
    repeats: 'run',
  },
  {
    name: 'rv fell in a list',
    when: ({ place, list }) => list?.rv !== undefined && highestBefore(place, list.rv) !== undefined,
    class: 'rv-went-backwards',
    confidence: ({ place }) => (afterTheFall(place) === 'low' ? 'high' : 'medium'),
    repeats: 'run',
  },
];

const DELIVERY_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'promised, not delivered',
    when: ({ list }) => list?.missed !== undefined,
    class: 'missed-events',
    confidence: ({ list }) => (list?.missed?.coveredBy.by === 'bookmark' ? 'high' : 'medium'),
    repeats: 'run',
  },
  {
    name: 'made apart, came together',
    when: ({ place, stream }) => stream?.clumps !== undefined && oncePerLine(place, clumpsOf) >= CLUMPS,
    class: 'proxy-buffering',
    confidence: 'medium',
    repeats: 'run',
  },
];

const SELECTION_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'came back into the selection',
    when: ({ stream }) => stream?.selectionExits?.cameBack !== undefined,
    class: 'selector-exit',
    confidence: 'high',
    repeats: 'run',
  },
  {
    // A GET of the object would decide, and `tail` sends none (contract: nothing but LISTs, watches and probes): so never `high`.
    name: 'left the selection',
    when: ({ stream }) => stream?.selectionExits !== undefined,
    class: 'selector-exit',
    confidence: 'medium',
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
    // Without bookmarks no apiserver sends one (facts/server §3.12).
    confidence: ({ stream }) => (stream?.allowWatchBookmarks && stream.bookmarks > 0 ? 'high' : 'medium'),
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

/** Same UID and RV again, though the request went on from there. */
const AGAIN_RULES: readonly Rule<ShownSigns>[] = [
  {
    name: 'told again',
    when: ({ stream }) => stream?.toldAgain !== undefined,
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
  { slot: 'delivery', rules: DELIVERY_RULES },
  { slot: 'selection', rules: SELECTION_RULES },
  { slot: 'again', rules: AGAIN_RULES },
  { slot: 'self', rules: SELF_RULES },
];

/** One clump may be chance, or somebody who was away; two are held back. */
const CLUMPS = 2;

function clumpsOf({ line }: Place): number {
  return line.reduce((sum, { stream }) => sum + (stream?.clumps?.length ?? 0), 0);
}

/** Several events, and the stream has come to no RV. */
function hasNoRvs({ events, bookmarks, lastRv, requestedRv }: StreamFacts): boolean {
  return events >= 2 && bookmarks === 0 && lastRv === undefined && requestedRv === undefined;
}

/** A stale apiserver catches up within seconds (cases/README §3B); what is low for longer stays so. */
const CATCHES_UP_MS = 15_000;

/** The stream's newest RV has come back to where it was before the fall. */
export function hasRecovered({ wentBackwards, lastRv }: StreamFacts): boolean {
  return wentBackwards !== undefined && lastRv !== undefined && (compareRv(lastRv, wentBackwards.before) ?? -1) >= 0;
}

/** After a low frame the stream came back to where it was: with its newest frame, or with an event, while bookmarks alone are low. */
function wentOnAbove(stream: StreamFacts): boolean {
  const { lowFrames, lastEventAt } = stream;
  return hasRecovered(stream) || (lowFrames?.events === 0 && (lastEventAt ?? 0) > lowFrames.firstAt);
}

/** More than bookmarks is low, or more than one frame, and the newest RV still is. */
function fellForGood(stream: StreamFacts): boolean {
  const { lowFrames } = stream;
  if (stream.wentBackwards === undefined || wentOnAbove(stream)) return false;
  return lowFrames === undefined || lowFrames.events > 0 || lowFrames.count > 1;
}

function stayedLow({ lowFrames }: StreamFacts): boolean {
  return lowFrames !== undefined && lowFrames.lastAt - lowFrames.firstAt >= CATCHES_UP_MS;
}

/** What this target's RVs did after a list that lay below what was known: whether they stayed there, or caught up. */
export function afterTheFall(place: Place): 'low' | 'caught up' | 'not known' {
  const { list, line, index } = place;
  const before = list?.rv === undefined ? undefined : highestBefore(place, list.rv);
  if (list === undefined || before === undefined) return 'not known';
  let last: 'low' | 'caught up' | 'not known' = 'not known';
  for (const { stream, list: other } of line.slice(index + 1)) {
    const [rv, at] = other ? [other.rv, other.endedAt] : [stream?.lastRv, stream?.lastRvAt];
    if (rv === undefined || at === undefined || at - list.endedAt < 0) continue;
    if ((compareRv(rv, before) ?? -1) >= 0) last = 'caught up';
    else if (at - list.endedAt >= CATCHES_UP_MS) last = 'low';
  }
  return last;
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
