import type { Assumption, Bound, BudgetInput } from './budget.ts';
import { quietGapMs } from './budget-cache.ts';

/** kube-apiserver `--etcd-compaction-interval`, its default, ms. No request of the API tells it. */
export const COMPACTION_DEFAULT_MS = 300_000;

interface Interval {
  low: number;
  high: number | undefined;
  assumes: Assumption;
}

/**
 * From the first write after an RV, whoever's it is, to its compaction, where etcd itself serves. Each interval the apiserver
 * compacts to the revision that it had remembered one interval ago (etcd3/compact.go; facts/server §4.3), so an RV is gone in the
 * second round after the write that followed it: after one interval at least, two at most. The compactor itself writes once in each
 * interval, also where nobody else does.
 */
export function etcdHistory(input: BudgetInput): { history: Bound; survivesChanges: number; assumes: Assumption[] } {
  const { low, high, assumes } = intervalOf(input);
  const atMostMs = high === undefined ? undefined : 2 * high + Math.min(high, quietGapMs(input.revisions));
  return {
    history: { guaranteedMs: low, atLeastMs: low, ...(atMostMs === undefined ? {} : { atMostMs }) },
    survivesChanges: 0,
    assumes: [assumes],
  };
}

/**
 * History is never shorter than one interval and never longer than two. So an RV of age `a` that was still held makes the interval
 * at least a/2, one of age `g` that was gone makes it at most g. The default is named, and never taken for granted.
 */
function intervalOf({ compactEveryMs, etcdAge }: BudgetInput): Interval {
  const low = (etcdAge?.atLeastMs ?? 0) / 2;
  const high = etcdAge?.atMostMs;
  const fits = (ms: number) => low <= ms && (high === undefined || ms <= high);
  if (compactEveryMs !== undefined && fits(compactEveryMs)) {
    return { low: compactEveryMs, high: compactEveryMs, assumes: 'compaction-told' };
  }
  if (fits(COMPACTION_DEFAULT_MS)) return { low, high, assumes: 'compaction-default' };
  // Somebody set another interval, or compacts besides.
  if (high === undefined) return { low, high, assumes: 'compaction-unseen' };
  return { low: Math.min(low, high), high: Math.max(low, high), assumes: 'compaction-measured' };
}
