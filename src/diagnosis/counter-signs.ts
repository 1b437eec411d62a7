import type { StreamFacts } from '../client/facts.ts';
import { compareRv, revisionsApart } from '../protocol/resource-version.ts';
import { type FloorSigns, refusedAt } from './floor-signs.ts';
import { firstAfter, oncePerResource, type Place, sameResource } from './scene.ts';
import { TOGETHER_MS } from './signs.ts';

/** What the counters of /metrics say about one 410, and which process it was that answered. */

/** One answer of /metrics about one resource. */
interface Reading {
  /** When it was asked for, and answered. */
  at: number;
  answeredAt: number;
  samples: Record<string, number>;
}

/** How many apiservers answered around a 410, as far as that shows. */
export type ServersSeen = 'one' | 'several' | 'unknown';

export interface CounterSigns {
  /** It stands at this value before and after. */
  still?: number;
  /** The reading before is of the moment in which R was given, not of before it. */
  closeToR?: true;
  rose?: { from: number; to: number };
  /** The process that answered started after R was given. */
  restartedAt?: number;
}

const INITIALIZATIONS = [
  'apiserver_watch_cache_initializations_total',
  'watch_cache_watch_cache_initializations_total',
] as const;

/**
 * A rise counts where it is known to have happened since R was given: the reading before may be this much older than the stream
 * that gave it, ms. Our first probes and the first stream of a run are asked for in one moment.
 */
const SAME_MOMENT_MS = 1_000;

/**
 * Floors that have to agree with the refusal's, told by probes after it or by siblings that were refused together with it: behind
 * a balancer of two, one connection more leads to the same apiserver every other time.
 */
const FLOORS_AGREEING = 2;

/** The counter read before the end and after the refusal, as long as one and the same process answered. */
export function counterSigns(
  place: Place,
  end: { before: number; after: number },
  giver: StreamFacts | undefined,
): CounterSigns {
  // The first reading after the refusal (which may have waited for the cache): what came later has nothing to do with it.
  const at = refusedAt(place);
  const after = firstReading(place, (one) => one.at >= end.after && one.answeredAt >= at);
  const restartedAt = after && startedAt(after.samples);
  const { now } = place.scene.run;
  const given = giver ? (giver.openedAt ?? giver.askedAt) : (place.stream?.requestedRvAt ?? Infinity);
  if (restartedAt !== undefined && restartedAt > given && restartedAt <= now) return { restartedAt };
  const earlier = lastReading(place, (one) => one.answeredAt <= end.before && one.at < (after?.at ?? 0));
  const before = earlier ?? readingCloseTo(place, given);
  if (!before || !after || startedAt(before.samples) !== startedAt(after.samples)) return {};
  const [was, is] = [initializations(before.samples), initializations(after.samples)];
  if (was === undefined || is === undefined) return {};
  if (is === was) return { still: is, ...(earlier ? {} : { closeToR: true }) };
  // What had been rebuilt before R was given has no part in its refusal.
  return is > was && before.at >= given - SAME_MOMENT_MS ? { rose: { from: was, to: is } } : {};
}

/**
 * A client that leaves at once has no reading of before R was given, only one that was asked for in that moment; it does as well
 * where a floor that was told after it shows that the cache still had R. What came between the two is milliseconds.
 */
function readingCloseTo(place: Place, given: number): Reading | undefined {
  const requested = place.stream?.requestedRv;
  const reading = firstReading(place, (one) => one.at <= given + SAME_MOMENT_MS && one.answeredAt < place.at);
  if (!reading || requested === undefined) return undefined;
  const reached = place.scene.run.probes.some(
    ({ outcome, target, answeredAt }) =>
      outcome.kind === 'floor' &&
      sameResource(target, place.target) &&
      answeredAt >= reading.at &&
      answeredAt < place.at &&
      (compareRv(outcome.floor, requested) ?? 1) <= 0,
  );
  return reached ? reading : undefined;
}

/** Why the counter of initializations decides nothing about a 410. */
export type CounterGap = 'not asked' | 'refused' | 'none before' | 'none after' | 'other process';

export function counterGap(place: Place): CounterGap | undefined {
  const { run } = place.scene;
  if (!run.probing) return 'not asked';
  const all = readings(place).filter(({ samples }) => initializations(samples) !== undefined);
  const at = refusedAt(place);
  const before = all.findLast((one) => one.answeredAt < place.at);
  const after = all.find((one) => one.answeredAt >= at);
  if (before && after) return startedAt(before.samples) === startedAt(after.samples) ? undefined : 'other process';
  const asked = run.probes.some(({ kind, target }) => kind === 'metrics' && sameResource(target, place.target));
  if (!before && !after) return asked ? 'refused' : 'not asked';
  return before ? 'none after' : 'none before';
}

/**
 * Siblings, counters and floors speak of the cache that refused only where one apiserver answers all of them; each connection
 * may have reached another. `several`: floors that fell, or two processes that ran at one time. `one`: the same process told its
 * start time before and after the refusal, and other connections were told the same floor or a higher one. Never a proof, but
 * several apiservers with different histories would show in one of them.
 */
