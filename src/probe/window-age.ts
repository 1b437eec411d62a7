import { compareRv, type ResourceVersion } from '../protocol/resource-version.ts';
import type { Between } from './budget.ts';

/** An answer that came between two moments, ms of the client's clock. */
interface Answered {
  askedAt: number;
  answeredAt: number;
}

/** An RV that was the cache's newest. */
export interface Newest extends Answered {
  rv: ResourceVersion;
}

/** The lowest RV that a watch could start from. */
export interface Floor extends Answered {
  floor: ResourceVersion;
}

/** Floors of two replicas are two values; a third that is different shows one that moves. */
const MOVING = 3;

/** True where the floors are more than those of two caches that lose nothing. */
export function floorMoves(floors: readonly Floor[]): boolean {
  return new Set(floors.map(({ floor }) => floor)).size >= MOVING;
}

/**
 * How far back the window reaches in time, from RVs whose age is known and floors seen later. An RV at or above the floor is one
 * that was still good at that age, one below it one that was lost. Of several samples the least counts; where nothing was lost, the
 * oldest that was still good is all that is known. How long the answers took widens the range.
 */
export function windowAge(newest: readonly Newest[], floors: readonly Floor[]): Between {
  const samples = floors.map((floor) => sample(newest, floor));
  const lossy = samples.filter(({ atMostMs }) => atMostMs !== undefined);
  const good = (lossy.length > 0 ? lossy : samples).map(({ atLeastMs }) => atLeastMs ?? 0);
  const lost = lossy.map(({ atMostMs }) => atMostMs as number);
  if (good.length === 0) return {};
  return {
    atLeastMs: lossy.length > 0 ? Math.min(...good) : Math.max(...good),
    ...(lost.length > 0 ? { atMostMs: Math.min(...lost) } : {}),
  };
}

function sample(newest: readonly Newest[], { floor, askedAt, answeredAt }: Floor): Between {
  let atLeastMs: number | undefined;
  let atMostMs: number | undefined;
  for (const one of newest) {
    if (one.askedAt > askedAt) continue;
    const order = compareRv(one.rv, floor);
    if (order === undefined) continue;
    if (order >= 0) atLeastMs = Math.max(atLeastMs ?? 0, askedAt - one.answeredAt);
    else atMostMs = Math.min(atMostMs ?? Number.POSITIVE_INFINITY, answeredAt - one.askedAt);
  }
  return { ...(atLeastMs === undefined ? {} : { atLeastMs }), ...(atMostMs === undefined ? {} : { atMostMs }) };
}
