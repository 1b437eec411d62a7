import type { StreamFacts } from '../client/facts.ts';
import { compareRv, isDecimalRv } from '../protocol/resource-version.ts';
import { answerOf } from './answer.ts';
import { counterSigns, type ServersSeen } from './counter-signs.ts';
import { isOrderlyGoaway } from './end-causes.ts';
import { firstIndex } from './first-index.ts';
import { type FloorSigns, refusedAt } from './floor-signs.ts';
import { NOT_READY } from './known-texts.ts';
import { type Attempt, attemptsSince, oncePerResource, type Place, sameResource } from './scene.ts';
import { burstBeforeEnd, endedEarlyByServer, gotNoAnswer, TOGETHER_MS, wasLive } from './signs.ts';

/**
 * Why a rebuild of the cache did not make this 410. A sibling that is `mute` is only open: its path may be dead as well. A moving
 * floor speaks against a rebuild where the ring is dynamic, and says nothing where it is pinned and small.
 */
export type RuledOutBy =
  | { by: 'sibling'; stream: number; mute?: true }
  | { by: 'counter'; value: number; closeToR?: true }
  | { by: 'moving floor'; floors: string[] }
  | { by: 'floor had passed'; floor: string }
  | { by: 'floor below known head'; head: string };

export interface RebuildSigns {
  /** The server ended the stream that had given R early, in order and without ERROR, and the resume at once is refused. */
  seen: boolean;
  /** By a GOAWAY without an error: that apiserver was stopping, and its cache with it. */
  goaway?: true;
  ruledOut: RuledOutBy[];
  /** The initialisations counter rose from one reading to the next, across the refusal. */
  counterRose?: { from: number; to: number };
  /** The apiserver that answered /metrics started after R was given. */
  restartedAt?: number;
  /** Connections were refused between the end and the 410. */
  refusedBetween: number;
  /** Requests between the end and the 410 that were answered with: the cache is being filled. */
  notReadyBetween?: number;
}

/** A resume counts as made at once within so long; our own back-off and a slow connect fit in. */
const AT_ONCE_MS = 5_000;
/** An apiserver that ends in order and comes back does so within so long (container restart and start-up). */
const RESTART_MS = 60_000;
/** Nothing came from a sibling since, but it is still open: a rebuilt cache would have ended it long before. */
const STILL_OPEN_MS = 15_000;

/** What is seen of a rebuild in one 410: R and the floor of its text, and the stream that had given R. */
export interface Refused {
  giver: StreamFacts | undefined;
  requested: string | undefined;
  floor: string | undefined;
  floors: FloorSigns;
  servers: ServersSeen;
  /** Slots of the ring, by /metrics. */
  capacity: number | undefined;
  /** The ring cannot have overwritten what follows R. */
  hadRoom: boolean;
}

