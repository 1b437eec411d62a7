import type { ProbeAnswer, StreamFacts } from '../client/facts.ts';
import { compareRv } from '../protocol/resource-version.ts';
import { answerOf } from './answer.ts';
import { type FloorSigns, refusedAt } from './floor-signs.ts';
import { NOT_READY } from './known-texts.ts';
import { type Attempt, type Place, sameResource } from './scene.ts';
import { endedEarlyByServer, gotNoAnswer, TOGETHER_MS, wasLive } from './signs.ts';

/** Why a rebuild of the cache cannot have made this 410. */
export type RuledOutBy =
  | { by: 'sibling'; stream: number }
  | { by: 'counter'; value: number }
  | { by: 'moving floor'; floors: string[] }
  | { by: 'floor had passed'; floor: string }
  | { by: 'floor below known head'; head: string };

export interface RebuildSigns {
  /** The server ended the stream that had given R early, properly, without ERROR, and the resume at once is refused. */
  seen: boolean;
  ruledOut: RuledOutBy[];
  /** The initialisations counter rose from one reading to the next, across the refusal. */
  counterRose?: { from: number; to: number };
  /** The apiserver that answered /metrics started after R was given. */
  restartedAt?: number;
  /** Connections were refused between the end and the 410. */
  refusedBetween: number;
}

/** A resume counts as made at once within so long; our own back-off and a slow connect fit in. */
const AT_ONCE_MS = 5_000;
/** An apiserver that ends in order and comes back does so within so long (container restart and start-up). */
const RESTART_MS = 60_000;
/** Nothing came from a sibling since, but it is still open: a rebuilt cache would have ended it long before. */
const STILL_OPEN_MS = 15_000;

const INITIALIZATIONS = [
  'apiserver_watch_cache_initializations_total',
  'watch_cache_watch_cache_initializations_total',
] as const;

export function rebuildSigns(
  place: Place,
  giver: StreamFacts | undefined,
  requested: string | undefined,
  floor: string | undefined,
  floors: FloorSigns,
): RebuildSigns {
  const between = giver ? attemptsBetween(place, giver) : [];
  const refusedBetween = between.filter(gotNoAnswer).length;
  const seen = giver !== undefined && endedEarlyByServer(giver) && resumedAtOnce(place, giver, between);
  const from = giver ? lifeOf(giver) : place.at;
  // What was learnt just before an early end may be of the new cache already: streams that end together do not end in the
  // same millisecond. An end that we or the clock made has no such blur.
  const before = giver && endedEarlyByServer(giver) ? from - TOGETHER_MS : from;
  const counter = counterSigns(place, { before, after: from }, giver);
  const strong: RuledOutBy[] = [];
  if (giver) {
    const sibling = siblingThatLivedOn(place, before, seen ? from : refusedAt(place));
    if (sibling) strong.push({ by: 'sibling', stream: sibling.stream });
    const passed = floors.differ || requested === undefined ? undefined : floorAbove(floors, requested, before);
    if (passed !== undefined) strong.push({ by: 'floor had passed', floor: passed });
    const head = floor === undefined ? undefined : knownHead(place, before, floor);
    if (head !== undefined) strong.push({ by: 'floor below known head', head });
  }
  const rest: RuledOutBy[] = [];
  if (counter.still !== undefined) rest.push({ by: 'counter', value: counter.still });
  if (floors.moving) rest.push({ by: 'moving floor', floors: floors.moving });
  const contradiction = counter.rose !== undefined && strong.length > 0;
  return {
    seen,
    // A counter that rose was a rebuild; where a sibling lived through it, they were two apiservers, and neither counts.
    ruledOut: counter.rose ? [] : [...strong, ...rest],
    ...(counter.rose && !contradiction ? { counterRose: counter.rose } : {}),
    ...(counter.restartedAt === undefined ? {} : { restartedAt: counter.restartedAt }),
    refusedBetween,
  };
}

/** A floor above R, told while the stream that held R still lived: the window had slid past it already. */
function floorAbove(floors: FloorSigns, requested: string, until: number): string | undefined {
  return floors.samples.find(({ at, floor }) => at < until && compareRv(requested, floor) === -1)?.floor;
}

/** Until when `giver` proves that no rebuild had ended it. A stream that was cut may have been dead before its cut. */
function lifeOf(giver: StreamFacts): number {
  const end = giver.endedAt ?? giver.askedAt;
  return giver.end === 'eof' || giver.end === 'stopped' ? end : (giver.lastByteAt ?? giver.openedAt ?? end);
}

function attemptsBetween(place: Place, giver: StreamFacts): Attempt[] {
  return place.line
    .slice(0, place.index)
    .filter(({ at, stream }) => at >= (giver.endedAt ?? Infinity) && stream !== giver);
}