export function serversSeen(place: Place, floors: FloorSigns): ServersSeen {
  if (floors.differ || oncePerResource(place, severalProcesses)) return 'several';
  const at = refusedAt(place);
  const after = firstReading(place, (one) => one.at >= place.at && one.answeredAt >= at);
  const before = lastReading(place, (one) => one.answeredAt <= place.at && one.at < (after?.at ?? 0));
  if (!before || !after || startedAt(before.samples) !== startedAt(after.samples)) return 'unknown';
  const own = place.stream?.stream;
  const agreeing = floors.samples.filter((sample) =>
    sample.stream === undefined
      ? sample.askedAt >= at && sample.at > at
      : sample.stream !== own && Math.abs(sample.at - at) <= TOGETHER_MS,
  );
  return agreeing.length >= FLOORS_AGREEING ? 'one' : 'unknown';
}

/** One that was read later had been running already when another was read: it is no new incarnation of that. */
function severalProcesses(place: Place): boolean {
  const starts = readings(place).flatMap(({ at, samples }) => {
    const start = startedAt(samples);
    return start === undefined ? [] : [{ start, at }];
  });
  return starts.some((later, index) =>
    starts.slice(0, index).some((earlier) => earlier.start !== later.start && later.start < earlier.at),
  );
}

/** Watchers that this apiserver closed for slowness, by how much the counter rose from before `at` to after it. */
export function terminatedWatchers(place: Place, at: number): number {
  const before = lastReading(place, (one) => one.answeredAt <= at)?.samples;
  const after = firstReading(place, (one) => one.at >= at)?.samples;
  if (!before || !after || startedAt(before) !== startedAt(after)) return 0;
  return Math.max(
    0,
    (after.apiserver_terminated_watchers_total ?? 0) - (before.apiserver_terminated_watchers_total ?? 0),
  );
}

/** Slots of the ring, as told last. */
export function latestCapacity(place: Place): number | undefined {
  return capacities(place).at(-1);
}

function capacities(place: Place): readonly number[] {
  return oncePerResource(place, findCapacities);
}

function findCapacities(place: Place): number[] {
  return readings(place).flatMap(({ samples: { watch_cache_capacity: told } }) => (told === undefined ? [] : [told]));
}

/**
 * Since R fewer revisions were written, of all resources together, than the ring of this one holds: it cannot have overwritten
 * what follows R. Known as soon as the LIST after the refusal tells the present revision.
 */
export interface Room {
  revisions: number;
  capacity: number;
}

/** The smallest capacity that was told counts: the ring may have grown since. A LIST without an RV tells etcd's revision. */
export function ringHadRoom(place: Place, requested: string | undefined): Room | undefined {
  const told = capacities(place);
  const head = firstAfter(place, ({ list }) => list?.rv !== undefined)?.list?.rv;
  if (requested === undefined || head === undefined || told.length === 0) return undefined;
  const revisions = Number(revisionsApart(requested, head) ?? Infinity);
  const capacity = Math.min(...told);
  return revisions < capacity ? { revisions, capacity } : undefined;
}

/**
 * A ring that is known to be pinned has turned over by its size alone: above its floor lie as many revisions as it holds, or more. Of
 * one that began anew and is not full yet fewer do.
 */
export function isPinnedAndFull(place: Place, floor: string | undefined): boolean {
  const { pinned } = place.scene;
  const head = firstAfter(place, ({ list }) => list?.rv !== undefined)?.list?.rv;
  if (pinned === undefined || floor === undefined || head === undefined) return false;
  return Number(revisionsApart(floor, head) ?? 0) >= pinned;
}

/** What two readings of one process, before and after the refusal, say of the ring itself. */
export interface RingReadings {
  /** Slots before and after. One that has grown is dynamic, not pinned. */
  grew?: { from: number; to: number };
  /** Changes of this resource in between, all namespaces. */
  changes?: number;
}

export function ringReadings(place: Place): RingReadings {
  const at = refusedAt(place);
  const after = firstReading(place, (one) => one.at >= place.at && one.answeredAt >= at);
  const before = lastReading(place, (one) => one.answeredAt <= place.at && one.at < (after?.at ?? 0));
  if (!before || !after || startedAt(before.samples) !== startedAt(after.samples)) return {};
  const told = (name: string): [number, number] | undefined => {
    const [from, to] = [before.samples[name], after.samples[name]];
    return from === undefined || to === undefined || to < from ? undefined : [from, to];
  };
  const capacity = told('watch_cache_capacity');
  const events = told('apiserver_watch_cache_events_received_total');
  return {
    ...(capacity && capacity[1] > capacity[0] ? { grew: { from: capacity[0], to: capacity[1] } } : {}),
    ...(events ? { changes: events[1] - events[0] } : {}),
  };
}

type Samples = Record<string, number>;

function lastReading(place: Place, fits: (reading: Reading) => boolean): Reading | undefined {
  return readings(place).findLast(fits);
}

function firstReading(place: Place, fits: (reading: Reading) => boolean): Reading | undefined {
  return readings(place).find(fits);
}

/** What /metrics told of this resource, in the order of the facts. */
function readings(place: Place): readonly Reading[] {
  return oncePerResource(place, findReadings);
}

function findReadings({ scene, target }: Place): readonly Reading[] {
  return scene.run.probes.flatMap(({ outcome, target: of, askedAt: at, answeredAt }) =>
    outcome.kind === 'metrics' && sameResource(of, target) ? [{ at, answeredAt, samples: outcome.samples }] : [],
  );
}

function initializations(samples: Samples): number | undefined {
  return INITIALIZATIONS.map((name) => samples[name]).find((value) => value !== undefined);
}

/** process_start_time_seconds in ms since the epoch. */
function startedAt(samples: Samples): number | undefined {
  const seconds = samples.process_start_time_seconds;
  return seconds === undefined ? undefined : seconds * 1000;
}
