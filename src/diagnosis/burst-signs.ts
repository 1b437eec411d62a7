import type { StreamFacts } from '../client/facts.ts';
import { revisionsApart } from '../protocol/resource-version.ts';
import { type AgeOfR, isYoung, RING_KEEPS_MS } from './age-of-rv.ts';
import { firstAfter, type Place } from './scene.ts';

/**
 * A burst after a quiet time. An RV is refused once the last change at or before it is overwritten (`watch_cache.go`
 * `getAllEventsSinceLocked`), and a ring grows only where that change is younger than 75 s. So an RV of a list or of a bookmark,
 * seconds old, is lost where the changes before it are older and as many as the ring holds have followed it: seen on a real
 * apiserver, 1.4 s after its LIST and 130 changes later. docs/budget.md has the bounds that follow.
 */
export interface BurstSigns {
  /** The stream that gave R had brought no event for so long when R came, ms. Of a filtered stream that is all that it shows. */
  quietMs?: number;
  /** Objects that the list after the refusal shows as created, changed or deleted since: at least so many changes. */
  changes?: number;
  /** Revisions of all resources from R to that list: at most so many changes. */
  revisions?: number;
}

/** The smallest ring (`defaultLowerBoundCapacity`): fewer changes push nothing out. */
export const SMALLEST_RING = 100;
/** What comes so soon after the headers is told from the history, and may be as old as that, ms. */
const REPLAYED_MS = 1_000;

/** Undefined where no such burst can have been: R is the RV of a change as young as itself, or too little was written since. */
export function burstSigns(
  place: Place,
  giver: StreamFacts | undefined,
  age: AgeOfR | undefined,
  requested: string | undefined,
): BurstSigns | undefined {
  if (!isYoung(age) || requested === undefined || !mayStandForOlder(place, giver)) return undefined;
  const list = firstAfter(place, ({ list: one }) => one?.rv !== undefined)?.list;
  const revisions = list?.rv === undefined ? undefined : Number(revisionsApart(requested, list.rv) ?? Number.NaN);
  if (revisions !== undefined && revisions < SMALLEST_RING) return undefined;
  const gap = list?.gap;
  const changes = gap && gap.created.count + gap.changed.count + gap.deleted.count;
  const signs: BurstSigns = {};
  const quiet = giver && quietMs(giver);
  if (quiet !== undefined) signs.quietMs = quiet;
  if (changes !== undefined) signs.changes = changes;
  if (revisions !== undefined && !Number.isNaN(revisions)) signs.revisions = revisions;
  return signs;
}

/** The stream's own evidence: long quiet before, and at least as many changes since as the smallest ring holds. */
export function wasSeen({ quietMs: quiet = 0, changes = 0 }: BurstSigns): boolean {
  return quiet >= RING_KEEPS_MS && changes >= SMALLEST_RING;
}

/** An event that came live is a change of that moment; a list, a bookmark or a replayed event says nothing of the last change. */
function mayStandForOlder({ stream }: Place, giver: StreamFacts | undefined): boolean {
  const origin = stream?.cameTo ? stream.lastRvOrigin : stream?.requestedRvOrigin;
  if (origin !== 'event') return origin === 'list' || origin === 'bookmark';
  return giver?.lastEventAt !== undefined && giver.lastEventAt - (giver.openedAt ?? 0) <= REPLAYED_MS;
}

function quietMs({ lastRvAt, lastEventAt, openedAt }: StreamFacts): number | undefined {
  if (lastRvAt === undefined || openedAt === undefined) return undefined;
  return Math.max(0, lastRvAt - Math.max(openedAt, lastEventAt ?? 0));
}
