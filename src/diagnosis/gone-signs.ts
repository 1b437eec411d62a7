import type { ProbeAnswer, StreamFacts } from '../client/facts.ts';
import { saysGone } from '../protocol/status.ts';
import { type AgeOfR, ageOfR, isObjectsOwnRv, RING_KEEPS_MS } from './age-of-rv.ts';
import { type Answer, answerOf } from './answer.ts';
import { type BurstSigns, burstSigns } from './burst-signs.ts';
import {
  isPinnedAndFull,
  latestCapacity,
  type Room,
  ringHadRoom,
  type ServersSeen,
  serversSeen,
} from './counter-signs.ts';
import { type FloorSigns, floorSigns } from './floor-signs.ts';
import { type GoneText, goneText } from './known-texts.ts';
import { type RebuildSigns, rebuildSigns } from './rebuild-signs.ts';
import { type Attempt, firstAfter, isCustomResource, type Place, sameResource } from './scene.ts';
import { gaveHistory, idleMs, wasLive } from './signs.ts';

/** Everything that the truth table asks about one 410. */
export interface GoneSigns {
  text: GoneText;
  answer: Answer;
  /** R: from the text, else what the stream had come to, else what the request carried. */
  requested?: string;
  floor?: string;
  /** R was never seen accepted in this run and came from outside, or is an old object's RV: its age is unknown. */
  fromOutside: boolean;
  age?: AgeOfR;
  /** The stream that had given (or been granted) R. */
  giver?: StreamFacts;
  /** From the end of `giver` to the request that was refused. */
  awayMs?: number;
  rebuild: RebuildSigns;
  floors: FloorSigns;
  servers: ServersSeen;
  /**
   * The watch cache itself had handed R out, so its own watch had come that far. An RV of a LIST is etcd's: the cache may still
   * have been behind it.
   */
  cacheHadR: boolean;
  /** P2: what etcd says of R, asked after the refusal. */
  etcdHasR?: boolean;
  /** etcd still had R by an earlier P2. */
  etcdHadR: boolean;
  /** Slots of the ring, by /metrics. */
  capacity?: number;
  /** The ring cannot have overwritten what follows R. */
  ringHadRoom?: Room;
  /** It is known to be pinned, and its size alone explains the floor. */
  pinnedAndFull: boolean;
  /** R is young, and may have gone with an older change that a burst pushed out. */
  burst?: BurstSigns;
  custom: boolean;
  /** Few events pass (selector, or one object), no bookmarks were asked for, and the stream was long silent before it ended. */
  idleFiltered: boolean;
  /** We left the socket unread during the stream that gave R. */
  readLate: boolean;
}

export function isGone({ httpStatus, status, inStream, message }: Answer): boolean {
  if (httpStatus === 410 || (status !== undefined && saysGone(status))) return true;
  // An ERROR with neither code nor reason: the sentence of a watch cache stands for nothing else.
  return inStream && !status?.code && status?.reason === undefined && goneText(message).letter === 'A';
}

/** 410s only; total on anything else too. */
export function goneSigns(place: Place, answer: Answer = answerOf(place) ?? EMPTY): GoneSigns {
  const of = place.stream ?? place.list;
  const known = of && place.scene.gone.get(of);
  if (known) return known;
  const signs = signsOf(place, answer);
  if (of) place.scene.gone.set(of, signs);
  return signs;
}

function signsOf(place: Place, answer: Answer): GoneSigns {
  const text = goneText(answer.message);
  const requested =
    text.requested ??
    place.stream?.cameTo?.rv ??
    place.stream?.requestedRv ??
    answer.tokenRv ??
    rvOfPath(place.list?.methodPath);
  const giver = giverOf(place, requested);
  const age = ageOfR(place, giver);
  const floors = floorSigns(place, text.floor);
  const servers = serversSeen(place, floors);
  const exact = exactAnswers(place, requested);
  const capacity = latestCapacity(place);
  const hadRoom = ringHadRoom(place, requested);
  const burst = hadRoom ? undefined : burstSigns(place, giver, age, { requested, floor: text.floor });
  return {
    text,
    answer,
    ...(requested === undefined ? {} : { requested }),
    ...(text.floor === undefined ? {} : { floor: text.floor }),
    fromOutside: age?.atMostMs === undefined && (giver === undefined || isObjectsOwnRv(giver)),
    ...(age === undefined ? {} : { age }),
    ...(giver === undefined ? {} : { giver, awayMs: Math.max(0, place.at - (giver.endedAt ?? place.at)) }),
    rebuild: rebuildSigns(place, {
      giver,
      requested,
      floor: text.floor,
      floors,
      servers,
      capacity,
      hadRoom: hadRoom !== undefined,
    }),
    floors,
    servers,
    // Of several apiservers another one may have handed it out.
    cacheHadR: servers !== 'several' && cacheHadR(place, giver),
    ...(exact.after === undefined ? {} : { etcdHasR: exact.after }),
    etcdHadR: exact.before,
    ...(capacity === undefined ? {} : { capacity }),
    ...(hadRoom === undefined ? {} : { ringHadRoom: hadRoom }),
    ...(burst === undefined ? {} : { burst }),
    pinnedAndFull: isPinnedAndFull(place, text.floor),
    custom: isCustomResource(place.target),
    idleFiltered: giver !== undefined && isIdleFiltered(giver),
    readLate: ((place.stream?.cameTo ? place.stream : giver)?.readStalledMs ?? 0) > 0,
  };
}

