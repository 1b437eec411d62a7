import type { Burst } from './workload.ts';

/** Who takes part. Letters are the `watcher` of the records (contract §1). */
export type WatcherName = 'A' | 'B' | 'E';

export interface WatcherRole {
  name: WatcherName;
  role: string;
  resource: 'pods' | 'events';
}

export const WATCHERS: readonly WatcherRole[] = [
  { name: 'A', role: 'steady', resource: 'pods' },
  { name: 'B', role: 'traveller', resource: 'pods' },
  { name: 'E', role: 'events', resource: 'events' },
];

/** One thing that happens, `at` ms after the start. Times between steps are filled with background writes. */
export type StoryStep = { at: number; says: string } & (
  | { do: 'leave'; watchers: WatcherName[] }
  | { do: 'burst'; burst: Burst }
  | { do: 'return'; watcher: WatcherName }
  | { do: 'compact' }
  | { do: 'planned-end'; watcher: WatcherName; timeoutSeconds: number }
  | { do: 'end' }
);

/** `resumed`: it came back, and nothing was lost. The others are classes of findings. */
export type Outcome = 'ring-buffer-expiry' | 'upstream-compaction' | 'server-timeout' | 'resumed';

/** What the story expects of a watcher's run, computed from the numbers, before anything has happened. */
export interface Expectation {
  watcher: WatcherName;
  /** Any of these. Two where the numbers alone do not decide. */
  outcomes: readonly Outcome[];
  /** One line for people: why this is expected. */
  because: string;
}

export interface Story {
  steps: StoryStep[];
  expectations: Expectation[];
}

/** Background writes of pods, a second (design §5). */
export const BACKGROUND_PER_SECOND = 2;
/** Events (the resource) written, a second. */
export const EVENTS_PER_SECOND = 2;
/** Burst without a duration of its own: writes a second (design §5). */
export const BURST_PER_SECOND = 250;
/** `timeoutSeconds` of the planned end. */
const PLANNED_TIMEOUT_S = 5;
/** A dynamic ring's upper bound, events, and the age below which it grows instead of dropping (facts/server §3.3). */
const DYNAMIC_UPPER = 102_400;
const WINDOW_MS = 75_000;

const LEAVE_AT = 1000;
const RETURN_AFTER_BURST = 500;

/**
 * The built-in story (design §5), the parts that need neither a slow reader nor an upstream cut: B leaves before a burst
 * and comes back; E, on a resource without watch cache, comes back after a compaction; nothing happens to A, which at the
 * end watches with a short timeout and gets its bookmark and its planned end.
 */
export function planStory(numbers: { cacheSize: number | 'auto'; burst: Burst }): Story {
  const { cacheSize, burst } = numbers;
  const burstEnd = LEAVE_AT + burst.durationMs;
  const back = burstEnd + RETURN_AFTER_BURST;
  const compactAt = back + 500;
  const plannedAt = compactAt + 700;
  const endAt = plannedAt + PLANNED_TIMEOUT_S * 1000 + 500;
  const steps: StoryStep[] = [
    { at: LEAVE_AT, do: 'leave', watchers: ['B', 'E'], says: 'B and E leave, each holding the last RV it saw' },
    { at: LEAVE_AT, do: 'burst', burst, says: `a burst of ${burst.count} writes to pods` },
    { at: back, do: 'return', watcher: 'B', says: 'B returns with the RV it held' },
    { at: compactAt, do: 'compact', says: 'etcd is compacted at its head: it harms nobody who is connected' },
    { at: compactAt + 200, do: 'return', watcher: 'E', says: 'E returns with the RV it held' },
    {
      at: plannedAt,
      do: 'planned-end',
      watcher: 'A',
      timeoutSeconds: PLANNED_TIMEOUT_S,
      says: `A watches again, with timeoutSeconds=${PLANNED_TIMEOUT_S}`,
    },
    { at: endAt, do: 'end', says: 'the end of the story' },
  ];
  return { steps, expectations: [expectB(cacheSize, burst, back), ...EXPECT_E_AND_A] };
}

/**
 * B loses its place if more pods are written while it is away than the ring holds: the ring keeps the last N events, and
 * needs every one after the RV that B holds. Background writes may fall a little before or after B's leaving and return.
 */
function expectB(cacheSize: number | 'auto', burst: Burst, back: number): Expectation {
  const background = ((back - LEAVE_AT) / 1000) * BACKGROUND_PER_SECOND;
  const least = burst.count + Math.floor(background) - 2;
  const most = burst.count + Math.ceil(background) + 2;
  if (cacheSize === 'auto') {
    const fits = most <= DYNAMIC_UPPER && back - LEAVE_AT < WINDOW_MS;
    return {
      watcher: 'B',
      outcomes: fits ? ['resumed'] : ['resumed', 'ring-buffer-expiry'],
      because: fits
        ? 'a ring whose oldest event is younger than 75 s grows instead of dropping it'
        : 'a dynamic ring keeps 75 s of events, and at most 102400: how far it reaches depends on the pace',
    };
  }
  if (least > cacheSize) {
    return {
      watcher: 'B',
      outcomes: ['ring-buffer-expiry'],
      because: `at least ${least} writes pass through a ring of ${cacheSize} while it is away`,
    };
  }
  if (most <= cacheSize) {
    return {
      watcher: 'B',
      outcomes: ['resumed'],
      because: `at most ${most} writes while it is away: they fit into a ring of ${cacheSize}`,
    };
  }
  return {
    watcher: 'B',
    outcomes: ['resumed', 'ring-buffer-expiry'],
    because: `between ${least} and ${most} writes while it is away, and a ring of ${cacheSize}: either may come`,
  };
}

const EXPECT_E_AND_A: readonly Expectation[] = [
  {
    watcher: 'E',
    outcomes: ['upstream-compaction'],
    because: 'events have no watch cache: etcd itself answers, and it has compacted what E asks for',
  },
  {
    watcher: 'A',
    outcomes: ['server-timeout'],
    because: `the end comes when A asked for it, after ${PLANNED_TIMEOUT_S} s`,
  },
];
