import { revisionsApart } from '../protocol/resource-version.ts';
import type { Between } from './budget.ts';
import { FRESH_MS, quietGapMs } from './budget-cache.ts';
import { COMPACTION_DEFAULT_MS } from './budget-etcd.ts';
import type { Said } from './check.ts';
import { clumping, type RateRange, rateRange } from './count-range.ts';
import { BUCKET_MS, type DeepFacts } from './deep-facts.ts';
import { measured } from './times.ts';
import { floorMoves, windowAge } from './window-age.ts';

const EVENTS = 'apiserver_watch_cache_events_received_total';
const STARTS = 'apiserver_watch_cache_initializations_total';
const CAPACITY = 'watch_cache_capacity';

/** How far back in time the window reaches: from floors seen, and RVs whose age is known. */
export function windowReach(facts: DeepFacts): Said {
  if (facts.cached === false)
    return { result: 'info', answer: 'no window: this resource has no watch cache', facts: {} };
  if (facts.floors.length === 0) return { result: 'skip', answer: 'no floor was told', facts: {} };
  const { atLeastMs = 0, atMostMs } = windowAge(facts.newest, facts.floors);
  const said = {
    at_least_ms: Math.round(atLeastMs),
    ...(atMostMs === undefined ? {} : { at_most_ms: Math.round(atMostMs) }),
  };
  if (rebuilt(facts)) {
    return {
      result: 'warn',
      answer: 'the cache was rebuilt meanwhile: every RV from before is refused',
      detail: 'Its counter of initialisations rose, so the floor jumped and did not creep.',
      next: 'look for a restart of the apiserver, or a change of the CRD',
      facts: { ...said, rebuilt: true },
    };
  }
  if (atMostMs === undefined) {
    return {
      result: 'info',
      answer: `reaches back at least ${measured(atLeastMs)}: no RV that we saw was lost meanwhile`,
      facts: said,
    };
  }
  const answer = `reaches back between ${measured(atLeastMs)} and ${measured(atMostMs)} at the present write rate`;
  // An RV goes with the last event before it, which may be older than the RV by the longest quiet.
  if (atMostMs >= FRESH_MS - quietGapMs(eventsPerSecond(facts)?.rate)) return { result: 'info', answer, facts: said };
  if (!floorMoves(facts.floors)) {
    return {
      result: 'warn',
      answer: `an RV of ${measured(atMostMs)} was refused by an apiserver whose floor stood still`,
      detail: 'It has a younger cache than another one: it started, or rebuilt its cache, a short while ago.',
      facts: said,
    };
  }
  return {
    result: 'warn',
    answer,
    detail:
      'A kube-apiserver’s ring grows rather than lose an event younger than 75 s, unless it holds 102,400 already: this one is pinned, at its bound, or another server’s.',
    next: 'clients that are away for longer must relist; see the budget',
    facts: said,
  };
}

/** How many revisions a second, and how many changes of the resource. */
export function writeRate(facts: DeepFacts): Said {
  const revisions = revisionsPerSecond(facts);
  const events = eventsPerSecond(facts);
  if (!revisions && !events) return { result: 'skip', answer: 'no revision could be read', facts: {} };
  const parts = [
    ...(events
      ? [`${rangeWords(events.rate)} changes of the resource a second${events.exact ? '' : ' (not all of it is seen)'}`]
      : []),
    ...(revisions ? [`${rangeWords(revisions)} revisions a second in all`] : []),
  ];
  return {
    result: 'info',
    answer: parts.join(', '),
    facts: {
      ...(events ? { events_per_s_low: round(events.rate.low), events_per_s_high: round(events.rate.high) } : {}),
      ...(revisions ? { revisions_per_s_low: round(revisions.low), revisions_per_s_high: round(revisions.high) } : {}),
    },
  };
}

/** Which of the RVs that we knew etcd still holds. */
export function etcdHistory(facts: DeepFacts): Said {
  const { atLeastMs, atMostMs } = etcdAge(facts);
  if (atLeastMs === undefined && atMostMs === undefined) {
    return { result: 'skip', answer: 'etcd did not tell whether it holds an RV', facts: {} };
  }
  const held = atLeastMs === undefined ? 'nothing that we knew' : `an RV of ${measured(atLeastMs)}`;
  const gone = atMostMs === undefined ? '' : `; one of ${measured(atMostMs)} is compacted`;
  return {
    result: 'info',
    answer: `still holds ${held}${gone}`,
    detail:
      atMostMs !== undefined && atMostMs < COMPACTION_DEFAULT_MS
        ? 'With the apiserver’s default interval of 5 m none would be gone so soon: another interval, or somebody compacts besides.'
        : 'By default the apiserver compacts every 5 m, so history lasts 5 to 10 m. The interval itself no request tells.',
    facts: {
      ...(atLeastMs === undefined ? {} : { held_ms: Math.round(atLeastMs) }),
      ...(atMostMs === undefined ? {} : { compacted_ms: Math.round(atMostMs) }),
    },
  };
}

