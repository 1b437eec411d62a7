import type { ResourceVersion } from '../protocol/resource-version.ts';
import { saysGone } from '../protocol/status.ts';
import type { TransportEnd } from './end-kind.ts';
import {
  afterListRefusal,
  afterNoAnswer,
  afterStream,
  afterWatchRefusal,
  GONE,
  type ListRefusal,
  wasPlanned,
} from './resume-or-relist.ts';
import { abandon, follow, go, toAway, toStopped, toStreaming } from './session-entry.ts';
import { tellEnd, tellOpen, tellPhase } from './session-output.ts';
import {
  type Connecting,
  type Core,
  type Listing,
  type Next,
  newCore,
  type SessionConfig,
  type SessionInput,
  type SessionState,
  type Step,
  type Streaming,
  type Turn,
} from './session-state.ts';
import { armWake } from './session-wake.ts';
import type { StreamRecorder } from './stream-facts.ts';
import { contradicts, givenUp, pingAt, sideProbeAt, wasQuietToo } from './stream-limits.ts';
import { listPath, withTimeout } from './watch-request.ts';

/**
 * One target's session: list, watch, resume, relist. A pure state machine: what happened goes in, what to tell and what to
 * do comes out; no socket, no timer, no clock. All transitions are in this file; which one follows a refusal or an end is
 * decided in resume-or-relist.ts, what is asked for on the way into a state stands in session-entry.ts.
 *
 * | state (owns)          | on success                       | on failure                                         | on stop |
 * | --------------------- | -------------------------------- | -------------------------------------------------- | ------- |
 * | listing {pages}       | last page → connecting at its RV | final → stopped; else backoff, then list           | stopped |
 * | connecting {facts}    | opened 200 → streaming           | 410 → list; final → stopped; else backoff, connect | stopped |
 * | streaming {reader}    | frames → outputs, the RV moves   | ended: 410 seen → list; it failed → backoff; else  | stopped |
 * |                       |                                  | connecting from the last RV                        |         |
 * | backoff {until, next} | woke → listing or connecting     |                                                    | stopped |
 * | away {next} (lab)     | return → listing or connecting   |                                                    | stopped |
 * | stopped {why}         |                                  |                                                    |         |
 *
 * `leave` leads from each state but `stopped` to `away`, where a target that is held begins. An input that does not belong to
 * a state changes nothing.
 */
export function startSession(config: SessionConfig, at: number): Step {
  const core = newCore(config);
  const turn: Turn = { at, outputs: [], effects: [] };
  const { start } = core.plan;
  const next: Next =
    start === 'list' || start === 'now' ? { do: 'list', why: 'start', as: 'start', failed: 0 } : { do: 'connect' };
  if (config.held) return finish({ kind: 'away', core, next }, turn);
  return finish(go(core, next, turn), turn);
}

export function step(state: SessionState, input: SessionInput): Step {
  const turn: Turn = { at: input.at, outputs: [], effects: [] };
  // Nothing that the bytes of a healthy stream bring makes a deadline earlier: this path must stay short.
  if (state.kind === 'streaming' && input.kind === 'bytes') {
    const next = onBytes(state, input.chunks, turn);
    return next === state ? { state, outputs: turn.outputs, effects: turn.effects } : finish(next, turn);
  }
  return finish(advance(state, input, turn), turn);
}

function finish(state: SessionState, turn: Turn): Step {
  armWake(state, turn);
  return { state, outputs: turn.outputs, effects: turn.effects };
}

function advance(state: SessionState, input: SessionInput, turn: Turn): SessionState {
  if (state.kind === 'stopped') return state;
  const { core } = state;
  switch (input.kind) {
    case 'stop-asked':
      abandon(state, turn);
      return toStopped(core, 'asked', turn);
    case 'leave':
      return state.kind === 'away' ? state : toAway(state, turn);
    case 'probed':
      turn.outputs.push({ kind: 'probe', at: turn.at, answer: input.answer });
      break;
    case 'woke':
      core.wakeAt = undefined;
      break;
    case 'path-alive':
      core.pathAliveAt = turn.at;
      if (state.kind === 'streaming') state.recorder.facts.pathAliveAt = turn.at;
      return state;
  }
  switch (state.kind) {
    case 'listing':
      return inListing(state, input, turn);
    case 'connecting':
      return inConnecting(state, input, turn);
    case 'streaming':
      return inStreaming(state, input, turn);
    case 'backoff':
      return input.kind === 'woke' && turn.at >= state.until ? go(core, state.next, turn) : state;
    case 'away':
      if (input.kind !== 'return') return state;
      if (input.timeoutSeconds !== undefined) core.plan = withTimeout(core.plan, input.timeoutSeconds);
      core.backoff.resetPace();
      return go(core, state.next, turn);
  }
}