const EMPTY: Answer = {
  headers: {},
  message: '',
  detail: '',
  bodySize: 0,
  inStream: false,
  isList: false,
  hadContinue: false,
  fromApiserver: false,
};

/** The last stream before this that lived and holds R as its resume RV, or had been granted R and got nothing since. */
function giverOf(place: Place, requested: string | undefined): StreamFacts | undefined {
  for (let i = place.index - 1; i >= 0; i--) {
    const stream = place.line[i]?.stream;
    if (!stream || !gaveHistory(stream)) continue;
    return (stream.lastRv ?? stream.requestedRv) === requested ? stream : undefined;
  }
  return undefined;
}

function cacheHadR({ stream }: Place, giver: StreamFacts | undefined): boolean {
  const origin = stream?.requestedRvOrigin;
  return (origin === 'event' || origin === 'bookmark') && !(giver && isObjectsOwnRv(giver));
}

/** The name or selector lets little through, nothing refreshed the RV, and the silence before the end shows it. */
function isIdleFiltered(giver: StreamFacts): boolean {
  const filtered = giver.hasSelector || giver.target.name !== undefined;
  return filtered && !giver.allowWatchBookmarks && idleMs(giver, giver.endedAt ?? 0) >= RING_KEEPS_MS / 2;
}

/** P2 of R: before this request, and after the refusal (the last word counts). */
function exactAnswers(place: Place, requested: string | undefined): { before: boolean; after?: boolean } {
  const result: { before: boolean; after?: boolean } = { before: false };
  if (requested === undefined) return result;
  for (const probe of place.scene.run.probes) {
    if (probe.kind !== 'exact' || !sameResource(probe.target, place.target) || !asksFor(probe, requested)) continue;
    const alive = probe.outcome.kind === 'alive' ? true : probe.outcome.kind === 'compacted' ? false : undefined;
    if (alive === undefined) continue;
    if (probe.answeredAt >= place.at) result.after = alive;
    else if (alive) result.before = true;
  }
  return result;
}

function asksFor(probe: ProbeAnswer, requested: string): boolean {
  return rvOfPath(probe.asked) === requested;
}

/** `resourceVersion` of a path's query. */
function rvOfPath(path: string | undefined): string | undefined {
  return /[?&]resourceVersion=([^&]+)/.exec(path ?? '')?.[1];
}

/** 410s of this target so far, this one included, that came within `withinMs` before it. */
export function goneWithin(place: Place, withinMs: number): number {
  let count = 0;
  for (let i = place.index; i >= 0; i--) {
    const attempt = place.line[i]!;
    if (place.at - attempt.at > withinMs) break;
    const answer = answerOf(attempt);
    if (attempt.stream && answer && isGone(answer)) count++;
  }
  return count;
}

/** How the 410 was healed: the LIST after it, and whether a stream lives on from there. */
export interface Healing {
  list?: NonNullable<Attempt['list']>;
  relistRefused?: Answer;
  resumed: boolean;
}

export function healingOf(place: Place): Healing {
  const lists = place.line.slice(place.index + 1).filter(({ at }) => at >= place.at);
  const next = lists.find(({ list }) => list !== undefined);
  const good = firstAfter(place, ({ list }) => list?.rv !== undefined)?.list;
  if (good) {
    const resumed = lists.some(({ stream }) => stream !== undefined && wasLive(stream) && !stream.errorStatus);
    return { list: good, resumed };
  }
  const refused = next ? answerOf(next) : undefined;
  return refused ? { relistRefused: refused, resumed: false } : { resumed: false };
}
