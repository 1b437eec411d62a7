import { compareRv } from '../protocol/resource-version.ts';
import { answerOf } from './answer.ts';
import { firstIndex } from './first-index.ts';
import { goneText } from './known-texts.ts';
import { oncePerResource, type Place, sameResource } from './scene.ts';

/** One answer that told a floor: the lowest RV from which a watch of this resource could have started just then. */
export interface FloorSample {
  askedAt: number;
  /** When it was answered. */
  at: number;
  /** The stream that was refused with it; undefined: a probe's. */
  stream?: number;
  floor: string;
}

export interface FloorSigns {
  /** In the order of time, at most `MAX_SAMPLES` around this 410. */
  samples: FloorSample[];
  /** A floor never falls in one cache: two answers that disagree came from two apiservers. */
  differ?: { low: string; high: string };
  /** Floors after the refusal that rose with the writes, this 410's own first: the ring turns. */
  moving?: string[];
}

/** Samples that one 410 looks at; the nearest ones in time, half of them before it. */
const MAX_SAMPLES = 24;
/** Answers belong to one moment where they are no further apart (contract §4: one window probe in 30 s). */
const ONE_MOMENT_MS = 45_000;
/** The floor moves with the writes: it rose so often since the refusal. Once may be the first eviction after a rebuild. */
const RISES = 2;
/**
 * A cache that was rebuilt drops no event for so long (upstream eventFreshDuration, facts/server §3.3), so a floor that moves
 * within it speaks against a rebuild; later it says nothing, since a rebuilt ring fills and turns as well.
 */
const FRESH_MS = 75_000;

export function floorSigns(place: Place, floor: string | undefined): FloorSigns {
  if (floor === undefined) return { samples: [] };
  const at = refusedAt(place);
  const samples = floorSamples(place);
  const differ = disagreement(samples, at);
  const moving = risesAfter(samples, at, floor);
  return {
    samples,
    ...(differ ? { differ } : {}),
    ...(moving.length > RISES ? { moving } : {}),
  };
}

/** When the refusal was received. */
export function refusedAt({ stream, list, at }: Place): number {
  return stream?.errorAt ?? stream?.openedAt ?? stream?.endedAt ?? list?.endedAt ?? at;
}

/** The floors told for this resource that are nearest to the refusal, in the order of time. */
function floorSamples(place: Place): FloorSample[] {
  const all = oncePerResource(place, allFloors);
  const at = refusedAt(place);
  const middle = firstIndex(all, (sample) => sample.at > at);
  return all.slice(Math.max(0, middle - MAX_SAMPLES / 2), middle + MAX_SAMPLES / 2);
}

/** Floors told by window probes and by text A. */
function allFloors(place: Place): FloorSample[] {
  const { run } = place.scene;
  const samples: FloorSample[] = [];
  for (const { kind, outcome, target, askedAt, answeredAt: at } of run.probes) {
    if (kind !== 'window' || !sameResource(target, place.target)) continue;
    if (outcome.kind === 'floor') samples.push({ askedAt, at, floor: outcome.floor });
    // It opened at RV 1: nothing was ever dropped there.
    if (outcome.kind === 'open') samples.push({ askedAt, at, floor: '1' });
  }
  for (const stream of run.streams) {
    if (!stream.errorStatus || !sameResource(stream.target, place.target)) continue;
    const told = goneText(answerOf({ at: stream.askedAt, stream })?.message ?? '').floor;
    const { askedAt, errorAt: at = askedAt } = stream;
    if (told !== undefined) samples.push({ askedAt, at, floor: told, stream: stream.stream });
  }
  return samples.sort((a, b) => a.at - b.at || a.askedAt - b.askedAt);
}

/**
 * An earlier floor above a later one, both told around the refusal. Earlier is what had been answered when the other was asked:
 * two that were under way together tell nothing, however their answers came in.
 */
function disagreement(samples: readonly FloorSample[], at: number): { low: string; high: string } | undefined {
  const near = samples.filter((sample) => Math.abs(sample.at - at) <= ONE_MOMENT_MS);
  for (const later of near) {
    const earlier = near.find(
      (one) => one !== later && one.at <= later.askedAt && compareRv(later.floor, one.floor) === -1,
    );
    if (earlier) return { low: later.floor, high: earlier.floor };
  }
  return undefined;
}

/** The refusal's floor and the strictly higher ones told after it. */
function risesAfter(samples: readonly FloorSample[], at: number, floor: string): string[] {
  const rises = [floor];
  for (const sample of samples) {
    if (sample.at >= at && sample.at - at < FRESH_MS && compareRv(rises.at(-1)!, sample.floor) === -1)
      rises.push(sample.floor);
  }
  return rises;
}
