import type { Assumption, Between, Bound, Budget, Refuser } from './budget.ts';
import { FRESH_MS } from './budget-cache.ts';
import { COMPACTION_DEFAULT_MS } from './budget-etcd.ts';
import { down, up } from './times.ts';

/** A budget for people: a row a client, what it will be told, and what all of this takes for granted. One line each. */
export interface BudgetWords {
  rows: { client: string; away: string }[];
  meets: string;
  notes: string[];
}

export function budgetWords(budget: Budget): BudgetWords {
  const { away, staleness, assumes, refusedBy, survivesChanges } = budget;
  return {
    rows: [
      { client: 'up to date when it is cut off', away: awayWords(away.current) },
      { client: `quiet or filtered, bookmarks (${staleWords(staleness.bookmarks)})`, away: awayWords(away.bookmarks) },
      { client: 'quiet or filtered, no bookmarks (RV of any age)', away: awayWords(away.noBookmarks) },
    ],
    meets: MEETS[refusedBy],
    notes: [
      ...(survivesChanges > 0
        ? [
            `An RV that is up to date survives the next ${survivesChanges} changes of the resource, however fast they come.`,
          ]
        : []),
      ...assumes.map((one) => ASSUMES[one]),
      ...(refusedBy === 'etcd' ? [] : [REBUILD]),
    ],
  };
}

/** `58 s whatever burst comes, 1 m 19 s at the present write rate; refused after 2 m 3 s at most`. */
function awayWords({ guaranteedMs, atLeastMs, atMostMs }: Bound): string {
  const sure = guaranteedMs >= 1000 ? [`${down(guaranteedMs)} whatever burst comes`] : [];
  const more = atLeastMs >= 1000 && down(atLeastMs) !== down(guaranteedMs);
  const safe = [...sure, ...(more ? [`${down(atLeastMs)} at the present write rate`] : [])].join(', ');
  const late = atMostMs === undefined ? 'no upper bound is known' : `refused after ${up(atMostMs)} at most`;
  return `${safe === '' ? 'no time is certain' : safe}; ${late}`;
}

function staleWords({ atMostMs }: Between): string {
  return atMostMs === undefined ? 'none come: RV of any age' : `RV up to ${up(atMostMs)} old`;
}

const MEETS: Record<Refuser, string> = {
  'watch-cache':
    'Refused with "too old resource version": the ring has moved on (ring-buffer-expiry). Compaction of etcd is not asked, so it harms only where the apiserver was cut off from etcd meanwhile.',
  etcd: 'Refused with "The resourceVersion for the provided watch is too old.": etcd has compacted it (upstream-compaction). There are no bookmarks here.',
  unknown: 'Whether the resource has a watch cache is not known, so neither is who will refuse: the ring or etcd.',
};

const REBUILD =
  'None of this survives a rebuild of the cache (the apiserver restarts, a CRD changes, its own watch breaks): then every RV from before is refused at once. Of several apiservers the one with the highest floor counts.';

const ASSUMES: Record<Assumption, string> = {
  'kubernetes-ring': `The ring is taken to follow kube-apiserver's rule: it grows rather than lose an event younger than ${down(FRESH_MS)}. An RV goes with the last event before it, so after a quiet time a burst of 100 changes can end it at once.`,
  'ring-breaks-rule': `The ring lost events younger than ${down(FRESH_MS)}, or has a size that no doubling gives: it is not kube-apiserver's, so nothing holds at every write rate.`,
  'ring-at-bound': 'So many changes a second fill the largest ring in less than 75 s: it can no longer grow.',
  'capacity-unknown':
    "The ring's capacity is not known (/metrics): it may be larger than it need be, from a busier time.",
  'rate-unknown':
    'The write rate of the resource was not measured: only what holds at any rate is told (--deep measures it).',
  'bookmarks-unseen': 'Bookmarks are taken to come each minute, as kube-apiserver sends them; --deep looks.',
  'no-bookmarks': 'A stream that lived long enough had no bookmark: allowing them is of no use on this path.',
  'cut-before-bookmark': 'The path ends quiet streams before their first bookmark: allowing them is of no use on it.',
  'compaction-told': 'The compaction interval is the one that was given.',
  'compaction-default': `No request tells the compaction interval. Its default is ${down(COMPACTION_DEFAULT_MS)}: with it history lasts ${down(COMPACTION_DEFAULT_MS)} to ${down(2 * COMPACTION_DEFAULT_MS)}, and nothing here contradicts that.`,
  'compaction-measured':
    'RVs were compacted sooner than the default interval of 5 m does: another interval, or etcd compacts on its own.',
  'compaction-unseen': 'RVs far older than 10 m were still there: the apiserver compacts rarely or not at all.',
  'cached-unknown': 'Whether a watch cache serves the resource could not be told.',
};
