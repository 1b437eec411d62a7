import type { TransportEnd } from './end-kind.ts';
import { ListProgress, type Relist } from './list-progress.ts';
import { afterAbsence, type Decision } from './resume-or-relist.ts';
import { tellEnd, tellPhase } from './session-output.ts';
import type { Core, Next, SessionState, StopReason, Turn } from './session-state.ts';
import { StreamRecorder } from './stream-facts.ts';
import { StreamReader } from './stream-reader.ts';
import { fromStart, listPath, watchPath } from './watch-request.ts';

/** The ways into each state of a session: what is asked for, what is told, and the state itself. */

/** Does what was decided. A watch waits longer where the pace wants it, unless the end before it was `planned`. */
export function follow(core: Core, decision: Decision, turn: Turn, planned = false): SessionState {
  if (decision.renew) turn.effects.push({ kind: 'renew-credentials' });
  if ('stop' in decision) return toStopped(core, decision.stop, turn);
  const { next, why } = decision;
  const paced = next.do === 'connect' && !planned;
  const delay = Math.max(decision.delay, paced ? core.backoff.paceDelay(turn.at) : 0);
  if (delay <= 0) return go(core, next, turn);
  const until = turn.at + delay;
  tellPhase(core, turn, { state: 'backoff', until, attempt: core.backoff.attempt, why });
  return { kind: 'backoff', core, until, next };
}

export function go(core: Core, next: Next, turn: Turn): SessionState {
  return next.do === 'connect' ? toConnecting(core, turn) : toListing(core, next, turn);
}

function toListing(core: Core, { why, as, failed }: Relist, turn: Turn): SessionState {
  const path = listPath(core.plan, { as });
  const asked = { target: core.plan.target, methodPath: path, at: turn.at };
  const list = new ListProgress({ why, as, failed }, asked);
  turn.effects.push({ kind: 'list', path, pending: list.pending });
  tellPhase(core, turn, { state: 'listing' });
  return { kind: 'listing', core, list };
}

function toConnecting(core: Core, turn: Turn): SessionState {
  const { config, plan, ledger } = core;
  const from = ledger.moved ? ({ as: 'rv', rv: ledger.resume?.rv } as const) : fromStart(plan);
  const path = core.pinned ?? watchPath(plan, from, config.random);
  if (config.pinQuery) core.pinned = path;
  core.backoff.noteRequest(turn.at);
  const asked = { stream: config.takeStream(), target: plan.target, methodPath: path, askedAt: turn.at };
  const recorder = new StreamRecorder({ ...asked, from: ledger.resume });
  const { stream, requestedRv: rv } = recorder.facts;
  turn.effects.push({ kind: 'open-watch', path, facts: recorder.facts });
  tellPhase(core, turn, { state: 'connecting', stream, ...(rv === undefined ? {} : { rv }) });
  return { kind: 'connecting', core, recorder };
}

export function toStreaming(core: Core, recorder: StreamRecorder, turn: Turn): SessionState {
  core.ledger.beginStream(recorder.startsWithState, recorder.facts.requestedRv);
  if (recorder.startsWithState) core.objects.beginInitialState();
  else core.objects.coverage.continueAt(recorder.facts.requestedRv);
  core.probes.opened(turn.at);
  tellPhase(core, turn, { state: 'streaming', stream: recorder.facts.stream });
  const reader = new StreamReader(recorder, core.ledger, core.objects);
  return { kind: 'streaming', core, recorder, reader, sideAskedAt: undefined, quietAnswers: 0, pingedAt: undefined };
}

export function toAway(state: SessionState, turn: Turn): SessionState {
  const { core } = state;
  abandon(state, turn);
  const rv = core.ledger.resume?.rv;
  tellPhase(core, turn, { state: 'away', ...(rv === undefined ? {} : { rv }) });
  if (state.kind === 'backoff') return { kind: 'away', core, next: state.next };
  const next: Next = state.kind === 'listing' ? { do: 'list', ...state.list.request } : afterAbsence(core);
  return { kind: 'away', core, next };
}

export function toStopped(core: Core, why: StopReason, turn: Turn): SessionState {
  tellPhase(core, turn, { state: 'stopped', why });
  return { kind: 'stopped', core, why };
}

/** Ends what is under way, by our own doing. */
export function abandon(state: SessionState, turn: Turn): void {
  if (state.kind === 'backoff' || state.kind === 'away' || state.kind === 'stopped') return;
  turn.effects.push({ kind: 'close' });
  const unanswered: TransportEnd = { end: 'no-response', detail: 'no headers until we stopped waiting' };
  if (state.kind === 'listing') {
    if (state.list.noAnswerAt === undefined) return;
    turn.outputs.push({ kind: 'list', at: turn.at, facts: state.list.failed(turn.at, { end: unanswered }) });
    return;
  }
  const waited = state.kind === 'connecting' && state.recorder.facts.noAnswerAt !== undefined;
  tellEnd(state.recorder, waited ? unanswered : { end: 'stopped', detail: '' }, turn);
}