function inListing(state: Listing, input: SessionInput, turn: Turn): SessionState {
  const { core, list } = state;
  switch (input.kind) {
    case 'opened':
      list.answered(input.head, input.writtenAt, turn.at);
      tellOpen(core, input.head, list.path, turn);
      // Now, not when the watch opens: a reading from before this list's RV was given is worth more than one from after.
      core.probes.opened(turn.at);
      return state;
    case 'no-headers':
      list.waits(turn.at, input.writtenAt);
      tellPhase(core, turn, { state: 'no-answer', stream: 0 });
      return state;
    case 'listed': {
      const token = list.take(input.page, core.plan.start === 'now' && list.request.why === 'start');
      if (token === undefined) return listDone(state, turn);
      list.path = listPath(core.plan, { as: list.request.as, continue: token });
      turn.effects.push({ kind: 'list', path: list.path, pending: list.pending });
      return state;
    }
    case 'refused':
      list.answered(input.head, input.writtenAt, turn.at);
      tellOpen(core, input.head, list.path, turn);
      return listRefused(state, { head: input.head, body: input.body }, turn);
    case 'list-failed':
      return listRefused(state, { end: input.end, ...(input.body ? { body: input.body } : {}) }, turn);
    default:
      return state;
  }
}

function listDone({ core, list }: Listing, turn: Turn): SessionState {
  turn.outputs.push({ kind: 'list', at: turn.at, facts: list.done(turn.at, core.objects) });
  core.objects.replace(list.objects, list.whole);
  const { rv, rvAt } = list;
  core.objects.coverage.beginAt(rv);
  core.ledger.listedAt(rv === undefined ? undefined : { rv: rv as ResourceVersion, at: rvAt ?? turn.at });
  core.failures = 0;
  core.hadBookmarks = false;
  return follow(core, { next: { do: 'connect' }, delay: 0, why: 'pace' }, turn);
}

function listRefused({ core, list }: Listing, refusal: ListRefusal, turn: Turn): SessionState {
  turn.outputs.push({ kind: 'list', at: turn.at, facts: list.failed(turn.at, refusal) });
  return follow(core, afterListRefusal(core, list.request, refusal, turn.at), turn);
}

function inConnecting(state: Connecting, input: SessionInput, turn: Turn): SessionState {
  const { core, recorder } = state;
  const { facts } = recorder;
  switch (input.kind) {
    case 'opened':
      recorder.answered(input.head, input.writtenAt, turn.at);
      tellOpen(core, input.head, facts.methodPath, turn, facts);
      return toStreaming(core, recorder, turn);
    case 'no-headers':
      if (input.writtenAt !== undefined) facts.askedAt = input.writtenAt;
      facts.noAnswerAt = turn.at;
      tellPhase(core, turn, { state: 'no-answer', stream: facts.stream });
      return state;
    case 'refused':
      recorder.answered(input.head, input.writtenAt, turn.at);
      facts.body = input.body;
      tellOpen(core, input.head, facts.methodPath, turn, facts);
      if (input.head.status === GONE) noteGone(core, recorder, turn);
      tellEnd(recorder, { end: 'rejected', detail: `HTTP ${input.head.status}` }, turn);
      return follow(core, afterWatchRefusal(core, input.head, input.body, turn.at), turn);
    case 'ended':
      if (input.writtenAt !== undefined) facts.askedAt = input.writtenAt;
      tellEnd(recorder, input.end, turn);
      return follow(core, afterNoAnswer(core, input.end, turn.at), turn);
    default:
      return state;
  }
}

