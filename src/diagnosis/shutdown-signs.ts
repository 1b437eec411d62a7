import type { StreamFacts } from '../client/facts.ts';
import type { Place } from './scene.ts';

/** Signs that the apiserver behind a stream was on its way out while the stream still lived. */

/**
 * An apiserver that stops in order closes its door at once, and lets open streams live for up to 60 s more (facts/server §5.4);
 * some more for its last words.
 */
const LINGERS_MS = 70_000;

/**
 * Connections that were refused while the stream lived, after the last one that was taken: the door was closed already. Any
 * request of the run counts, since all go to one address.
 */
export function refusedWhileOpen({ scene: { run } }: Place, stream: StreamFacts): number {
  const { openedAt = Infinity, endedAt = 0 } = stream;
  const from = Math.max(openedAt, endedAt - LINGERS_MS);
  let taken = from;
  const refused: number[] = [];
  const note = (askedAt: number, answered: boolean, closedDoor: boolean) => {
    if (askedAt < from || askedAt >= endedAt) return;
    if (answered) taken = Math.max(taken, askedAt);
    else if (closedDoor) refused.push(askedAt);
  };
  for (const { askedAt, answeredAt, outcome, httpStatus } of run.probes) {
    if (answeredAt <= endedAt)
      note(askedAt, httpStatus !== undefined, isRefusal(outcome.kind === 'failed' ? outcome.detail : ''));
  }
  for (const one of run.streams) {
    if (one !== stream)
      note(one.askedAt, one.httpStatus !== undefined, one.end === 'refused' && isRefusal(one.endDetail));
  }
  for (const list of run.lists) {
    const { end, detail } = list.refusal ?? {};
    note(list.askedAt, list.httpStatus !== undefined, end === 'refused' && isRefusal(detail));
  }
  return refused.filter((at) => at >= taken).length;
}

/** Somebody is there and says that nobody listens: no name that is unknown, no time that ran out. */
function isRefusal(detail: string | undefined): boolean {
  return /ECONNREFUSED|connection refused/i.test(detail ?? '');
}
