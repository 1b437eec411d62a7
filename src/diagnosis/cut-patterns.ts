import type { StreamFacts } from '../client/facts.ts';
import type { EndSigns } from './end-signs.ts';
import { ageMs, alike, idleMs, isCut, median, oneLength } from './signs.ts';
import { survivedInRun } from './survived.ts';

/** Several ends judged together: whether one timer made them, of silence or of age, and what speaks against one. */

/** Two alike may be chance, and easily are where silences are short; three are a pattern (facts/client §7.3). */
export const PATTERN = 3;
const SHORT_SILENCE_MS = 15_000;

/**
 * One idle timer made these cuts: the silence is one length, the ages are not. A longer silence that was lived through on the
 * same way rules it out; and where most cuts came after other silences, those that are alike are so by chance.
 */
export function isIdleTimer(signs: EndSigns): boolean {
  const { sameSilence: alikes, idleMs: silence, cuts } = signs;
  if (outlivedSilence(signs) || alikes.length * 2 <= cuts) return false;
  return alikes.length >= (silence < SHORT_SILENCE_MS ? PATTERN : 2) && !oneLength(ages(alikes));
}

/** One idle timer cut several watches of the run, each once: the silence is one length, the ages are not, and nobody outlived it. */
export function isIdleTimerOfAll(signs: EndSigns): boolean {
  const { sameSilenceElsewhere: alikes, idleMs: silence, place } = signs;
  if (alikes.length < (silence < SHORT_SILENCE_MS ? PATTERN : 2) || oneLength(ages(alikes))) return false;
  return !isLonger(survivedInRun(place, alikes).before, silence);
}

/** Since the last of those cuts somebody lived through a longer silence. */
export function outlivedSinceByOthers({ sameSilenceElsewhere: alikes, idleMs: silence, place }: EndSigns): boolean {
  return alikes.length > 1 && isLonger(survivedInRun(place, alikes).since, silence);
}

function isLonger(survived: number, silence: number): boolean {
  return survived > silence && !alike(survived, silence);
}

/** GOAWAY after the same silence again and again: whoever sends it has an idle timer, and is not going down each time. */
export function isIdleGoaway(signs: EndSigns): boolean {
  return signs.stream.end === 'goaway' && signs.sameSilence.length >= PATTERN && isIdleTimer(signs);
}

/** A silence well above the one before this cut was survived: no idle timer of that length is on the way. */
export function outlivedSilence({ survivedSilenceMs, idleMs: silence }: EndSigns): boolean {
  return isLonger(survivedSilenceMs, silence);
}

/** Since the last cut a longer silence was survived: either it was no such timer, or somebody has raised it. */
export function outlivedSince({ silenceSinceMs, idleMs: silence }: EndSigns): boolean {
  return isLonger(silenceSinceMs, silence);
}

/** A stream grew well older than this one: no cap of the age cut it. */
function outlivedAge({ survivedAgeMs, ageMs: age }: EndSigns): boolean {
  return isLonger(survivedAgeMs, age);
}

/**
 * One cap of the age made these ends: the age is one length, and the silences are not, or frames came in each of them (their
 * rhythm and an idle timer would have to meet at the same age again and again). Proper ends have other reasons, too.
 */
export function isAgeCap(signs: EndSigns): boolean {
  const { sameAge: ends, now } = signs;
  const enough = ends.every(isCut) ? 2 : PATTERN;
  if (ends.length < enough || outlivedAge(signs)) return false;
  return (
    !oneLength(ends.map((stream) => idleMs(stream, now))) ||
    ends.every(({ events, bookmarks }) => events + bookmarks > 0)
  );
}

/** Always the same silence, which was also the whole age: nothing ever came, and either kind of timer does that. */
export function isIdleOrAge(signs: EndSigns): boolean {
  const { sameSilence: alikes } = signs;
  return alikes.length >= 2 && oneLength(ages(alikes)) && !outlivedSilence(signs) && !outlivedAge(signs);
}

/** Three times or more, and never otherwise. */
export function isWholePattern({ cuts }: EndSigns, alikes: readonly StreamFacts[]): boolean {
  return alikes.length >= PATTERN && alikes.length >= cuts;
}

function ages(streams: readonly StreamFacts[]): number[] {
  return streams.map((stream) => ageMs(stream, stream.endedAt ?? 0));
}

/** The middle one of the silences (or ages) that were alike. */
export function typical(streams: readonly StreamFacts[], of: (stream: StreamFacts, now: number) => number): number {
  return median(streams.map((stream) => of(stream, stream.endedAt ?? 0))) ?? 0;
}

/** Idle timers that boxes come with, in seconds (facts/client §7.4). Never a vendor: several share each number. */
const KNOWN_IDLE_S = [20, 30, 50, 60, 90, 100, 120, 240, 300, 350, 400, 600] as const;

/** The known timer that a silence is near (2 s or 3 %), in seconds. */
export function knownIdleTimer(silenceMs: number): number | undefined {
  return KNOWN_IDLE_S.find((seconds) => alike(silenceMs, seconds * 1000));
}
