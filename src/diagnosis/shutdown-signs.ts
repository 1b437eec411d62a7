import type { StreamFacts } from '../client/facts.ts';
import { firstIndex } from './first-index.ts';
import { once, type Place, type Scene } from './scene.ts';

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
export function refusedWhileOpen({ scene }: Place, stream: StreamFacts): number {
  const { openedAt = Infinity, endedAt = 0 } = stream;
  const from = Math.max(openedAt, endedAt - LINGERS_MS);
  let taken = from;
  const refused: number[] = [];
  const all = once(scene, knocks);
  for (let i = firstIndex(all, ({ askedAt }) => askedAt >= from); i < all.length; i++) {
    const { askedAt, taken: wasTaken, refused: wasRefused, knownAt, by } = all[i]!;
    if (askedAt >= endedAt) break;
    if (by === stream || knownAt > endedAt) continue;
    if (wasTaken) taken = Math.max(taken, askedAt);
    else if (wasRefused) refused.push(askedAt);
  }
  return refused.filter((at) => at >= taken).length;
}

/** A request, as far as it tells whether the door is open. Neither taken nor refused: it tells nothing. */
interface Knock {
  askedAt: number;
  taken: boolean;
  refused: boolean;
  /** A probe's answer counts only where it came in time. */
  knownAt: number;
  by?: StreamFacts;
}

/** Every request of the run, in the order of asking. */
function knocks({ run }: Scene): Knock[] {
  const all: Knock[] = [];
  for (const { askedAt, answeredAt, outcome, httpStatus } of run.probes) {
    const refused = isRefusal(outcome.kind === 'failed' ? outcome.detail : '');
    all.push({ askedAt, taken: httpStatus !== undefined, refused, knownAt: answeredAt });
  }
  for (const by of run.streams) {
    const refused = by.end === 'refused' && isRefusal(by.endDetail);
    all.push({ askedAt: by.askedAt, taken: by.httpStatus !== undefined, refused, knownAt: by.askedAt, by });
  }
  for (const { askedAt, httpStatus, refusal: { end, detail } = {} } of run.lists) {
    const refused = end === 'refused' && isRefusal(detail);
    all.push({ askedAt, taken: httpStatus !== undefined, refused, knownAt: askedAt });
  }
  return all.sort((a, b) => a.askedAt - b.askedAt);
}

/** Somebody is there and says that nobody listens: no name that is unknown, no time that ran out. */
function isRefusal(detail: string | undefined): boolean {
  return /ECONNREFUSED|connection refused/i.test(detail ?? '');
}
