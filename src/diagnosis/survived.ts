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

/** The longest silence that any other stream of the run lived through, ms. */
export function survivedInRun({ scene: { run } }: Place, but: readonly StreamFacts[]): number {
  let longest = 0;
  for (const stream of run.streams) {
    if (!wasLive(stream)) continue;
    longest = Math.max(longest, stream.longestSilenceMs ?? 0, but.includes(stream) ? 0 : idleMs(stream, run.now));
  }
  return longest;
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
