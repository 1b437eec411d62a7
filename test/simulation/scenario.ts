import fc from 'fast-check';

/** What a watcher asks for. */
export interface WatcherPlan {
  /** `pods` has a watch cache, `events` has none. */
  resource: 'pods' | 'events';
  /** A number: from an RV of before, at this part of the way from the store's first revision to its present one. */
  start: 'list' | 'now' | 'unset' | number;
  bookmarks: boolean;
  /** `some`: every fourth object; `rare`: one object. */
  selector: 'none' | 'some' | 'rare';
  /** undefined: 300 to 600 s, as `tail` asks. */
  timeoutSeconds: number | undefined;
}

/** What happens, one thing after the other. Watchers and servers are numbers, taken modulo how many there are. */
export type Step =
  | { do: 'wait'; ms: number }
  | { do: 'burst'; resource: 'pods' | 'events'; count: number; perSecond: number }
  | { do: 'leave'; watcher: number }
  | { do: 'return'; watcher: number }
  /** All of the client's sockets stay unread for so long; it goes on beside the steps that follow. */
  | { do: 'stall'; ms: number }
  /** At the head, or so many revisions before it. */
  | { do: 'compact'; behind: number }
  | { do: 'cut'; server: number }
  /** As `cut`, but without a sign to the server. */
  | { do: 'blackhole'; server: number }
  | { do: 'restore'; server: number }
  | { do: 'restart'; server: number }
  | { do: 'kill'; server: number }
  /** New connections lead to this server, if it listens. */
  | { do: 'route'; server: number };

export interface Scenario {
  seed: number;
  cacheSize: number | 'auto';
  servers: number;
  /** `one`: each connection leads to the server that was routed to; `any`: to whichever comes next, as behind a balancer. */
  balance: 'one' | 'any';
  /** The compactor of the apiserver; undefined: only steps compact. */
  compactEveryMs: number | undefined;
  progressNotifyMs: number;
  objects: number;
  /** Bytes of padding in each object: what lets a slow reader be felt. */
  padBytes: number;
  /** Changes of pods before the client comes. */
  before: number;
  /** Writes to pods beside everything else, ms apart; undefined: none. */
  backgroundMs: number | undefined;
  probing: boolean;
  /** One run of the client with a target for each. */
  watchers: WatcherPlan[];
  steps: Step[];
}

/** Spread evenly over the orders of magnitude, as sizes of bursts and lengths of absences are. */
function logarithmic(min: number, max: number): fc.Arbitrary<number> {
  const [low, high] = [Math.log(min), Math.log(max)];
  return fc.integer({ min: 0, max: 1_000 }).map((at) => Math.round(Math.exp(low + ((high - low) * at) / 1_000)));
}

const resource = fc.oneof({ weight: 4, arbitrary: fc.constant('pods' as const) }, fc.constant('events' as const));
const index = fc.nat(2);

const watcher: fc.Arbitrary<WatcherPlan> = fc.record({
  resource,
  start: fc.oneof(
    { weight: 8, arbitrary: fc.constant('list' as const) },
    fc.constantFrom('now' as const, 'unset' as const),
    fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  ),
  bookmarks: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  selector: fc.oneof({ weight: 5, arbitrary: fc.constant('none' as const) }, fc.constantFrom('some', 'rare')),
  timeoutSeconds: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 120 }) },
  ),
});

const wait = logarithmic(20, 150_000).map((ms): Step => ({ do: 'wait', ms }));

/** Counts from 0: nothing at all is a burst too. */
const burst: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('burst' as const),
  resource,
  count: logarithmic(1, 2_001).map((count) => count - 1),
  perSecond: fc.constantFrom(50, 250, 2_000),
});

/** An absence with something in it, and the return. */
const absence: fc.Arbitrary<Step[]> = fc
  .tuple(index, fc.array(fc.oneof(wait, burst, burst), { maxLength: 3 }), fc.option(index))
  .map(([one, meanwhile, server]) => [
    { do: 'leave', watcher: one },
    ...meanwhile,
    ...(server === null ? [] : [{ do: 'route', server } as const]),
    { do: 'return', watcher: one },
  ]);

const compact = fc
  .oneof(fc.constant(0), fc.constant(1), logarithmic(1, 500))
  .map((behind): Step => ({ do: 'compact', behind }));

/** The server is off its store for a while; with writes and a compaction meanwhile its own watch is lost. */
const outage: fc.Arbitrary<Step[]> = fc
  .tuple(
    index,
    fc.array(fc.oneof(wait, burst, burst, compact, compact), { maxLength: 4 }),
    fc.option(absence),
    fc.constantFrom('cut' as const, 'cut' as const, 'blackhole' as const),
  )
  .map(([server, meanwhile, away, how]) => [
    { do: how, server },
    ...meanwhile,
    ...(away ?? []),
    { do: 'restore', server },
  ]);

const step: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: wait.map((one) => [one]) },
  { weight: 4, arbitrary: burst.map((one) => [one]) },
  { weight: 6, arbitrary: absence },
  { weight: 2, arbitrary: compact.map((one) => [one]) },
  { weight: 3, arbitrary: outage },
  {
    weight: 1,
    arbitrary: fc.tuple(logarithmic(500, 20_000), burst).map(([ms, one]): Step[] => [{ do: 'stall', ms }, one]),
  },
  { weight: 1, arbitrary: index.map((server): Step[] => [{ do: 'restart', server }]) },
  { weight: 1, arbitrary: index.map((server): Step[] => [{ do: 'kill', server }]) },
  { weight: 1, arbitrary: index.map((server): Step[] => [{ do: 'route', server }]) },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat(1_000_000),
  cacheSize: fc.oneof(
    { weight: 3, arbitrary: logarithmic(10, 1_000) },
    { weight: 1, arbitrary: fc.constant('auto' as const) },
  ),
  servers: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.constantFrom(2, 3)),
  balance: fc.constantFrom('one', 'one', 'any'),
  compactEveryMs: fc.constantFrom(undefined, undefined, 60_000),
  progressNotifyMs: fc.constantFrom(5_000, 5_000, 600_000),
  objects: fc.integer({ min: 1, max: 30 }),
  padBytes: fc.constantFrom(0, 0, 2_000),
  before: logarithmic(1, 300),
  backgroundMs: fc.constantFrom(undefined, 500, 5_000),
  probing: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  watchers: fc.array(watcher, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.flat()),
});
