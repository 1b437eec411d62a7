import { retryAfterMs } from '../protocol/retry-after.ts';
import { saysGone } from '../protocol/status.ts';
import type { AnswerHead } from './answer-head.ts';
import { isNoSuchHost, type TransportEnd } from './end-kind.ts';
import type { AnswerBody, StreamFacts } from './facts.ts';
import type { Relist } from './list-progress.ts';
import type { Core, Next, StopReason } from './session-state.ts';

/**
 * What comes after a refusal or an end: resume from the RV we hold, relist, or stop; and after which wait. It hangs on one
 * protocol fact, the code 410 (of an ERROR event, or as HTTP status), and never on words. *Final* is what no repetition
 * mends at the first request (contract §5); once a stream was live, everything is tried again.
 */

/** 410: the history that was asked for is gone. */
export const GONE = 410;

export type Decision =
  | { stop: StopReason; renew?: boolean }
  /** `delay` in ms. `renew`: read the credentials again first. */
  | { next: Next; delay: number; why: string; renew?: boolean };

/** An answer that was no list, or none at all. */
export interface ListRefusal {
  head?: AnswerHead;
  end?: TransportEnd;
  body?: AnswerBody;
}

/** LIST attempts that fail because the server is behind the RV asked for, before it is asked without one. */
const TOO_LARGE_TRIES = 3;
/** Watches in a row that brought nothing and failed, before a LIST looks whether the RV is to blame. */
const EMPTY_TRIES = 3;
/** Statuses below 500 that pass by themselves: time-outs, expired history, and "not now". */
const PASSING = new Set([408, GONE, 425, 429]);
/** Below this age a stream that brought nothing is a failure (client-go "very short watch", facts/client §1.3), ms. */
const VERY_SHORT_MS = 1000;
/** Part of `timeoutSeconds` at which an end counts as the planned one. */
const PLANNED_PART = 0.98;

const FRESH: Relist = { why: '410', as: 'fresh', failed: 0 };

export function afterListRefusal(core: Core, request: Relist, refusal: ListRefusal, at: number): Decision {
  const { head, end, body } = refusal;
  const again: Next = { do: 'list', ...request, failed: request.failed + 1 };
  const why = head ? `HTTP ${head.status}` : (end?.end ?? '');
  const renew = canRenew(core, head);
  if (renew && isFirst401(core)) return { next: again, delay: 0, why, renew };
  const final = head ? isFinal(head.status) : end !== undefined && (isFinalEnd(end) || end.end === 'not-a-stream');
  if (final && !core.live) return { stop: 'refused' };
  if (head?.status === GONE) return { next: { ...again, as: 'fresh' }, delay: core.backoff.nextAfterGone(at), why };
  // The RV came from outside, and the server does not come to it: a consistent LIST gets past.
  if (body && isTooLarge(body) && again.failed >= TOO_LARGE_TRIES) again.as = 'fresh';
  return { next: again, delay: waitAfter(core, head, body, at), why, renew };
}

export function afterWatchRefusal(core: Core, head: AnswerHead, body: AnswerBody, at: number): Decision {
  const why = `HTTP ${head.status}`;
  const renew = canRenew(core, head);
  if (renew && isFirst401(core)) return { next: { do: 'connect' }, delay: 0, why, renew };
  if (!core.live && isFinal(head.status)) return { stop: 'refused' };
  if (core.config.once) return { stop: 'once' };
  if (head.status === GONE) return afterGone(core, at);
  return { next: { do: 'connect' }, delay: waitAfter(core, head, body, at), why, renew };
}

/** The request ended before any headers. */
export function afterNoAnswer(core: Core, end: TransportEnd, at: number): Decision {
  if (!core.live && isFinalEnd(end)) return { stop: 'refused' };
  if (core.config.once) return { stop: 'once' };
  return { next: { do: 'connect' }, delay: core.backoff.next(at), why: end.end };
}

