import type { Assumption, Bound, BudgetInput } from './budget.ts';
import { fewest, most, type RateRange } from './count-range.ts';

/** watch_cache.go `defaultLowerBoundCapacity`: events that a ring holds at first, and the least it shrinks to. */
const LEAST_RING = 100;
/** watch_cache.go `defaultUpperBoundCapacity`, events. Later releases may allow more, never less (facts/server §3.3). */
export const MOST_RING = 102_400;
/**
 * watch_cache.go `eventFreshDuration`, ms: a full ring that covers less grows instead of losing an event, so one younger than that
 * is lost only where the ring is at its upper bound. From 1.33 on it may be set to more (facts/server §3.3).
 */
export const FRESH_MS = 75_000;

/** No cache of an apiserver lives for longer without a restart, as far as anybody would rely on it: 30 days, ms. */
const FOREVER_MS = 30 * 86_400_000;

/** Events that the ring holds by the time it matters: at least and at most. */
interface Ring {
  low: number;
  high: number | undefined;
  /** It grows rather than lose an event younger than 75 s. */
  fresh: boolean;
  assumes: Assumption[];
}

/**
 * From an RV to its loss, where a watch cache serves. An RV is lost with the last event at or before it (watch_cache.go
 * getAllEventsSinceLocked compares with the oldest event that is left, not with the newest that is gone): when as many events have
 * followed it as the ring holds, and, while the ring can grow, not before that last event is 75 s old. Bounds at the present rate
 * are for the rate as measured, with what chance may do to it.
 */
export function cacheHistory(input: BudgetInput): { history: Bound; survivesChanges: number; assumes: Assumption[] } {
  const { events } = input;
  const ring = ringOf(input);
  const guaranteedMs = ring.fresh ? Math.max(0, FRESH_MS - quietGapMs(events)) : 0;
  const known = events && events.high < Number.POSITIVE_INFINITY;
  const slow = known ? fewest(ring.low - 1, events.clump) / perMs(events.high) : 0;
  const atLeastMs = Math.min(FOREVER_MS, Math.max(guaranteedMs, slow));
  // One more where the first event after it is its very successor.
  const late = ring.high === undefined || !events ? undefined : most(ring.high, events.clump) / perMs(events.low);
  const bounded = late !== undefined && late < FOREVER_MS;
  return {
    history: { guaranteedMs, atLeastMs, ...(bounded ? { atMostMs: Math.max(late, atLeastMs) } : {}) },
    // Whatever the ring holds now: after a quiet hour it may halve down to its least at one stroke.
    survivesChanges: ring.fresh ? LEAST_RING - 1 : Math.max(0, Math.floor(ring.low) - 1),
    assumes: [...ring.assumes, ...(events ? [] : (['rate-unknown'] as const))],
  };
}

/** The longest time without a change, ms: seven times the mean, or that of clumps (one gap in a thousand is longer). */
export function quietGapMs(rate: RateRange | undefined): number {
  return rate && rate.low > 0 ? (7000 * (rate.clump ?? 1)) / rate.low : Number.POSITIVE_INFINITY;
}

const perMs = (perSecond: number) => perSecond / 1000;

function ringOf(input: BudgetInput): Ring {
  const { windowAge, capacity } = input;
  const atBound = outgrown(input);
  // A kube-apiserver's ring would have grown: somebody pinned it, or it is another server.
  const lostYoung = windowAge?.atMostMs !== undefined && windowAge.atMostMs < FRESH_MS - quietGapMs(input.events);
  const tooSmall = input.ringSpan !== undefined && input.ringSpan < LEAST_RING;
  const breaksRule = lostYoung || tooSmall || (capacity !== undefined && !isDoubling(capacity));
  if (atBound || breaksRule) return fixedRing(input, atBound ? 'ring-at-bound' : 'ring-breaks-rule');
  const assumes: Assumption[] = ['kubernetes-ring', ...(capacity === undefined ? (['capacity-unknown'] as const) : [])];
  return { low: shrunk(input), high: grown(input), fresh: true, assumes };
}

/** 100, 200, 400 …: no other size comes of the rule. */
function isDoubling(capacity: number): boolean {
  return capacity >= LEAST_RING && Number.isInteger(Math.log2(capacity / LEAST_RING));
}

/** Too many changes for the largest ring to cover 75 s. */
function outgrown({ events, capacity }: BudgetInput): boolean {
  if (events && events.high < Number.POSITIVE_INFINITY)
    return fewest(MOST_RING, events.clump) < (events.high * FRESH_MS) / 1000;
  return capacity !== undefined && capacity >= MOST_RING;
}

/** A ring that stays as it is: its size is known, or follows from the age of what it lost. */
function fixedRing(input: BudgetInput, why: Assumption): Ring {
  const { capacity, windowAge, events, ringSpan } = input;
  if (capacity !== undefined) return { low: capacity, high: capacity, fresh: false, assumes: [why] };
  const seen = (ms: number | undefined, perSecond: number | undefined) =>
    ms === undefined || perSecond === undefined ? undefined : (ms / 1000) * perSecond;
  const least = seen(windowAge?.atLeastMs, events?.low);
  const greatest = seen(windowAge?.atMostMs, events?.high) ?? Number.POSITIVE_INFINITY;
  const high = Math.min(ringSpan ?? Number.POSITIVE_INFINITY, most(greatest, events?.clump));
  const known = high < Number.POSITIVE_INFINITY;
  return {
    low: fewest(least ?? 0, events?.clump),
    high: known ? high : undefined,
    fresh: false,
    assumes: [why, 'capacity-unknown'],
  };
}

/**
 * The least that the ring may come to. It halves when full and three quarters of it are older than 75 s; a ring of which a quarter comes
 * within 75 s also at the lowest rate stays as it is.
 */
function shrunk({ capacity, events }: BudgetInput): number {
  if (capacity === undefined || !events) return LEAST_RING;
  const safe = 4 * (fewest(fresh(events.low), events.clump) - 1);
  let ring = LEAST_RING;
  while (ring * 2 <= safe && ring < MOST_RING) ring *= 2;
  return Math.min(capacity, ring);
}

/** The most that the ring may come to: what it holds, or what it takes to cover 75 s. undefined: not known. */
function grown({ capacity, ringSpan, events }: BudgetInput): number | undefined {
  const holds = capacity ?? ringSpan;
  if (holds === undefined || !events) return undefined;
  let needed = LEAST_RING;
  while (needed < MOST_RING && fewest(needed, events.clump) < fresh(events.high)) needed *= 2;
  return Math.max(holds, needed);
}

/** Events within 75 s. */
const fresh = (perSecond: number) => (perSecond * FRESH_MS) / 1000;