function inStreaming(state: Streaming, input: SessionInput, turn: Turn): SessionState {
  const { recorder } = state;
  switch (input.kind) {
    case 'ended':
      return streamEnded(state, input.end, turn);
    case 'read-paused':
      recorder.stallBegins(turn.at);
      return state;
    case 'read-resumed':
      recorder.stallEnds(turn.at);
      return state;
    case 'woke':
      return onStreamWoke(state, turn);
    case 'pong':
      if (state.pingedAt === undefined) return state;
      recorder.pong(turn.at);
      return { ...state, pingedAt: undefined };
    case 'no-pong':
      return onNoPong(state, turn);
    case 'probed': {
      const detail = contradicts(recorder, input.answer);
      if (detail !== undefined) return cut(state, { end: 'stalled', detail }, turn);
      return wasQuietToo(state, input.answer) ? { ...state, quietAnswers: state.quietAnswers + 1 } : state;
    }
    default:
      return state;
  }
}

/** Returns the same state for what a healthy stream brings; a new one where something must be done. */
function onBytes(state: Streaming, chunks: readonly Uint8Array[], turn: Turn): SessionState {
  const { core, recorder, reader } = state;
  switch (reader.read(chunks, turn.at, turn.outputs)) {
    case 'on':
      return state;
    case 'too-large':
      return cut(state, { end: 'frame-too-large', detail: '' }, turn);
    case 'not-a-stream':
      return cut(state, { end: 'not-a-stream', detail: '' }, turn);
    case 'error':
      if (recorder.facts.errorStatus && saysGone(recorder.facts.errorStatus)) noteGone(core, recorder, turn);
      return { ...state };
  }
}

function streamEnded({ core, recorder, reader }: Streaming, how: TransportEnd, turn: Turn): SessionState {
  const { tail, reading } = reader.end();
  const foreign = reading === 'not-a-stream' && (how.end === 'eof' || how.end === 'eof-unframed');
  tellEnd(recorder, foreign ? { end: 'not-a-stream', detail: '' } : how, turn, tail);
  return follow(core, afterStream(core, recorder.facts, turn.at), turn, wasPlanned(recorder.facts));
}

function onStreamWoke(state: Streaming, turn: Turn): SessionState {
  const { recorder } = state;
  const detail = givenUp(recorder, turn.at);
  if (detail !== undefined) return cut(state, { end: 'stalled', detail }, turn);
  let next = state;
  if (turn.at >= (pingAt(state) ?? Infinity)) {
    turn.effects.push({ kind: 'ping' });
    next = { ...next, pingedAt: turn.at };
  }
  const side = sideProbeAt(state);
  return side === undefined || turn.at < side ? next : askBeside(next, turn);
}

/** The silence is worth a question: does a second watch get what this one does not? */
function askBeside(state: Streaming, turn: Turn): Streaming {
  const { resume } = state.core.ledger;
  if (resume === undefined) return state;
  state.core.probes.silent(turn.at, resume.rv);
  const { recorder, sideAskedAt = Number.NEGATIVE_INFINITY } = state;
  const stirred = (recorder.facts.lastEventAt ?? 0) > sideAskedAt;
  return { ...state, sideAskedAt: turn.at, quietAnswers: stirred ? 0 : state.quietAnswers };
}

/** The connection does not answer, which is no proof of a dead stream; the side probe may be one. */
function onNoPong(state: Streaming, turn: Turn): SessionState {
  const { core, recorder, pingedAt } = state;
  if (pingedAt === undefined || recorder.stalling) return state;
  recorder.noPong(pingedAt);
  return core.config.probing ? askBeside(state, turn) : state;
}

/** We end the stream. */
function cut(state: Streaming, how: TransportEnd, turn: Turn): SessionState {
  turn.effects.push({ kind: 'close' });
  return streamEnded(state, how, turn);
}

/** The RV is gone: no watch of ours will carry it again (unless --pin-query says so). */
function noteGone(core: Core, recorder: StreamRecorder, turn: Turn): void {
  core.probes.gone(turn.at, recorder.facts.lastRv ?? recorder.facts.requestedRv);
  recorder.gone();
  core.ledger.forget();
}