export function rebuildSigns(place: Place, refused: Refused): RebuildSigns {
  const { giver, servers, hadRoom } = refused;
  const between = giver ? attemptsBetween(place, giver) : [];
  const refusedBetween = between.filter(gotNoAnswer).length;
  const notReadyBetween = between.filter(isNotReady).length;
  const goaway = giver !== undefined && isOrderlyGoaway(giver);
  const early = giver !== undefined && (endedEarlyByServer(giver) || (goaway && giver.end === 'goaway'));
  const seen = early && resumedAtOnce(place, giver, between);
  // Since when R was in our hands, and no longer known to be in the cache.
  const from = giver ? lifeOf(giver) : (place.stream?.requestedRvAt ?? Number.NEGATIVE_INFINITY);
  // What was learnt just before the server ended it may be of the new cache already: streams that end together do not end in
  // the same millisecond, and an end that seems planned may be one of them. An end of our own has no such blur. What was there
  // when the stream was asked for was there before whatever ended it, however short it was.
  const before = giver?.end === 'eof' ? Math.max(from - TOGETHER_MS, giver.askedAt) : from;
  const counter = counterSigns(place, { before, after: from }, giver);
  // Of several apiservers only the one that refused matters, and which of them a stream, a counter or a floor is of is not
  // known. One that started anew while a sibling lived on makes them several, and so does an R that no ring can have lost.
  const several = servers === 'several' || counter.restartedAt !== undefined || hadRoom;
  // A process that started after R was read never had it: whatever its floor lies below, its history begins later.
  const neverHadR = (counter.restartedAt ?? Number.NEGATIVE_INFINITY) >= (place.stream?.requestedRvAt ?? Infinity);
  const strong =
    giver && !hadRoom && !neverHadR
      ? ruledOutByStreams(place, refused, several, { before, until: seen ? from : refusedAt(place) })
      : [];
  const rest: RuledOutBy[] = [];
  if (!several && counter.still !== undefined)
    rest.push({ by: 'counter', value: counter.still, ...(counter.closeToR ? { closeToR: true } : {}) });
  const moving = several ? undefined : movingFloor(refused, seen);
  if (moving) rest.push({ by: 'moving floor', floors: moving });
  const rose = servers === 'several' ? undefined : counter.rose;
  const contradiction = rose !== undefined && strong.length > 0;
  return {
    seen,
    ...(goaway ? { goaway } : {}),
    // A counter that rose was a rebuild; where a sibling lived through it, they were two apiservers, and neither counts.
    ruledOut: rose ? [] : [...strong, ...rest],
    ...(rose && !contradiction ? { counterRose: rose } : {}),
    ...(counter.restartedAt === undefined ? {} : { restartedAt: counter.restartedAt }),
    refusedBetween,
    ...(notReadyBetween > 0 ? { notReadyBetween } : {}),
  };
}

function ruledOutByStreams(
  place: Place,
  { floor, requested, floors }: Refused,
  several: boolean,
  span: { before: number; until: number },
): RuledOutBy[] {
  const found: RuledOutBy[] = [];
  if (!several) {
    const sibling = siblingThatLivedOn(place, span.before, span.until);
    if (sibling) found.push(sibling);
    const passed = requested === undefined ? undefined : floorAbove(floors, requested, span.before);
    if (passed !== undefined) found.push({ by: 'floor had passed', floor: passed });
  }
  const head = floor === undefined ? undefined : knownHead(place, span.before, floor);
  if (head !== undefined) found.push({ by: 'floor below known head', head });
  return found;
}

/** watch_cache.go `defaultUpperBoundCapacity`: a dynamic ring of this size overwrites events younger than 75 s, too. */
const LARGEST_RING = 102_400;

/**
 * A ring that is pinned to few events fills and turns within seconds of a rebuild. So where the end itself is a sign of one and
 * the ring is known to be small, a floor that moves is no answer to it, unless a reader as slow as we were may have been
 * dropped instead.
 */
function movingFloor({ giver, floors, capacity = LARGEST_RING }: Refused, seen: boolean): string[] | undefined {
  const slow = giver !== undefined && (giver.readStalledMs > 0 || burstBeforeEnd(giver));
  return seen && !slow && capacity < LARGEST_RING ? undefined : floors.moving;
}

/** True where `by` holds without a word on how the ring or the path is made. */
export function isFirm(by: RuledOutBy): boolean {
  if (by.by === 'counter') return by.closeToR !== true;
  return by.by !== 'moving floor' && !(by.by === 'sibling' && by.mute === true);
}

/** A floor above R, told while the stream that held R still lived: the window had slid past it already. */
function floorAbove(floors: FloorSigns, requested: string, until: number): string | undefined {
  return floors.samples.find(({ at, floor }) => at < until && compareRv(requested, floor) === -1)?.floor;
}

/**
 * Until when `giver` proves that no rebuild had ended it. A stream that was cut may have been dead before its cut, and an end
 * that lay unread may have come at any time since we stopped reading.
 */
function lifeOf(giver: StreamFacts): number {
  const end = giver.endedAt ?? giver.askedAt;
  const { readStallEndedAt = 0, readStalledMs } = giver;
  if (end - readStallEndedAt <= TOGETHER_MS) return Math.max(giver.openedAt ?? 0, readStallEndedAt - readStalledMs);
  return giver.end === 'eof' || giver.end === 'stopped' ? end : (giver.lastByteAt ?? giver.openedAt ?? end);
}