/** At once, or held up by nothing but a cache that was not ready, or by an apiserver that was just starting. */
function resumedAtOnce(place: Place, giver: StreamFacts, between: readonly Attempt[]): boolean {
  const away = place.at - (giver.endedAt ?? place.at);
  if (away <= AT_ONCE_MS) return true;
  const waited = between.length > 0 && between.every((one) => isNotReady(one) || gotNoAnswer(one));
  return waited && (away <= RESTART_MS || between.every(isNotReady));
}

function isNotReady(attempt: Attempt): boolean {
  return NOT_READY.test(answerOf(attempt)?.message ?? '');
}

/** Another stream of the resource, open since `since` at the latest, that lives after `until` and was not ended around it. */
function siblingThatLivedOn(place: Place, since: number, until: number): StreamFacts | undefined {
  return place.scene.run.streams.find((other) => {
    if (other.target.index === place.target.index || !sameResource(other.target, place.target)) return false;
    if (!wasLive(other) || other.errorStatus || (other.openedAt ?? Infinity) > since) return false;
    if (other.endedAt !== undefined) return other.endedAt > until + TOGETHER_MS;
    const { now } = place.scene.run;
    const gaveSince = (other.lastByteAt ?? 0) > until;
    return now >= until + (gaveSince ? TOGETHER_MS : STILL_OPEN_MS);
  });
}

interface CounterSigns {
  still?: number;
  rose?: { from: number; to: number };
  restartedAt?: number;
}

/** The counter read before the end and after the refusal, as long as one and the same process answered. */
function counterSigns(
  place: Place,
  end: { before: number; after: number },
  giver: StreamFacts | undefined,
): CounterSigns {
  // The first reading after the refusal: what came later has nothing to do with it.
  const after = firstMetrics(place, (probe) => probe.askedAt >= end.after && probe.answeredAt >= place.at);
  const restartedAt = after ? startedAt(after) : undefined;
  const { now } = place.scene.run;
  if (giver && restartedAt !== undefined && restartedAt > (giver.openedAt ?? Infinity) && restartedAt <= now) {
    return { restartedAt };
  }
  const before = lastMetrics(place, (probe) => probe.answeredAt <= end.before);
  if (!before || !after || startedAt(before) !== startedAt(after)) return {};
  const [was, is] = [initializations(before), initializations(after)];
  if (was === undefined || is === undefined) return {};
  if (is === was) return { still: is };
  return is > was ? { rose: { from: was, to: is } } : {};
}

type Samples = Record<string, number>;

function lastMetrics(place: Place, fits: (probe: ProbeAnswer) => boolean): Samples | undefined {
  return samplesOf(place.scene.run.probes.findLast((probe) => isMetricsOf(place, probe) && fits(probe)));
}

function firstMetrics(place: Place, fits: (probe: ProbeAnswer) => boolean): Samples | undefined {
  return samplesOf(place.scene.run.probes.find((probe) => isMetricsOf(place, probe) && fits(probe)));
}

function isMetricsOf(place: Place, { outcome, target }: ProbeAnswer): boolean {
  return outcome.kind === 'metrics' && sameResource(target, place.target);
}

function samplesOf(probe: ProbeAnswer | undefined): Samples | undefined {
  return probe?.outcome.kind === 'metrics' ? probe.outcome.samples : undefined;
}

function initializations(samples: Samples): number | undefined {
  return INITIALIZATIONS.map((name) => samples[name]).find((value) => value !== undefined);
}

/** process_start_time_seconds in ms since the epoch. */
function startedAt(samples: Samples): number | undefined {
  const seconds = samples.process_start_time_seconds;
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * An RV of this resource, known before `from`, above the floor. A rebuilt cache starts at a consistent list of its own, so
 * its floor cannot lie below what was already there: this floor belongs to a cache that is older.
 */
function knownHead(place: Place, from: number, floor: string): string | undefined {
  let head: string | undefined;
  const seen = (rv: string | undefined, at: number) => {
    if (rv !== undefined && at < from && compareRv(floor, rv) === -1) head = rv;
  };
  const { run } = place.scene;
  for (const { rv, endedAt, target } of run.lists) if (sameResource(target, place.target)) seen(rv, endedAt);
  for (const { outcome, target, answeredAt } of run.probes) {
    if (outcome.kind === 'rv' && sameResource(target, place.target)) seen(outcome.rv, answeredAt);
  }
  for (const other of run.streams) {
    if (sameResource(other.target, place.target)) seen(other.lastRv, other.lastRvAt ?? Infinity);
  }
  return head;
}

/** Watchers that this apiserver closed for slowness, by how much the counter rose from before `at` to after it. */
export function terminatedWatchers(place: Place, at: number): number {
  const before = lastMetrics(place, (probe) => probe.answeredAt <= at);
  const after = firstMetrics(place, (probe) => probe.askedAt >= at);
  if (!before || !after || startedAt(before) !== startedAt(after)) return 0;
  return Math.max(
    0,
    (after.apiserver_terminated_watchers_total ?? 0) - (before.apiserver_terminated_watchers_total ?? 0),
  );
}
