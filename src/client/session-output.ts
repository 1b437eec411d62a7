import type { AnswerHead } from './answer-head.ts';
import type { TransportEnd } from './end-kind.ts';
import type { StreamFacts } from './facts.ts';
import type { Phase } from './output.ts';
import type { Core, Turn } from './session-state.ts';
import type { StreamRecorder } from './stream-facts.ts';

/** Makers of the outputs that belong to no frame. */

export function tellPhase(core: Core, turn: Turn, phase: Phase): void {
  turn.outputs.push({ kind: 'phase', at: turn.at, target: core.plan.target, phase });
}

/** An answer with headers, to a LIST or, with `watch`, to a WATCH. */
export function tellOpen(core: Core, head: AnswerHead, methodPath: string, turn: Turn, watch?: StreamFacts): void {
  const rv = watch?.requestedRv;
  turn.outputs.push({
    kind: 'open',
    at: turn.at,
    target: core.plan.target,
    verb: watch ? 'watch' : 'list',
    methodPath,
    httpStatus: head.status,
    httpVersion: head.httpVersion,
    headers: head.headers,
    ...(watch ? { stream: watch.stream } : {}),
    ...(rv === undefined ? {} : { requestedRv: rv }),
  });
}

/** Closes the measurements of a stream, and tells them. `tail`: the half frame it left, which is no news where we left. */
export function tellEnd(
  recorder: StreamRecorder,
  end: TransportEnd,
  turn: Turn,
  tail?: { tailBytes: number; tailText: string },
): void {
  recorder.ended(end, turn.at, end.end === 'stopped' ? undefined : tail);
  turn.outputs.push({ kind: 'end', at: turn.at, facts: recorder.facts });
}
