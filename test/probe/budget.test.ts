import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bound, type BudgetInput, budgetOf } from '../../src/probe/budget.ts';
import { clumping, fewest, most, rateRange } from '../../src/probe/count-range.ts';
import '../support/properties.ts';

const EXACT = (perSecond: number) => ({ low: perSecond, high: perSecond });
const seconds = ({ guaranteedMs, atLeastMs, atMostMs }: Bound) =>
  [guaranteedMs, atLeastMs, atMostMs].map((ms) => (ms === undefined ? undefined : Math.round(ms / 1000)));

describe('budgetOf', () => {
  const table: [string, BudgetInput, (number | undefined)[], string[]][] = [
    [
      'a ring of 100 on 0.1 changes a second reaches back a quarter of an hour',
      { cached: true, capacity: 100, events: EXACT(0.1) },
      [5, 714, 1334],
      ['kubernetes-ring'],
    ],
    [
      'two changes a second need a ring of 200, and may need 400',
      { cached: true, capacity: 200, events: EXACT(2) },
      [72, 79, 123],
      ['kubernetes-ring'],
    ],
    [
      'a capacity that is not known may be any',
      { cached: true, events: EXACT(2) },
      [72, 72, undefined],
      ['kubernetes-ring', 'capacity-unknown'],
    ],
    [
      'a ring that was seen to lose events holds no more than its span',
      { cached: true, ringSpan: 150, events: EXACT(2) },
      [72, 72, 123],
      ['kubernetes-ring', 'capacity-unknown'],
    ],
    [
      'nothing measured: the rule alone',
      { cached: true },
      [0, 0, undefined],
      ['kubernetes-ring', 'capacity-unknown', 'rate-unknown'],
    ],
    [
      'a window of 20 s is no kube-apiserver’s: nothing is guaranteed',
      { cached: true, capacity: 100, events: EXACT(5), windowAge: { atLeastMs: 18_000, atMostMs: 22_000 } },
      [0, 14, 27],
      ['ring-breaks-rule'],
    ],
    [
      'its size follows from the age of what it lost',
      { cached: true, events: EXACT(5), windowAge: { atLeastMs: 18_000, atMostMs: 22_000 } },
      [0, 8, 37],
      ['ring-breaks-rule', 'capacity-unknown'],
    ],
    [
      'a size that no doubling gives',
      { cached: true, capacity: 50, events: EXACT(5) },
      [0, 6, 15],
      ['ring-breaks-rule'],
    ],
    [
      'more changes than the largest ring can hold for 75 s',
      { cached: true, capacity: 102_400, events: EXACT(4_000) },
      [0, 25, 26],
      ['ring-at-bound'],
    ],
    [
      'uncached: one to two intervals, where it is known',
      { cached: false, revisions: EXACT(7), compactEveryMs: 300_000 },
      [300, 300, 601],
      ['compaction-told'],
    ],
    [
      'uncached, and nobody writes but the compactor',
      { cached: false, compactEveryMs: 300_000 },
      [300, 300, 900],
      ['compaction-told'],
    ],
    ['uncached, and nothing known', { cached: false, revisions: EXACT(7) }, [0, 0, undefined], ['compaction-default']],
    [
      'an RV of 4 min was still there: two minutes at least',
      { cached: false, revisions: EXACT(7), etcdAge: { atLeastMs: 240_000 } },
      [120, 120, undefined],
      ['compaction-default'],
    ],
    [
      'an RV of 20 min was still there: the interval is no 5 min',
      { cached: false, revisions: EXACT(7), etcdAge: { atLeastMs: 1_200_000 } },
      [600, 600, undefined],
      ['compaction-unseen'],
    ],
    [
      'one of 90 s was gone: neither',
      { cached: false, revisions: EXACT(7), etcdAge: { atLeastMs: 60_000, atMostMs: 90_000 } },
      [30, 30, 181],
      ['compaction-measured'],
    ],
    [
      'what was seen counts more than what was told',
      { cached: false, revisions: EXACT(7), compactEveryMs: 300_000, etcdAge: { atMostMs: 90_000 } },
      [0, 0, 181],
      ['compaction-measured'],
    ],
    [
      'cached or not is not known: what either allows',
      { capacity: 200, events: EXACT(2), revisions: EXACT(7), compactEveryMs: 300_000 },
      [72, 79, 601],
      ['cached-unknown', 'kubernetes-ring', 'compaction-told'],
    ],
  ];
  it.each(table)('%s', (_, input, expected, assumes) => {
    const budget = budgetOf({ bookmarks: { come: true }, ...input });
    expect(seconds(budget.history)).toEqual(expected);
    expect(budget.assumes).toEqual(assumes);
  });

  it('a quiet watch has what its bookmarks leave it', () => {
    const budget = budgetOf({ cached: true, capacity: 200, events: EXACT(2), bookmarks: { come: true } });
    expect(seconds(budget.away.current)).toEqual([72, 79, 123]);
    expect(seconds(budget.away.bookmarks)).toEqual([10, 18, 123]);
    expect(seconds(budget.away.noBookmarks)).toEqual([0, 0, 123]);
    expect(budget.staleness).toEqual({ bookmarks: { atMostMs: 61_250 }, noBookmarks: {} });
  });

  it('a window below 75 s breaks the rule only where no quiet time explains it', () => {
    const rare = {
      cached: true,
      capacity: 100,
      events: EXACT(0.1),
      windowAge: { atLeastMs: 20_000, atMostMs: 30_000 },
    };
    expect(budgetOf(rare).assumes).toContain('kubernetes-ring');
    expect(budgetOf({ ...rare, events: EXACT(5) }).assumes).toContain('ring-breaks-rule');
    expect(budgetOf({ cached: true, events: EXACT(5), ringSpan: 60 }).assumes).toContain('ring-breaks-rule');
  });

  it('changes that an RV survives however fast they come', () => {
    expect(budgetOf({ cached: true, capacity: 6_400 }).survivesChanges).toBe(99);
    expect(budgetOf({ cached: true, capacity: 30 }).survivesChanges).toBe(29);
    expect(budgetOf({ cached: false }).survivesChanges).toBe(0);
    expect(budgetOf({}).survivesChanges).toBe(0);
  });

  const quiet: [string, BudgetInput, string[]][] = [
    ['bookmarks that do not come', { bookmarks: { come: false } }, ['no-bookmarks']],
    [
      'a path that cuts before one can come',
      { bookmarks: { come: true }, cutAfterMs: 50_000 },
      ['cut-before-bookmark'],
    ],
    ['a resource without a cache', { cached: false }, []],
  ];
  it.each(quiet)('%s leave nothing', (_, input, assumes) => {
    const budget = budgetOf({ cached: true, events: EXACT(2), ...input });
    expect(budget.staleness.bookmarks).toEqual({});
    expect(budget.away.bookmarks.guaranteedMs).toBe(0);
    expect(budget.assumes.filter((one) => assumes.includes(one))).toEqual(assumes);
  });

  it('a longer time between bookmarks than the server’s own counts', () => {
    const budget = budgetOf({ cached: true, events: EXACT(10), bookmarks: { come: true, everyMs: 70_000 } });
    expect(seconds(budget.away.bookmarks)).toEqual([4, 4, undefined]);
  });
});

