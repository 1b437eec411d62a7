import type { StreamFacts } from '../client/facts.ts';
import { sameAge, sameSilence, sameSilenceElsewhere } from './alike-ends.ts';
import { type Answer, answerOf, effectiveCode } from './answer.ts';
import { type ConnectionAfter, connectionAfter, hungUp } from './connection-after.ts';
import { terminatedWatchers } from './counter-signs.ts';
import { decideGone, type GoneVerdict } from './gone.ts';
import { type GoneSigns, goneSigns, isGone } from './gone-signs.ts';
import { firstAfter, type Place, placeAt, sameResource } from './scene.ts';
import { refusedWhileOpen } from './shutdown-signs.ts';
import {
  ageMs,
  burstBeforeEnd,
  endedEarlyByServer,
  gaveHistory,
  idleMs,
  isCut,
  meets,
  type Outage,
  outageAfter,
  plannedBy,
  READ_STALL_MS,
  resumedWithBacklog,
  timeoutMs,
  wasEmpty,
  wasLive,
} from './signs.ts';
import { isStalled, type StallSigns, stallSigns } from './stall-signs.ts';
import { type LineLife, lifeOfLine, sameDefaultAge } from './survived.ts';
import { endedTogether } from './together.ts';

/** What rules about the end of a live stream (or about a stream that should have ended) look at. */
export interface EndSigns extends LineLife {
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
  sameSilence: readonly StreamFacts[];
  sameAge: readonly StreamFacts[];
  /** Cuts of several targets at the same silence and at different moments, where this one has no like on its own target. */
  sameSilenceElsewhere: readonly StreamFacts[];
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
  /** Connections that were refused while the stream still lived (shutdown-signs). */
  refusedWhileOpen: number;
  /** Behind its proper end, as the next request found it. */
  connectionAfter: ConnectionAfter | undefined;
  /** The apiserver closed the connection behind this end, and not behind each. */
  hungUp: boolean;
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
  const alikes = isCut(stream) ? sameSilence(place) : [];
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
    sameSilence: alikes,
    sameSilenceElsewhere: isCut(stream) && alikes.length < 2 ? sameSilenceElsewhere(place) : [],
    sameAge: sameDefaultAge(place) ?? sameAge(place),
    ...lifeOfLine(place),
    clientTimeouts: clientTimeouts(place, stream),
    burst: burstBeforeEnd(stream),
    unread: wasUnread(stream),
    backlog: earlyByServer && resumedWithBacklog(place),
    terminated: earlyByServer ? terminatedWatchers(place, stream.endedAt ?? now) : 0,
    slowBefore,
    outage: outageAfter(place),
    refusedWhileOpen: earlyByServer ? refusedWhileOpen(place, stream) : 0,
    connectionAfter: earlyByServer ? connectionAfter(place) : undefined,
    hungUp: earlyByServer && hungUp(place, stream),
    gone: earlyByServer || isCut(stream) ? goneAfter(place) : undefined,
    nextAnswer,
    nextCode: nextAnswer ? effectiveCode(nextAnswer) : undefined,
    togetherSame: earlyByServer ? endedTogether(place, 'same') : [],
    togetherOther: earlyByServer ? endedTogether(place, 'other') : [],
  };
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
