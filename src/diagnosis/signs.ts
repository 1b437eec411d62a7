import type { EndKind, StreamFacts } from '../client/facts.ts';
import { type Attempt, firstAfter, lastBefore, once, type Place, type Scene } from './scene.ts';

/**
 * What can be seen in the measurements of one stream and its neighbours, before anything is concluded from it. Each
 * sign is a small total function; the limits stand here with their reasons, so that rules read as sentences.
 */

/** A timer counts as met within 2 s or 2 % (cases/README §3C: `server-timeout`). */
export const TIMER_SLACK_MS = 2_000;
export const TIMER_SLACK_SHARE = 0.02;
/**
 * Two silences or ages are the same within 2 s or 3 % (facts/client §7.3 LB_IDLE; 3 % as the timers of middle boxes drift),
 * but never by more than 15 %: among ends after a few seconds 2 s would find a pattern in chance.
 */
const SAME_SHARE = 0.03;
const SAME_SHARE_AT_MOST = 0.15;
/** Without `timeoutSeconds` the planned end comes at `min-request-timeout` × [1, 2), 1800 s by default (facts/server §5.3). */
const DEFAULT_TIMEOUT_MS = { from: 1_800_000, to: 3_600_000 };
/** What a cacher drops a watcher for: a burst. Its channels hold 10 … 1000 events, the kernel's buffers some thousands. */
const BURST_PER_SECOND = 50;
/** A burst may end so long before the cacher's close is seen: what was buffered is still delivered first. */
const BURST_BEFORE_END_MS = 15_000;
/** Our socket unread for so long is worth to be called a stall: the cacher's patience is 0.1 s (facts/server §3.8). */
export const READ_STALL_MS = 1_000;
/** Streams that one thing ends do not end in the same millisecond, but within so long (facts/server §5.4: about 1 s). */
export const TOGETHER_MS = 3_000;

/** Answered with 200 and read as a stream, whatever became of it. */
export function wasLive(stream: StreamFacts): boolean {
  return stream.httpStatus === 200 && stream.openedAt !== undefined && stream.end !== 'not-a-stream';
}

/** A watch that is accepted and then refused in its first frame gets that frame within so long of reading, ms (facts/server §4.1: etcd's loop takes 0.1 s). */
const REFUSED_WITHIN_MS = 250;

/**
 * Live, and not only to be told an error in its first frame. One that we left before that frame could come, or did not read,
 * was granted nothing yet.
 */
export function gaveHistory(stream: StreamFacts): boolean {
  if (!wasLive(stream)) return false;
  if (stream.events + stream.bookmarks > 0) return true;
  if (stream.errorStatus !== undefined) return false;
  const left = stream.end === 'stopped' ? ageMs(stream, 0) - stream.readStalledMs : Infinity;
  return left >= REFUSED_WITHIN_MS;
}

export function isRunning(stream: StreamFacts): boolean {
  return stream.endedAt === undefined;
}

/** Age at its end, or now. Counted from the headers. */
export function ageMs(stream: StreamFacts, now: number): number {
  return Math.max(0, (stream.endedAt ?? now) - (stream.openedAt ?? stream.askedAt));
}

/** Silence before its end, or now. What we did not read, we cannot call silence: it counts from when we read again. */
export function idleMs(stream: StreamFacts, now: number): number {
  if (stream.readPausedAt !== undefined) return 0;
  const since = Math.max(stream.lastByteAt ?? 0, stream.openedAt ?? stream.askedAt, stream.readStallEndedAt ?? 0);
  return Math.max(0, (stream.endedAt ?? now) - since);
}

/** timeoutSeconds in ms; undefined where the server chooses (absent or 0). */
export function timeoutMs(stream: StreamFacts): number | undefined {
  return stream.timeoutSeconds !== undefined && stream.timeoutSeconds > 0 ? stream.timeoutSeconds * 1000 : undefined;
}

/** `measured` is what a timer of `configured` ms would give. */
export function meets(measured: number, configured: number): boolean {
  return Math.abs(measured - configured) <= Math.max(TIMER_SLACK_MS, TIMER_SLACK_SHARE * configured);
}

/** Two measured durations that one timer may have made. */
export function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= tolerance(Math.max(a, b));
}

function tolerance(longer: number): number {
  return Math.min(Math.max(TIMER_SLACK_MS, SAME_SHARE * longer), SAME_SHARE_AT_MOST * longer);
}

/** Ends that nobody announced: no last chunk, a reset. A proper end is none, nor one that cannot be told from it. */
const CUTS: readonly EndKind[] = ['truncated', 'reset', 'h2-reset', 'goaway'];

export function isCut(stream: StreamFacts): boolean {
  return stream.end !== undefined && CUTS.includes(stream.end);
}

/** Which timer of the watch itself the end meets: the one asked for, or the server's own where none was asked for. */
export function plannedBy(stream: StreamFacts): 'timeoutSeconds' | 'server default' | undefined {
  if (stream.endedAt === undefined || stream.openedAt === undefined) return undefined;
  const age = ageMs(stream, stream.endedAt);
  const asked = timeoutMs(stream);
  if (asked !== undefined) {
    // The server's timer began with the request, however late the headers came.
    const sinceAsked = stream.end === 'eof' && meets(stream.endedAt - stream.askedAt, asked);
    return meets(age, asked) || sinceAsked ? 'timeoutSeconds' : undefined;
  }
  const early = DEFAULT_TIMEOUT_MS.from - TIMER_SLACK_MS;
  const late = DEFAULT_TIMEOUT_MS.to * (1 + TIMER_SLACK_SHARE);
  return stream.end === 'eof' && age >= early && age <= late ? 'server default' : undefined;
}