/** A stream that was opened has ended; `facts` are complete. */
export function afterStream(core: Core, facts: StreamFacts, at: number): Decision {
  if (facts.end === 'not-a-stream' && !core.live) return { stop: 'refused' };
  core.live = true;
  if (core.config.once) return { stop: 'once' };
  if (facts.errorStatus && saysGone(facts.errorStatus)) return afterGone(core, at);
  const silent = core.hadBookmarks && wasSilentForTooLong(facts) && !core.config.pinQuery;
  core.hadBookmarks ||= facts.bookmarks > 0;
  if (silent) return { next: { do: 'list', ...FRESH, why: 'resume-failed' }, delay: 0, why: 'silent since its resume' };
  if (!failed(facts)) {
    core.failures = 0;
    return { next: { do: 'connect' }, delay: 0, why: facts.end ?? '' };
  }
  core.failures = facts.events + facts.bookmarks > 0 ? 1 : core.failures + 1;
  const relist = core.failures >= EMPTY_TRIES && !core.config.pinQuery;
  return {
    next: relist ? { do: 'list', ...FRESH, why: 'resume-failed' } : { do: 'connect' },
    delay: Math.max(core.backoff.next(at), retryAfterMs({}, facts.errorStatus) ?? 0),
    why: facts.errorStatus ? `ERROR ${facts.errorStatus.code ?? ''}`.trim() : (facts.end ?? ''),
  };
}

/** Two bookmarks, one a minute, and a margin (facts/server §3.11), ms. */
const TOO_SILENT_MS = 130_000;

/**
 * A resume was accepted and brought nothing at all, not even the bookmarks that came before: a server whose storage went back in
 * time takes an RV of its future so, without a word (facts/server §2.1). Only a LIST shows it.
 */
function wasSilentForTooLong(facts: StreamFacts): boolean {
  const resumed = facts.requestedRvOrigin !== 'none' && facts.requestedRv !== '0';
  return facts.allowWatchBookmarks && resumed && facts.bytes === 0 && ageOf(facts) >= TOO_SILENT_MS;
}

/** The first 410 is answered at once; one that comes again waits (client-go waits the first time, too: 0.8 to 1.6 s). */
function afterGone(core: Core, at: number): Decision {
  const why = String(GONE);
  if (core.config.pinQuery) return { next: { do: 'connect' }, delay: core.backoff.next(at), why };
  return { next: { do: 'list', ...FRESH }, delay: core.backoff.nextAfterGone(at), why };
}

/** What a session that leaves now would do when it comes back: the RV may have been refused a moment ago. */
export function afterAbsence(core: Core): Next {
  return core.ledger.refused ? { do: 'list', ...FRESH } : { do: 'connect' };
}

/** True where the stream ended when the request asked it to: however often that is, it was asked for. */
export function wasPlanned(facts: StreamFacts): boolean {
  return facts.timeoutSeconds !== undefined && ageOf(facts) >= facts.timeoutSeconds * 1000 * PLANNED_PART;
}

/** The stream brought nothing and was over at once, or ended in an ERROR: to resume at once would be a loop. */
function failed(facts: StreamFacts): boolean {
  if (facts.errorStatus !== undefined || facts.end === 'frame-too-large' || facts.end === 'not-a-stream') return true;
  return facts.events + facts.bookmarks === 0 && ageOf(facts) < VERY_SHORT_MS;
}

function ageOf(facts: StreamFacts): number {
  return (facts.endedAt ?? facts.askedAt) - (facts.openedAt ?? facts.askedAt);
}

/**
 * No repetition mends a wrong name, a missing right, or a redirect (which we do not follow, lest a token goes where nobody
 * meant it to).
 */
function isFinal(status: number): boolean {
  return status < 500 && !PASSING.has(status);
}

/** The same for a request without an answer: a wrong certificate or scheme, a host that does not exist. */
function isFinalEnd(end: TransportEnd): boolean {
  return end.end === 'tls' || isNoSuchHost(end);
}

/** The server has not come to the RV that a LIST asks for (facts/server §3.5): its cause says so, whatever the words. */
function isTooLarge(body: AnswerBody): boolean {
  return body.status?.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}

/** Our own back-off, and never less than what Retry-After asks for. */
function waitAfter(core: Core, head: AnswerHead | undefined, body: AnswerBody | undefined, at: number): number {
  return Math.max(core.backoff.next(at), retryAfterMs(head?.headers ?? {}, body?.status) ?? 0);
}

/** A 401 may mean no more than that the token on disk is a newer one. */
function canRenew(core: Core, head: AnswerHead | undefined): boolean {
  return head?.status === 401 && core.config.renewable;
}

/** At the start of a run a 401 is final, after one more try with what stands on disk now. */
function isFirst401(core: Core): boolean {
  if (core.live || core.triedAgain) return false;
  core.triedAgain = true;
  return true;
}
