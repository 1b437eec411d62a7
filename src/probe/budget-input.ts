import type { BudgetInput } from './budget.ts';
import type { RateRange } from './count-range.ts';
import { bookmarksCome, longestGapMs } from './deep-bookmarks.ts';
import { confirmedCutMs } from './deep-cuts.ts';
import type { DeepFacts } from './deep-facts.ts';
import { capacityOf, etcdAge, eventsPerSecond, rebuilt, revisionsPerSecond, ringSpan } from './deep-window.ts';
import { floorMoves, windowAge } from './window-age.ts';

/** What the quick half knows that a budget is made of. */
export interface QuickMeasured {
  cached?: boolean;
  /** `watch_cache_capacity`, where /metrics could be read. */
  capacity?: number;
  /** Revisions a second, from two readings of etcd's RV: the resource cannot change more often. */
  revisions?: RateRange;
}

/** Everything that was measured, as the budget takes it. What the deep half saw counts more. */
export function budgetInput(quick: QuickMeasured, deep?: DeepFacts): BudgetInput {
  const { cached, capacity, revisions } = quick;
  return {
    ...(cached === undefined ? {} : { cached }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(revisions === undefined ? {} : { revisions, events: { ...revisions, low: 0 } }),
    ...(deep ? deepInput(deep) : {}),
  };
}

function deepInput(facts: DeepFacts): BudgetInput {
  const revisions = revisionsPerSecond(facts);
  const events = eventRange(facts, revisions);
  const capacity = capacityOf(facts);
  const span = ringSpan(facts);
  const come = bookmarksCome(facts);
  const everyMs = longestGapMs(facts);
  const cutAfterMs = confirmedCutMs(facts);
  // A floor that jumped with a rebuild, or belongs to a younger apiserver, says nothing of how the ring ages.
  const ages = floorMoves(facts.floors) && !rebuilt(facts);
  return {
    etcdAge: etcdAge(facts),
    ...(revisions ? { revisions } : {}),
    ...(events ? { events } : {}),
    ...(capacity === undefined ? {} : { capacity }),
    ...(span === undefined || rebuilt(facts) ? {} : { ringSpan: span }),
    ...(ages ? { windowAge: windowAge(facts.newest, facts.floors) } : {}),
    ...(come === undefined ? {} : { bookmarks: { come, ...(everyMs === undefined ? {} : { everyMs }) } }),
    ...(cutAfterMs === undefined ? {} : { cutAfterMs }),
  };
}

/** Changes of the resource: counted, or between those that were seen and all there were. */
function eventRange(facts: DeepFacts, revisions: RateRange | undefined): RateRange | undefined {
  const events = eventsPerSecond(facts);
  if (!events || events.exact) return events?.rate;
  return { ...events.rate, high: Math.max(events.rate.high, revisions?.high ?? Number.POSITIVE_INFINITY) };
}