/**
 * A timer does not fire early, but for the millisecond of its own; the rest is for clocks that differ and for a run that is played
 * many times faster.
 */
const TIMER_EARLY_MS = 250;

/** It ended a little before the time it had asked for, counted from the request: the plan is likely, and something else possible. */
export function cameEarly(stream: StreamFacts): boolean {
  const asked = timeoutMs(stream);
  return asked !== undefined && (stream.endedAt ?? Infinity) - stream.askedAt < asked - TIMER_EARLY_MS;
}

/** The server ended it: properly, without ERROR, and before any planned time. */
export function endedEarlyByServer(stream: StreamFacts): boolean {
  if (stream.end !== 'eof' || !wasLive(stream) || stream.errorStatus !== undefined || plannedBy(stream)) return false;
  return ageMs(stream, stream.endedAt ?? 0) < (timeoutMs(stream) ?? DEFAULT_TIMEOUT_MS.from);
}

/** Nothing at all came: 200, no frame, and the end within 2 s. */
export function wasEmpty(stream: StreamFacts): boolean {
  return endedEarlyByServer(stream) && stream.bytes === 0 && ageMs(stream, stream.endedAt ?? 0) < 2_000;
}

/** Many events came shortly before the end. */
export function burstBeforeEnd(stream: StreamFacts): boolean {
  if (stream.peakPerSecond < BURST_PER_SECOND || stream.peakAt === undefined) return false;
  return (stream.endedAt ?? Number.POSITIVE_INFINITY) - stream.peakAt <= BURST_BEFORE_END_MS;
}

/** The stream that follows began with events of before: nothing was lost in between. */
export function resumedWithBacklog(place: Place): boolean {
  const next = firstAfter(place, ({ stream }) => stream !== undefined)?.stream;
  return next !== undefined && gaveHistory(next) && next.eventsInFirstSecond >= BURST_PER_SECOND / 5;
}

/** True where one length explains all of `values`: none is further from the middle one than a timer allows. */
export function oneLength(values: readonly number[]): boolean {
  if (values.length === 0) return false;
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  // The middle one, for which they would have to be sorted, lies somewhere between: it is asked for where that decides.
  if (most - least > 2 * tolerance(most)) return false;
  if (most - least <= tolerance(least)) return true;
  const middle = median(values) ?? 0;
  return alike(least, middle) && alike(most, middle);
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Connections refused after this attempt, in one go: from the first to the answer that ended it (or to now). */
export interface Outage {
  attempts: number;
  /** How many of them were refused; the others were closed, or came to nothing in another way. */
  refused: number;
  from: number;
  until: number;
  healed: boolean;
}

/** A short absence of the server after a live stream is its restart, not an outage (contract §2). */
const SHORT_OUTAGE_MS = 10_000;

/** It is over, or too young to say that it lasts: a restart takes some seconds. */
export function passes({ healed, from, until }: Outage): boolean {
  return healed || until - from < SHORT_OUTAGE_MS;
}

export function outageAfter(place: Place): Outage | undefined {
  let [attempts, refused, from] = [0, 0, 0];
  for (let i = place.index + 1; i < place.line.length; i++) {
    const attempt = place.line[i]!;
    const at = answeredAt(attempt);
    if (at !== undefined) return attempts > 0 ? { attempts, refused, from, until: at, healed: true } : undefined;
    // One that is still connecting, or that we gave up, tells neither.
    if (!gotNoAnswer(attempt)) continue;
    if (attempts++ === 0) from = attempt.at;
    if ((attempt.stream?.end ?? attempt.list?.refusal?.end) === 'refused') refused += 1;
  }
  return attempts > 0 ? { attempts, refused, from, until: place.scene.run.now, healed: false } : undefined;
}

/** The outage that begins with this very attempt. */
export function outageFrom(place: Place): Outage {
  return (
    outageAfter({ ...place, index: place.index - 1 }) ?? {
      attempts: 1,
      refused: 0,
      from: place.at,
      until: place.scene.run.now,
      healed: false,
    }
  );
}

/** It ended before anybody answered: refused, or accepted and closed (a kept-alive connection of a server that left). */
export function gotNoAnswer({ stream, list }: Attempt): boolean {
  if (stream) return stream.end !== undefined && stream.end !== 'stopped' && stream.httpStatus === undefined;
  return list?.refusal?.end !== undefined && list.refusal.end !== 'stopped' && list.httpStatus === undefined;
}

/** When somebody answered, with whatever; undefined where nobody did (yet). */
function answeredAt({ stream, list }: Attempt): number | undefined {
  return stream ? stream.openedAt : list?.httpStatus === undefined ? undefined : list.endedAt;
}

/** True where anything of this run was answered with 200 before `at`: credentials and address were right then. */
export function succeededBefore({ scene, at }: Place): boolean {
  const { stream, list } = once(scene, firstSuccess);
  return stream < at || list <= at;
}

function firstSuccess({ run }: Scene): { stream: number; list: number } {
  let [stream, list] = [Infinity, Infinity];
  for (const one of run.streams) if (wasLive(one)) stream = Math.min(stream, one.openedAt ?? Infinity);
  for (const one of run.lists) if (one.rv !== undefined) list = Math.min(list, one.endedAt);
  return { stream, list };
}

/** The stream of this target that was live last before this attempt. */
export function previousLive(place: Place): StreamFacts | undefined {
  return lastBefore(place, ({ stream }) => stream !== undefined && gaveHistory(stream))?.stream;
}
