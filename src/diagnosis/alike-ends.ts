import type { StreamFacts } from '../client/facts.ts';
import { firstIndex } from './first-index.ts';
import { once, oncePerLine, type Place, type Scene } from './scene.ts';
import { ageMs, alike, endedEarlyByServer, idleMs, isCut, plannedBy, TOGETHER_MS, wasLive } from './signs.ts';

/** Ends of one target that came after the same silence, or at the same age: what the patterns of timers are made of. */

/** So many samples are looked at: more would not be told. */
const MAX_MOMENTS = 6;
/** Silences below this are no idle timer that anybody configures (the shortest known default is 5 s). */
const SHORTEST_IDLE_TIMER_MS = 5_000;

/** Cuts of this target, this one among them, whose silence was the same. Shorter ones than any timer do not count. */
export function sameSilence(place: Place): readonly StreamFacts[] {
  const { stream } = place;
  if (stream?.endedAt === undefined) return [];
  return alikesOf(oncePerLine(place, unplannedEnds).bySilence, idleMs(stream, stream.endedAt));
}

/**
 * Cuts of all targets whose silence was the same, the first of each moment: what is cut together may have been cut
 * by one thing that is no timer. Empty where another cut of the run came after another silence, or nothing else was alike.
 */
export function sameSilenceElsewhere(place: Place): readonly StreamFacts[] {
  const { stream, scene } = place;
  if (stream?.endedAt === undefined) return [];
  const { bySilence } = once(scene, unplannedEndsOfRun);
  const alikes = alikesOf(bySilence, idleMs(stream, stream.endedAt));
  if (alikes.length < 2 || alikes.length < bySilence.ends.length) return [];
  const known = bySilence.moments.get(alikes) ?? momentsOf(alikes);
  bySilence.moments.set(alikes, known);
  return known.length > 1 ? known : [];
}

/** The first end of each moment. */
function momentsOf(ends: readonly StreamFacts[]): StreamFacts[] {
  const moments: StreamFacts[] = [];
  for (const one of [...ends].sort((a, b) => endOf(a) - endOf(b))) {
    const last = moments.at(-1);
    if (last === undefined || endOf(one) - endOf(last) > TOGETHER_MS) moments.push(one);
  }
  return moments.slice(0, MAX_MOMENTS);
}

function endOf({ endedAt = 0 }: StreamFacts): number {
  return endedAt;
}

/** Unplanned ends of this target, this one among them, at the same age. */
export function sameAge(place: Place): readonly StreamFacts[] {
  const { stream } = place;
  if (stream?.endedAt === undefined) return [];
  return alikesOf(oncePerLine(place, unplannedEnds).byAge, ageMs(stream, stream.endedAt));
}

/** Ends in the order of time, and the same by one of their lengths, ms: what is alike is a range of neighbours there. */
interface Lengths {
  ends: readonly StreamFacts[];
  /** Sorted. */
  lengths: readonly number[];
  /** Where each end stands among them. */
  ranks: readonly number[];
  /** By the range: ends of one pattern have one, and so one list. */
  known: Map<string, readonly StreamFacts[]>;
  /** The moments of such a list. */
  moments: Map<readonly StreamFacts[], readonly StreamFacts[]>;
}

function alikesOf({ ends, lengths, ranks, known }: Lengths, length: number): readonly StreamFacts[] {
  if (length < SHORTEST_IDLE_TIMER_MS) return [];
  const from = firstIndex(lengths, (other) => other >= length || alike(other, length));
  const to = firstIndex(lengths, (other) => other > length && !alike(other, length));
  const range = `${from}-${to}`;
  const found = known.get(range) ?? ends.filter((_, index) => ranks[index]! >= from && ranks[index]! < to);
  known.set(range, found);
  return found;
}

function lengthsOf(ends: readonly StreamFacts[], of: (stream: StreamFacts, now: number) => number): Lengths {
  const sorted = ends
    .map((stream, index) => ({ index, length: of(stream, stream.endedAt ?? 0) }))
    .sort((a, b) => a.length - b.length);
  const ranks: number[] = [];
  sorted.forEach(({ index }, rank) => {
    ranks[index] = rank;
  });
  return { ends, lengths: sorted.map(({ length }) => length), ranks, known: new Map(), moments: new Map() };
}

interface UnplannedEnds {
  byAge: Lengths;
  /** Cuts only, and those between two frames. */
  bySilence: Lengths;
}

/** The ends of the line that no timer of the watch itself explains. */
function unplannedEnds({ line }: Place): UnplannedEnds {
  return unplannedOf(line.flatMap(({ stream }) => (stream ? [stream] : [])));
}

function unplannedEndsOfRun({ run }: Scene): UnplannedEnds {
  return unplannedOf(run.streams);
}

function unplannedOf(streams: readonly StreamFacts[]): UnplannedEnds {
  const ends = streams.filter(isUnplannedEnd);
  const cuts = ends.filter((stream) => isCut(stream) && stream.tailBytes === 0);
  return { byAge: lengthsOf(ends, ageMs), bySilence: lengthsOf(cuts, idleMs) };
}

function isUnplannedEnd(stream: StreamFacts): boolean {
  return wasLive(stream) && (isCut(stream) || endedEarlyByServer(stream)) && plannedBy(stream) === undefined;
}
