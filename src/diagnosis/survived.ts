import type { StreamFacts } from '../client/facts.ts';
import { oncePerLine, type Place } from './scene.ts';
import { ageMs, idleMs, isCut, plannedBy, wasLive } from './signs.ts';

/** Streams of one target that were live, and what all of its ends have in common. */
export interface LineLife {
  live: readonly StreamFacts[];
  /** Cuts, whatever came before them; and those that came just when `timeoutSeconds` was over. */
  cuts: number;
  plannedCuts: number;
  /** The longest silence, and the highest age, of any stream that was opened before the last cut. */
  survivedSilenceMs: number;
  survivedAgeMs: number;
  /** The longest silence of streams opened since: then the timer may have been raised meanwhile. */
  silenceSinceMs: number;
}

/** What the streams of one target lived through, whatever ended them: a timer shorter than that is none. */
export function lifeOfLine(place: Place): LineLife {
  return oncePerLine(place, findLife);
}

function findLife({ scene, line }: Place): LineLife {
  const live = line.flatMap(({ stream }) => (stream && wasLive(stream) ? [stream] : []));
  return { live, ...cutsOf(live), ...survived(live, scene.run.now) };
}

function cutsOf(live: readonly StreamFacts[]): Pick<LineLife, 'cuts' | 'plannedCuts'> {
  let [cuts, plannedCuts] = [0, 0];
  for (const stream of live) {
    if (!isCut(stream)) continue;
    const planned = plannedBy(stream);
    if (planned === undefined) cuts += 1;
    if (planned === 'timeoutSeconds') plannedCuts += 1;
  }
  return { cuts, plannedCuts };
}

function survived(
  live: readonly StreamFacts[],
  now: number,
): Pick<LineLife, 'survivedSilenceMs' | 'survivedAgeMs' | 'silenceSinceMs'> {
  const lastEnd = Math.max(0, ...live.map((one) => (isCut(one) ? (one.endedAt ?? 0) : 0)));
  let [silence, age, since] = [0, 0, 0];
  for (const one of live) {
    // Between bytes, before its end, or lasting.
    const longest = Math.max(one.longestSilenceMs ?? 0, idleMs(one, now));
    if ((one.openedAt ?? 0) >= lastEnd) since = Math.max(since, longest);
    else {
      silence = Math.max(silence, longest);
      age = Math.max(age, ageMs(one, now));
    }
  }
  return { survivedSilenceMs: silence, survivedAgeMs: age, silenceSinceMs: since };
}

/** The longest silence that any stream of the run had lived through before the last of these cuts, and until now, ms. */
export function survivedInRun(
  { scene: { run } }: Place,
  cuts: readonly StreamFacts[],
): { before: number; since: number } {
  const last = Math.max(0, ...cuts.map(({ endedAt = 0 }) => endedAt));
  let [before, since] = [0, 0];
  for (const stream of run.streams) {
    if (!wasLive(stream) || cuts.includes(stream)) continue;
    const idle = idleMs(stream, run.now);
    const silentFrom = (stream.endedAt ?? run.now) - idle;
    const earlier = (stream.openedAt ?? last) < last ? (stream.longestSilenceMs ?? 0) : 0;
    before = Math.max(before, earlier, Math.min(idle, last - silentFrom));
    since = Math.max(since, idle, stream.longestSilenceMs ?? 0);
  }
  return { before, since };
}

/** Three random ends between 30 and 60 min come within this share of their age by chance once in 800 times. */
const SAME_DEFAULT_SHARE = 0.015;

/** The ends at the server's own limit, where this is one and all of them came at one age: that limit differs each time. */
export function sameDefaultAge(place: Place): readonly StreamFacts[] | undefined {
  const { stream } = place;
  if (stream === undefined || plannedBy(stream) !== 'server default') return undefined;
  return oncePerLine(place, alikeDefaults) ?? [stream];
}

/** null: they differ. */
function alikeDefaults(place: Place): readonly StreamFacts[] | null {
  const ends = lifeOfLine(place).live.filter((one) => plannedBy(one) === 'server default');
  const all = ends.map((one) => ageMs(one, one.endedAt ?? 0));
  return Math.max(...all) - Math.min(...all) <= SAME_DEFAULT_SHARE * Math.max(...all) ? ends : null;
}
