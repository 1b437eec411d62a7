import type { StreamFacts } from '../client/facts.ts';
import { type Answer, answerOf, effectiveCode } from './answer.ts';
import { terminatedWatchers } from './counter-signs.ts';
import { decideGone, type GoneVerdict } from './gone.ts';
import { type GoneSigns, goneSigns, isGone } from './gone-signs.ts';
import { firstAfter, type Place, placeAt, sameResource } from './scene.ts';
import {
  ageMs,
  alike,
  burstBeforeEnd,
  endedEarlyByServer,
  endedTogether,
  gaveHistory,
  idleMs,
  isCut,
  median,
  meets,
  type Outage,
  oneLength,
  outageAfter,
  plannedBy,
  READ_STALL_MS,
  resumedWithBacklog,
  sameAge,
  sameSilence,
  timeoutMs,
  wasEmpty,
  wasLive,
} from './signs.ts';
import { isStalled, type StallSigns, stallSigns } from './stall-signs.ts';

/** What rules about the end of a live stream (or about a stream that should have ended) look at. */
export interface EndSigns {
  place: Place;
  stream: StreamFacts;
  now: number;
  ageMs: number;
  idleMs: number;
  running: boolean;
  planned: 'timeoutSeconds' | 'server default' | undefined;
  earlyByServer: boolean;
  cut: boolean;
  stall: StallSigns;
  stalled: boolean;
  /** Ends of this target at the same silence, and at the same age; this one is among them. */
  sameSilence: StreamFacts[];
  sameAge: StreamFacts[];
  /** All cuts of this target, whatever came before them. */
  cuts: number;
  /**
   * The longest silence, and the highest age, that any stream of this target lived through, if it was opened before the last
   * cut: a timer below it is none.
   */
  survivedSilenceMs: number;
  survivedAgeMs: number;
  /** The same of streams opened since: then the timer may have been raised meanwhile. */
  silenceSinceMs: number;
  /** Streams of this target that broke off, without a last chunk, just when their `timeoutSeconds` was over. */
  plannedCuts: number;
  /** Ends that the client-side `timeout=` of the URL explains, this one among them. */
  clientTimeouts: StreamFacts[];
  burst: boolean;
  /** Our own doing: the socket was unread for a second or more, lately. */
  unread: boolean;
  backlog: boolean;
  /** By how much the counter of watchers closed for slowness rose around the end. */
  terminated: number;
  /** The stream before this one was closed for slowness, by rules above this one. */
  slowBefore: boolean;
  outage: Outage | undefined;
  /** A 410 that answered the next resume. */
  gone: { signs: GoneSigns; verdict: GoneVerdict; place: Place } | undefined;
  /** What the next attempt was answered with instead, if it was refused. */
  nextAnswer: Answer | undefined;
  nextCode: number | undefined;
  togetherSame: StreamFacts[];
  togetherOther: StreamFacts[];
}

/** A read stall counts for an end so long after it: what lay in the buffers is read, then the end. */
const STALL_BEFORE_END_MS = 30_000;

export function endSigns(place: Place, stream: StreamFacts, slowBefore: boolean): EndSigns {
  const { now } = place.scene.run;
  const earlyByServer = endedEarlyByServer(stream);
  const stall = stallSigns(place, stream);
  const next = firstAfter(place, () => true);
  const nextAnswer = next ? answerOf(next) : undefined;
  return {
    place,
    stream,
    now,
    ageMs: ageMs(stream, now),
    idleMs: idleMs(stream, now),
    running: stream.endedAt === undefined,
    planned: plannedBy(stream),
    earlyByServer,
    cut: isCut(stream),
    stall,
    // A stream that ends properly after all was late, not dead.
    stalled: stream.end !== 'eof' && isStalled(stall),
    sameSilence: isCut(stream) ? sameSilence(place) : [],
    sameAge: sameDefaultAge(place) ?? sameAge(place),
    cuts: place.line.filter(({ stream: one }) => one && isCut(one) && wasLive(one) && plannedBy(one) === undefined)
      .length,
    ...survived(place),
    plannedCuts: place.line.filter(({ stream: one }) => one && isCut(one) && plannedBy(one) === 'timeoutSeconds')
      .length,
    clientTimeouts: clientTimeouts(place, stream),
    burst: burstBeforeEnd(stream),
    unread: wasUnread(stream),
    backlog: earlyByServer && resumedWithBacklog(place),
    terminated: earlyByServer ? terminatedWatchers(place, stream.endedAt ?? now) : 0,
    slowBefore,
    outage: outageAfter(place),
    gone: earlyByServer || isCut(stream) ? goneAfter(place) : undefined,
    nextAnswer,
    nextCode: nextAnswer ? effectiveCode(nextAnswer) : undefined,
    togetherSame: earlyByServer ? endedTogether(place, 'same') : [],
    togetherOther: earlyByServer ? endedTogether(place, 'other') : [],
  };
}

