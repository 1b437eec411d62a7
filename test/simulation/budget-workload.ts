import fc from 'fast-check';

/** What goes on at an apiserver while somebody asks it for its budget, and afterwards. */
export interface Workload {
  seed: number;
  cached: boolean;
  cacheSize: number | 'auto';
  /** Changes of the resource, a second, and how they come: evenly, by chance, or some at once. */
  perSecond: number;
  arrivals: 'even' | 'chance' | 'clumps';
  /** One in so many is of an object that the filtered clients select. */
  selectedOneIn: number;
  /** Writes to other things in the same store, a second. */
  othersPerSecond: number;
  progressNotifyMs: number;
  compactEveryMs: number | undefined;
  /** What the one who asks can know: `/metrics`, and the compaction interval. */
  knows: { capacity: boolean; interval: boolean };
}

/** Pinned sizes, and rates at which each covers some tens of seconds: far from 75 s, where a pinned ring looks like any other. */
const PINNED: readonly [number, number][] = [
  [30, 2],
  [50, 2],
  [100, 4],
  [150, 8],
  [400, 12],
];

const ring = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(0.05, 0.3, 1, 1.4, 2, 3, 6, 15).map((perSecond) => ['auto', perSecond] as const),
  },
  { weight: 2, arbitrary: fc.constantFrom(...PINNED) },
);

export const workload: fc.Arbitrary<Workload> = fc
  .record({
    seed: fc.nat(1e6),
    cached: fc.boolean().chain((one) => fc.boolean().map((other) => one || other)),
    ring,
    arrivals: fc.constantFrom('even', 'chance', 'chance', 'clumps'),
    selectedOneIn: fc.constantFrom(1, 4, 50, 100_000),
    othersPerSecond: fc.constantFrom(0, 0.2, 2),
    progressNotifyMs: fc.constantFrom(5_000, 600_000),
    compactEveryMs: fc.constantFrom(60_000, 130_000, 200_000, 300_000, undefined),
    knows: fc.record({ capacity: fc.boolean(), interval: fc.boolean() }),
  })
  .map(({ ring: [cacheSize, perSecond], ...rest }) => ({ cacheSize, perSecond, ...rest }) as Workload);
