import type { StreamFacts } from '../client/facts.ts';
import { revisionsApart } from '../protocol/resource-version.ts';
import { type AgeOfR, isYoung, RING_KEEPS_MS } from './age-of-rv.ts';
import { type RingReadings, ringReadings } from './counter-signs.ts';
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
  objects?: number;
  /** Revisions of all resources from R to that list: at most so many changes. */
  revisions?: number;
  /** Revisions from R to the floor, where these are few of those since: a burst leaves the floor just below its first change. */
  floorAbove?: number;
  /** By /metrics, from its reading before to the one after: changes of this resource, and the ring if it has grown. */
  readings: RingReadings;
}

/** The smallest ring (`defaultLowerBoundCapacity`): fewer changes push nothing out. */
const SMALLEST_RING = 100;
/** One in so many of the revisions since R is few: a cache that began anew would begin there by chance. */
const FEW_OF = 20;
/** What comes so soon after the headers is told from the history, and may be as old as that, ms. */
const REPLAYED_MS = 1_000;

/** Undefined where no such burst can have been: R is the RV of a change as young as itself, or too little was written since. */
export function burstSigns(
  place: Place,
  giver: StreamFacts | undefined,
  age: AgeOfR | undefined,
  { requested, floor }: { requested: string | undefined; floor: string | undefined },
): BurstSigns | undefined {
  if (!isYoung(age) || requested === undefined || !mayStandForOlder(place, giver)) return undefined;
  const list = firstAfter(place, ({ list: one }) => one?.rv !== undefined)?.list;
  const revisions = list?.rv === undefined ? undefined : Number(revisionsApart(requested, list.rv) ?? Number.NaN);
  if (revisions !== undefined && revisions < SMALLEST_RING) return undefined;
  const gap = list?.gap;
  const objects = gap && gap.created.count + gap.changed.count + gap.deleted.count;
  const signs: BurstSigns = { readings: ringReadings(place) };
  const quiet = giver && quietMs(giver);
  if (quiet !== undefined) signs.quietMs = quiet;
  if (objects) signs.objects = objects;
  if (revisions === undefined || Number.isNaN(revisions)) return signs;
  signs.revisions = revisions;
  const above = floor === undefined ? undefined : revisionsApart(requested, floor);
  if (above !== undefined && above * FEW_OF <= revisions) signs.floorAbove = above;
  return signs;
}

/**
 * As many changes since as the smallest ring holds, and long quiet before, a ring that grew meanwhile, or a floor just above R.
 */
export function wasSeen({ quietMs = 0, objects = 0, revisions = 0, floorAbove, readings }: BurstSigns): boolean {
  if (floorAbove !== undefined && revisions >= SMALLEST_RING) return true;
  const enough = Math.max(objects, readings.changes ?? 0) >= SMALLEST_RING;
  return enough && (quietMs >= RING_KEEPS_MS || readings.grew !== undefined);
}

/** An event that came live is a change of that moment; a list, a bookmark or a replayed event says nothing of the last change. */
function mayStandForOlder({ stream }: Place, giver: StreamFacts | undefined): boolean {
  const origin = stream?.cameTo ? stream.lastRvOrigin : stream?.requestedRvOrigin;
  if (origin !== 'event') return origin === 'list' || origin === 'bookmark';
  return giver?.lastEventAt !== undefined && giver.lastEventAt - (giver.openedAt ?? 0) <= REPLAYED_MS;
}

/** An RV that came by a list came before the stream: nothing was seen of the time before it. */
function quietMs({ lastRvAt, lastRvOrigin, lastEventAt, openedAt }: StreamFacts): number | undefined {
  if (lastRvAt === undefined || openedAt === undefined || lastRvOrigin === undefined || lastRvOrigin === 'list')
    return undefined;
  return Math.max(0, lastRvAt - Math.max(openedAt, lastEventAt ?? 0));
}
