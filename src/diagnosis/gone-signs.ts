import type { StreamFacts } from '../client/facts.ts';
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
import { firstIndex } from './first-index.ts';
import { type FloorSigns, floorSigns } from './floor-signs.ts';
import { type GoneText, goneText } from './known-texts.ts';
import { type RebuildSigns, rebuildSigns } from './rebuild-signs.ts';
import {
  type Attempt,
  firstAfter,
  isCustomResource,
  oncePerLine,
  oncePerResource,
  type Place,
  sameResource,
} from './scene.ts';
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
  const stream = oncePerLine(place, historyBefore)[place.index];
  return stream && (stream.lastRv ?? stream.requestedRv) === requested ? stream : undefined;
}

/** For each attempt of the line the last stream before it that gave history. */
function historyBefore({ line }: Place): (StreamFacts | undefined)[] {
  let last: StreamFacts | undefined;
  return line.map(({ stream }) => {
    const before = last;
    if (stream && gaveHistory(stream)) last = stream;
    return before;
  });
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
  for (const { answeredAt, alive } of oncePerResource(place, exactByRv).get(requested ?? '') ?? []) {
    if (answeredAt >= place.at) result.after = alive;
    else if (alive) result.before = true;
  }
  return result;
}

interface ExactAnswer {
  answeredAt: number;
  alive: boolean;
}

/** What etcd said of each RV that it was asked for, in the order of the facts. */
function exactByRv({ scene, target }: Place): Map<string, ExactAnswer[]> {
  const answers = new Map<string, ExactAnswer[]>();
  for (const { kind, outcome, target: of, asked, answeredAt } of scene.run.probes) {
    if (kind !== 'exact' || !sameResource(of, target)) continue;
    const rv = rvOfPath(asked);
    if (rv === undefined || (outcome.kind !== 'alive' && outcome.kind !== 'compacted')) continue;
    const one = { answeredAt, alive: outcome.kind === 'alive' };
    const known = answers.get(rv);
    if (known) known.push(one);
    else answers.set(rv, [one]);
  }
  return answers;
}

/** `resourceVersion` of a path's query. */
function rvOfPath(path: string | undefined): string | undefined {
  return /[?&]resourceVersion=([^&]+)/.exec(path ?? '')?.[1];
}

/** 410s of this target so far, this one included, that came within `withinMs` before it. */
export function goneWithin(place: Place, withinMs: number): number {
  const all = oncePerLine(place, goneAttempts);
  const from = firstIndex(all, ({ at }) => at >= place.at - withinMs);
  return Math.max(0, firstIndex(all, ({ index }) => index > place.index) - from);
}

/** The watches of the line that a 410 answered, in their order. */
function goneAttempts({ line }: Place): { index: number; at: number }[] {
  return line.flatMap((attempt, index) => {
    const answer = attempt.stream && answerOf(attempt);
    return answer && isGone(answer) ? [{ index, at: attempt.at }] : [];
  });
}

/** How the 410 was healed: the LIST after it, and whether a stream lives on from there. */
export interface Healing {
  list?: NonNullable<Attempt['list']>;
  relistRefused?: Answer;
  resumed: boolean;
}

export function healingOf(place: Place): Healing {
  const good = firstAfter(place, ({ list }) => list?.rv !== undefined)?.list;
  if (good) {
    const resumed = attemptAfter(place, ({ stream }) => stream !== undefined && wasLive(stream) && !stream.errorStatus);
    return { list: good, resumed: resumed !== undefined };
  }
  const next = attemptAfter(place, ({ list }) => list !== undefined);
  const refused = next ? answerOf(next) : undefined;
  return refused ? { relistRefused: refused, resumed: false } : { resumed: false };
}

/** However far it is. */
function attemptAfter({ line, index }: Place, fits: (attempt: Attempt) => boolean): Attempt | undefined {
  for (let i = index + 1; i < line.length; i++) if (fits(line[i]!)) return line[i];
  return undefined;
}