function liveOf({ line }: Place): StreamFacts[] {
  return line.flatMap(({ stream }) => (stream && wasLive(stream) ? [stream] : []));
}

function survived(place: Place): Pick<EndSigns, 'survivedSilenceMs' | 'survivedAgeMs' | 'silenceSinceMs'> {
  const { now } = place.scene.run;
  const live = liveOf(place);
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

/** Three random ends between 30 and 60 min come within this share of their age by chance once in 800 times. */
const SAME_DEFAULT_SHARE = 0.015;

/** The ends at the server's own limit, where this is one and all of them came at one age: that limit differs each time. */
function sameDefaultAge(place: Place): StreamFacts[] | undefined {
  const { stream } = place;
  if (stream === undefined || plannedBy(stream) !== 'server default') return undefined;
  const ends = liveOf(place).filter((one) => plannedBy(one) === 'server default');
  const all = ends.map((one) => ageMs(one, one.endedAt ?? 0));
  return Math.max(...all) - Math.min(...all) <= SAME_DEFAULT_SHARE * Math.max(...all) ? ends : [stream];
}

/** The 410 that this stream's resume was answered with; what lives in between breaks the link. */
function goneAfter(place: Place): EndSigns['gone'] {
  for (let i = place.index + 1; i < place.line.length; i++) {
    const attempt = place.line[i]!;
    const answer = answerOf(attempt);
    if (attempt.stream && answer && isGone(answer)) {
      const at = placeAt(place, i);
      const signs = goneSigns(at, answer);
      return { signs, verdict: decideGone(signs), place: at };
    }
    if (attempt.stream && gaveHistory(attempt.stream) && !wasEmpty(attempt.stream)) return undefined;
  }
  return undefined;
}

function clientTimeouts({ line }: Place, stream: StreamFacts): StreamFacts[] {
  const { clientTimeoutMs } = stream;
  const asked = timeoutMs(stream);
  if (clientTimeoutMs === undefined || stream.endedAt === undefined) return [];
  if (asked !== undefined && asked <= clientTimeoutMs) return [];
  const meetsIt = (other: StreamFacts) =>
    other.endedAt !== undefined &&
    other.end !== 'stopped' &&
    wasLive(other) &&
    meets(ageMs(other, other.endedAt), clientTimeoutMs);
  if (!meetsIt(stream)) return [];
  return line.flatMap(({ stream: other }) =>
    other && other.clientTimeoutMs === clientTimeoutMs && meetsIt(other) ? [other] : [],
  );
}

function wasUnread(stream: StreamFacts): boolean {
  if (stream.readStalledMs < READ_STALL_MS) return false;
  return (stream.endedAt ?? Infinity) - (stream.readStallEndedAt ?? stream.endedAt ?? 0) <= STALL_BEFORE_END_MS;
}

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

/** A silence well above the one before this cut was survived: no idle timer of that length is on the way. */
export function outlivedSilence({ survivedSilenceMs, idleMs: silence }: EndSigns): boolean {
  return survivedSilenceMs > silence && !alike(survivedSilenceMs, silence);
}

/** Since the last cut a longer silence was survived: either it was no such timer, or somebody has raised it. */
export function outlivedSince({ silenceSinceMs, idleMs: silence }: EndSigns): boolean {
  return silenceSinceMs > silence && !alike(silenceSinceMs, silence);
}

/** A stream grew well older than this one: no cap of the age cut it. */
function outlivedAge({ survivedAgeMs, ageMs: age }: EndSigns): boolean {
  return survivedAgeMs > age && !alike(survivedAgeMs, age);
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

/** Another stream of the same resource that was open at the end and is still, or ended much later. */
export function siblingOf({ place, stream }: EndSigns): StreamFacts | undefined {
  return place.scene.run.streams.find(
    (other) =>
      other.target.index !== place.target.index &&
      sameResource(other.target, place.target) &&
      other.httpStatus === 200 &&
      (other.openedAt ?? Infinity) < (stream.endedAt ?? 0) &&
      (other.lastByteAt ?? 0) > (stream.endedAt ?? Infinity),
  );
}
