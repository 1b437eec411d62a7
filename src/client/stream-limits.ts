import type { ProbeAnswer, StreamFacts } from './facts.ts';
import type { Streaming } from './session-state.ts';
import type { StreamRecorder } from './stream-facts.ts';

/** Beyond `timeoutSeconds` a silent stream is given up after 10 s or 2 %, whichever is more (contract §5), ms and part. */
const GRACE_MS = 10_000;
const GRACE_PART = 0.02;
/** A byte that comes so long after the end of `timeoutSeconds` shows a server that does not keep to it (as GRACE). */
const PUNCTUAL_MS = 2_000;
const PUNCTUAL_PART = 0.02;
/** After an ERROR the server closes the stream (facts/server §5.2); one that does not is closed by us, ms. */
const LINGER_MS = 30_000;
/** Bookmarks come about once a minute: after three that did not, and a margin, the silence is worth a question, ms. */
const SUSPICIOUS_MS = 190_000;
/** The same silence is asked about again after so long, ms. */
const ASK_AGAIN_MS = 300_000;
/**
 * With a control stream that lives the question is worth asking this early, ms: half as long again as the rhythm of that stream
 * (`CONTROL_RHYTHM_MS`), so that a stream that died is known for it in so long, and not only after minutes.
 */
const CONTROLLED_MS = 15_000;
/**
 * Side probes of one target then are no closer than this, ms; each is a watch of 5 s. The wait doubles with each that got
 * nothing either, until an event comes: a resource that is quiet has little to miss.
 */
const CONTROLLED_APART_MS = 60_000;
/** HTTP/2 after so much silence the connection is pinged, ms (Go's ReadIdleTimeout as client-go sets it: 30 s). */
const PING_AFTER_MS = 30_000;
/**
 * A frame that a side probe got so shortly before its own end may be on its way to the watched stream as well, ms.
 */
const LATE_FRAME_MS = 1_000;

/**
 * When a stream that is still silent is given up; undefined: never. Silence alone never cuts one (contract §5): what does
 * is the timeout that we asked for, long past. A server that sent after it ignores it, and is left alone.
 */
export function giveUpAt(facts: StreamFacts): number | undefined {
  const { openedAt, timeoutSeconds } = facts;
  if (openedAt === undefined) return undefined;
  if (facts.errorAt !== undefined) return Math.max(facts.errorAt, facts.readStallEndedAt ?? 0) + LINGER_MS;
  if (timeoutSeconds === undefined) return undefined;
  const timeout = timeoutSeconds * 1000;
  const punctual = openedAt + timeout + Math.max(PUNCTUAL_MS, timeout * PUNCTUAL_PART);
  if ((facts.lastByteAt ?? 0) > punctual) return undefined;
  const alive = Math.max(openedAt + timeout, facts.lastByteAt ?? 0, facts.readStallEndedAt ?? 0);
  return alive + Math.max(GRACE_MS, timeout * GRACE_PART);
}

/** Why a stream is given up at `at`; undefined: it is not. */
export function givenUp({ facts, stalling }: StreamRecorder, at: number): string | undefined {
  const limit = giveUpAt(facts);
  if (stalling || limit === undefined || at < limit) return undefined;
  if (facts.errorAt !== undefined) return 'left open after its ERROR';
  return `silent, and ${Math.round((at - (facts.openedAt ?? at)) / 1000)} s old with timeoutSeconds=${facts.timeoutSeconds}`;
}

/**
 * When the present silence is worth a side probe; undefined: never. Without bookmarks silence proves nothing, and a stream
 * that has shown none may be one of a resource that has none.
 */
export function sideProbeAt({ core, recorder, sideAskedAt, quietAnswers }: Streaming): number | undefined {
  const { facts } = recorder;
  if (!core.config.probing || !core.ledger.resume) return undefined;
  const heard = lastHeard(facts);
  if ((core.pathAliveAt ?? 0) > heard) {
    const early = heard + CONTROLLED_MS;
    if (sideAskedAt === undefined) return early;
    const doubled = (facts.lastEventAt ?? 0) > sideAskedAt ? 1 : 2 ** Math.max(0, quietAnswers - 1);
    return Math.max(early, sideAskedAt + Math.min(CONTROLLED_APART_MS * doubled, ASK_AGAIN_MS));
  }
  // A resume from the server's future is silent as well, and there bookmarks had come before.
  if (facts.bookmarks === 0 && !core.hadBookmarks) return undefined;
  const first = heard + SUSPICIOUS_MS;
  return sideAskedAt === undefined || sideAskedAt < heard ? first : Math.max(first, sideAskedAt + ASK_AGAIN_MS);
}

/** The side probe of this target got nothing either. */
export function wasQuietToo({ recorder: { facts } }: Streaming, { outcome, target }: ProbeAnswer): boolean {
  return outcome.kind === 'side' && outcome.frames === 0 && target.index === facts.target.index;
}

/**
 * When the connection is pinged: HTTP/2 only, and one ping at a time. A stream that is not read is not silent.
 */
export function pingAt({ recorder, pingedAt }: Streaming): number | undefined {
  const { facts, stalling } = recorder;
  if (!facts.httpVersion?.startsWith('2') || stalling || pingedAt !== undefined) return undefined;
  return Math.max(lastHeard(facts), facts.pongAt ?? 0) + PING_AFTER_MS;
}

/**
 * A second watch from the same RV got events, and since it was asked this one got nothing: it is dead, whatever its socket
 * says. Returns the evidence, or undefined.
 */
export function contradicts({ facts, stalling }: StreamRecorder, answer: ProbeAnswer): string | undefined {
  const { outcome, askedAt, target } = answer;
  if (outcome.kind !== 'side' || outcome.frames === 0 || target.index !== facts.target.index) return undefined;
  if (stalling || lastHeard(facts) >= askedAt) return undefined;
  const { frames, waitedMs, firstAfterMs } = outcome;
  if (firstAfterMs !== undefined && waitedMs - firstAfterMs < LATE_FRAME_MS) return undefined;
  return `a second watch from the same RV got ${frames} events that this one did not`;
}

function lastHeard(facts: StreamFacts): number {
  return Math.max(facts.lastByteAt ?? 0, facts.openedAt ?? 0, facts.readStallEndedAt ?? 0);
}