const ms = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined });
const range = fc
  .tuple(fc.double({ min: 0, max: 1e5, noNaN: true }), fc.double({ min: 0, max: 1e5, noNaN: true }))
  .map(([one, other]) => ({ low: Math.min(one, other), high: Math.max(one, other) }));
const between = fc.tuple(ms, ms).map(([one, other]) => ({
  ...(one === undefined ? {} : { atLeastMs: Math.min(one, other ?? one) }),
  ...(other === undefined ? {} : { atMostMs: Math.max(one ?? 0, other) }),
}));
const capacity = fc.oneof(fc.nat(102_400), fc.constantFrom(100, 200, 400, 6_400, 102_400));
const given = fc.record(
  {
    cached: fc.boolean(),
    capacity,
    ringSpan: fc.nat(1e6),
    windowAge: between,
    events: fc.oneof(range, fc.constant({ low: 0, high: Number.POSITIVE_INFINITY })),
    revisions: range,
    bookmarks: fc.record({ come: fc.boolean(), everyMs: fc.nat(200_000) }),
    cutAfterMs: fc.nat(400_000),
    compactEveryMs: fc.integer({ min: 1_000, max: 3_600_000 }),
    etcdAge: between,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<BudgetInput>;

const bounds = (input: BudgetInput): Bound[] => {
  const { history, away } = budgetOf(input);
  return [history, away.current, away.bookmarks, away.noBookmarks];
};
const everyPair = (one: BudgetInput, other: BudgetInput, holds: (one: Bound, other: Bound) => void) =>
  bounds(one).forEach((bound, index) => {
    holds(bound, bounds(other)[index]!);
  });

describe('properties of budgetOf', () => {
  it('is total, and its bounds are in order', () => {
    fc.assert(
      fc.property(given, (input) => {
        for (const { guaranteedMs, atLeastMs, atMostMs } of bounds(input)) {
          expect(guaranteedMs).toBeGreaterThanOrEqual(0);
          expect(atLeastMs).toBeGreaterThanOrEqual(guaranteedMs);
          expect(Number.isFinite(atLeastMs)).toBe(true);
          if (atMostMs === undefined) continue;
          expect(Number.isFinite(atMostMs)).toBe(true);
          expect(atMostMs).toBeGreaterThanOrEqual(atLeastMs);
        }
      }),
    );
  });

  it('a larger ring of the same kind never shortens a bound', () => {
    const doubling = fc.nat(10).map((power) => 100 * 2 ** power);
    const odd = fc.integer({ min: 1, max: 99 });
    fc.assert(
      fc.property(given, fc.oneof(fc.tuple(doubling, doubling), fc.tuple(odd, odd)), (input, [one, other]) => {
        const small = { ...input, capacity: Math.min(one, other) };
        const large = { ...input, capacity: Math.max(one, other) };
        // At its upper bound a ring can no longer grow: that is another rule, and only there does more mean less certain.
        fc.pre(large.capacity < 102_400 || (input.events?.high ?? Number.POSITIVE_INFINITY) < Number.POSITIVE_INFINITY);
        everyPair(small, large, (less, more) => {
          expect(more.guaranteedMs).toBeGreaterThanOrEqual(less.guaranteedMs);
          expect(more.atLeastMs).toBeGreaterThanOrEqual(less.atLeastMs);
          expect(more.atMostMs ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(less.atMostMs ?? 0);
        });
      }),
    );
  });

  it('bookmarks that come more rarely, or a path that cuts, never lengthen one', () => {
    fc.assert(
      fc.property(given, fc.nat(200_000), fc.nat(200_000), (input, one, other) => {
        const often = { ...input, bookmarks: { come: true, everyMs: Math.min(one, other) } };
        const rarely = { ...input, bookmarks: { come: true, everyMs: Math.max(one, other) } };
        const never = { ...input, bookmarks: { come: false } };
        everyPair(often, rarely, (more, less) => expect(more.atLeastMs).toBeGreaterThanOrEqual(less.atLeastMs));
        everyPair(rarely, never, (more, less) => expect(more.atLeastMs).toBeGreaterThanOrEqual(less.atLeastMs));
      }),
    );
  });

  it('a longer compaction interval never shortens one', () => {
    fc.assert(
      fc.property(given, fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: 1e7 }), (input, one, other) => {
        const { etcdAge: _, ...rest } = input;
        const short = { ...rest, compactEveryMs: Math.min(one, other) };
        const long = { ...rest, compactEveryMs: Math.max(one, other) };
        everyPair(short, long, (less, more) => {
          expect(more.guaranteedMs).toBeGreaterThanOrEqual(less.guaranteedMs);
          expect(more.atMostMs ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(less.atMostMs ?? 0);
        });
      }),
    );
  });

  it('a rate that is known less well never narrows the bounds', () => {
    fc.assert(
      fc.property(given, range, range, (input, one, other) => {
        const sharp = { ...input, events: one };
        const vague = {
          ...input,
          events: { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) },
        };
        everyPair(sharp, vague, (narrow, wide) => {
          expect(wide.atLeastMs).toBeLessThanOrEqual(narrow.atLeastMs);
          expect(wide.atMostMs ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(narrow.atMostMs ?? 0);
        });
      }),
    );
  });
});

describe('count ranges', () => {
  it('hold the mean, and the wider the fewer were counted', () => {
    expect(fewest(0)).toBe(0);
    expect(most(0)).toBeCloseTo(6.25);
    expect(rateRange(100, 10_000)).toMatchObject({ low: expect.closeTo(7.225), high: expect.closeTo(13.34, 2) });
    expect(rateRange(0, 300_000).low).toBe(0);
    expect(rateRange(5, 0)).toMatchObject({ low: 0, high: Number.POSITIVE_INFINITY });
  });

  it('what comes in clumps is known less well; chance alone makes none', () => {
    expect(clumping([10, 12, 8, 11, 9, 10, 14, 6])).toBe(1);
    expect(clumping([0, 40, 0, 0, 40, 0, 0, 0])).toBeGreaterThan(30);
    expect(clumping([])).toBe(1);
    expect(clumping([0, 0, 0, 0])).toBe(1);
    expect(fewest(400, 4)).toBe(17 ** 2);
    expect(most(396, 4)).toBe(23 ** 2);
  });
});