function attemptsBetween(place: Place, giver: StreamFacts): Attempt[] {
  return attemptsSince(place, giver.endedAt ?? Infinity).filter(({ stream }) => stream !== giver);
}

/** At once, or held up by nothing but a cache that was not ready, or by an apiserver that was just starting. */
function resumedAtOnce(place: Place, giver: StreamFacts, between: readonly Attempt[]): boolean {
  const away = place.at - (giver.endedAt ?? place.at);
  if (away <= AT_ONCE_MS) return true;
  const waited = between.length > 0 && between.every((one) => isNotReady(one) || gotNoAnswer(one));
  return waited && (away <= RESTART_MS || between.every(isNotReady));
}

function isNotReady(attempt: Attempt): boolean {
  return NOT_READY.test(answerOf(attempt)?.message ?? '');
}

/** Another stream of the resource, open since `since` at the latest, that lives after `until` and was not ended around it. */
function siblingThatLivedOn(place: Place, since: number, until: number): RuledOutBy | undefined {
  let mute: RuledOutBy | undefined;
  for (const other of place.scene.run.streams) {
    if (other.target.index === place.target.index || !sameResource(other.target, place.target)) continue;
    if (!wasLive(other) || other.errorStatus || (other.openedAt ?? Infinity) > since) continue;
    const lived = livedOn(other, until, place.scene.run.now);
    if (lived === 'shown') return { by: 'sibling', stream: other.stream };
    if (lived === 'mute') mute ??= { by: 'sibling', stream: other.stream, mute: true };
  }
  return mute;
}

/**
 * `shown`: something came over it since. What lay unread may be of before `until`, its end included: it counts from when we
 * read again.
 */
function livedOn(stream: StreamFacts, until: number, now: number): 'shown' | 'mute' | undefined {
  const readAt = Math.max(until, stream.readStallEndedAt ?? 0);
  const end = stream.endedAt ?? now;
  if (end <= readAt + TOGETHER_MS) return undefined;
  const came = (stream.lastByteAt ?? 0) > readAt || (stream.endedAt !== undefined && stream.end === 'eof');
  if (came) return 'shown';
  return end >= readAt + STILL_OPEN_MS || stream.endedAt !== undefined ? 'mute' : undefined;
}

/**
 * An RV of this resource, known before `from`, above the floor: the highest one. A rebuilt cache starts at a consistent list of its
 * own, so its floor cannot lie below what was already there: this floor belongs to a cache that is older.
 */
function knownHead(place: Place, from: number, floor: string): string | undefined {
  const heads = oncePerResource(place, headsOverTime);
  const head = heads[firstIndex(heads, ({ at }) => at >= from) - 1]?.rv;
  return head !== undefined && compareRv(floor, head) === -1 ? head : undefined;
}

/** The highest RV of the resource that was known from each moment on, in the order of time. */
function headsOverTime({ scene: { run }, target }: Place): { rv: string; at: number }[] {
  const all: { rv: string; at: number }[] = [];
  const seen = (of: Place['target'], rv: string | undefined, at: number | undefined) => {
    if (rv !== undefined && at !== undefined && isDecimalRv(rv) && sameResource(of, target)) all.push({ rv, at });
  };
  for (const list of run.lists) seen(list.target, list.rv, list.endedAt);
  for (const { outcome, target: of, answeredAt } of run.probes) {
    if (outcome.kind === 'rv') seen(of, outcome.rv, answeredAt);
  }
  for (const other of run.streams) seen(other.target, other.lastRv, other.lastRvAt);
  all.sort((a, b) => a.at - b.at);
  for (let i = 1; i < all.length; i++) {
    if (compareRv(all[i - 1]!.rv, all[i]!.rv) === 1) all[i]!.rv = all[i - 1]!.rv;
  }
  return all;
}