export function etcdAge({ etcd }: DeepFacts): Between {
  const held = etcd.filter((one) => one.held).map(({ known, askedAt }) => askedAt - known.answeredAt);
  const gone = etcd.filter((one) => !one.held).map(({ known, answeredAt }) => answeredAt - known.askedAt);
  return {
    ...(held.length > 0 ? { atLeastMs: Math.max(...held) } : {}),
    ...(gone.length > 0 ? { atMostMs: Math.min(...gone) } : {}),
  };
}

/**
 * Changes of the resource a second. `exact`: all of them; else only those that our watch is of. What was counted within less than
 * BUCKET_MS tells of no rate.
 */
export function eventsPerSecond(facts: DeepFacts): { rate: RateRange; exact: boolean } | undefined {
  const clump = clumping(facts.eventCounts);
  const counted = countedEvents(facts);
  if (counted) return { rate: rateRange(counted.events, counted.withinMs, clump), exact: true };
  const withinMs = facts.eventCounts.length * BUCKET_MS;
  if (withinMs === 0) return undefined;
  const seen = facts.eventCounts.reduce((sum, count) => sum + count, 0);
  return { rate: rateRange(seen, withinMs, clump), exact: facts.seesAll };
}

/** By the cache's own counter; one that fell is another apiserver's, or of one that started anew. */
function countedEvents(facts: DeepFacts): { events: number; withinMs: number } | undefined {
  const [first, last] = [facts.counters[0], facts.counters.at(-1)];
  const [from, to] = [first?.samples[EVENTS], last?.samples[EVENTS]];
  if (!first || !last || from === undefined || to === undefined || to < from || rebuilt(facts)) return undefined;
  const withinMs = last.at - first.at;
  return withinMs < BUCKET_MS ? undefined : { events: to - from, withinMs };
}

export function revisionsPerSecond({ heads }: DeepFacts): RateRange | undefined {
  const [first, last] = [heads[0], heads.at(-1)];
  if (!first || !last || last.answeredAt - first.askedAt < BUCKET_MS) return undefined;
  const apart = revisionsApart(first.rv, last.rv);
  if (apart === undefined || apart < 0) return undefined;
  const steps = heads.slice(1).map(({ rv }, index) => revisionsApart((heads[index] as { rv: string }).rv, rv) ?? 0);
  return rateRange(apart, last.answeredAt - first.askedAt, clumping(steps));
}

/** `watch_cache_capacity` at the end. */
export function capacityOf({ counters }: DeepFacts): number | undefined {
  return counters.at(-1)?.samples[CAPACITY];
}

/** True where the cache was filled anew meanwhile, or the counters are of two apiservers. */
export function rebuilt({ counters }: DeepFacts): boolean {
  const counts = counters.map(({ samples }) => `${samples[STARTS]} ${samples.process_start_time_seconds}`);
  return new Set(counts).size > 1;
}

/** Revisions in the window, where the floor was seen to move: the cache's RV is read after the floor, so there are no more. */
export function ringSpan({ floors, newest }: DeepFacts): number | undefined {
  const floor = floors.at(-1);
  const head = newest.find(({ askedAt }) => floor !== undefined && askedAt >= floor.answeredAt);
  if (!floor || !head || !floorMoves(floors)) return undefined;
  const span = revisionsApart(floor.floor, head.rv);
  // Below its floor: another apiserver's, which lags.
  return span === undefined || span < 0 ? undefined : span;
}

const round = (value: number) => Math.round(value * 1000) / 1000;

function rangeWords({ low, high }: RateRange): string {
  const digits = (value: number) => (value < 9.95 ? value.toFixed(value < 0.0995 ? 2 : 1) : String(Math.round(value)));
  const [one, other] = [digits(low), digits(high)];
  return one === other ? one : `${one} to ${other}`;
}
