import { cacheHistory } from './budget-cache.ts';
import { etcdHistory } from './budget-etcd.ts';
import { staleness } from './budget-staleness.ts';
import type { RateRange } from './count-range.ts';

/** A time between two bounds, ms. */
export interface Bound {
  /** Holds whatever burst comes, by the server's own rule, as long as the resource is never quieter than it was. 0: no rule gives more. */
  guaranteedMs: number;
  /** Holds at the present rate; never below `guaranteedMs`. */
  atLeastMs: number;
  /** Surely over by then, at the present rate. undefined: nothing that was measured bounds it. */
  atMostMs?: number;
}

/** A time that was measured: it lies somewhere in between. */
export interface Between {
  atLeastMs?: number;
  atMostMs?: number;
}

/** What is known of an endpoint. Whatever is left out is not known, and the budget is wider for it. */
export interface BudgetInput {
  /** Served through a watch cache? */
  cached?: boolean;
  /** `watch_cache_capacity`: events that the ring holds. */
  capacity?: number;
  /** `cacheRv − floor` where the floor was seen to move: a ring that loses events is full, and holds no more than that. */
  ringSpan?: number;
  /** How old the newest event was that the ring had already lost (`atMostMs`), and the oldest that it still had. */
  windowAge?: Between;
  /** Changes of the resource, in all namespaces: they are what the ring counts. */
  events?: RateRange;
  /** Changes of everything that is in the same etcd. */
  revisions?: RateRange;
  bookmarks?: {
    /** false: a stream that lived long enough had none. */
    come: boolean;
    /** Longest time between two, where two were seen. */
    everyMs?: number;
  };
  /** The path ends quiet streams after so long, for their silence or their age. */
  cutAfterMs?: number;
  /** `--etcd-compaction-interval`, where somebody knows it: no request tells it. */
  compactEveryMs?: number;
  /** An RV of that age was still held by etcd (`atLeastMs`), one of that age was compacted (`atMostMs`). */
  etcdAge?: Between;
}

export type Refuser = 'watch-cache' | 'etcd' | 'unknown';

/** Something that the budget takes for granted: a name for programs; its words are in budget-words.ts. */
export type Assumption =
  | 'kubernetes-ring'
  | 'ring-breaks-rule'
  | 'ring-at-bound'
  | 'capacity-unknown'
  | 'rate-unknown'
  | 'bookmarks-unseen'
  | 'no-bookmarks'
  | 'cut-before-bookmark'
  | 'compaction-told'
  | 'compaction-default'
  | 'compaction-measured'
  | 'compaction-unseen'
  | 'cached-unknown';

export interface Budget {
  /** Who will say 410. */
  refusedBy: Refuser;
  /** From the moment that an RV is no longer the newest until a watch from it is refused. */
  history: Bound;
  /** Changes of the resource that an RV survives in any case, however fast they come. */
  survivesChanges: number;
  /** How old the RV may be that a client resumes from, at the moment it is cut off: `atMostMs` only where it is bounded. */
  staleness: { bookmarks: Between; noBookmarks: Between };
  /**
   * How long it may be away. `current`: it had seen the resource's newest change (a watch of everything that is up to date).
   * The others: a quiet or filtered watch, whose own events are rare while others change.
   */
  away: { current: Bound; bookmarks: Bound; noBookmarks: Bound };
  assumes: readonly Assumption[];
}

/** How long a client may be away. Total: any input gives a budget, and what is missing only makes it wider. */
export function budgetOf(input: BudgetInput): Budget {
  const cache = cacheHistory(input);
  const etcd = etcdHistory(input);
  const bookmarks = staleness(input);
  const of = input.cached === undefined ? [cache, etcd] : input.cached ? [cache] : [etcd];
  const history = of.map((one) => one.history).reduce(wider);
  return {
    refusedBy: input.cached === undefined ? 'unknown' : input.cached ? 'watch-cache' : 'etcd',
    history,
    survivesChanges: Math.min(...of.map((one) => one.survivesChanges)),
    staleness: { bookmarks: bookmarks.bookmarks, noBookmarks: {} },
    away: {
      current: history,
      bookmarks: olderBy(history, bookmarks.bookmarks.atMostMs),
      noBookmarks: olderBy(history, undefined),
    },
    assumes: [
      ...(input.cached === undefined ? (['cached-unknown'] as const) : []),
      ...of.flatMap((one) => one.assumes),
      ...bookmarks.assumes,
    ],
  };
}

/** What either of two allows. */
function wider(one: Bound, other: Bound): Bound {
  const most =
    one.atMostMs === undefined || other.atMostMs === undefined ? undefined : Math.max(one.atMostMs, other.atMostMs);
  return {
    guaranteedMs: Math.min(one.guaranteedMs, other.guaranteedMs),
    atLeastMs: Math.min(one.atLeastMs, other.atLeastMs),
    ...(most === undefined ? {} : { atMostMs: most }),
  };
}

/** What is left to a client whose RV may already be so old when it goes. `atMostMs` stays: it may also have been new. */
function olderBy(history: Bound, staleMs: number | undefined): Bound {
  const left = (ms: number) => (staleMs === undefined ? 0 : Math.max(0, ms - staleMs));
  return { ...history, guaranteedMs: left(history.guaranteedMs), atLeastMs: left(history.atLeastMs) };
}
