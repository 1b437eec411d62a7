import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { Random } from '../util/random.ts';
import type { AnswerHead } from './answer-head.ts';
import { Backoff } from './backoff.ts';
import type { TransportEnd } from './end-kind.ts';
import type { AnswerBody, PendingList, ProbeAnswer, StreamFacts } from './facts.ts';
import type { ListPage } from './list-page.ts';
import type { ListProgress, Relist } from './list-progress.ts';
import { ObjectMap } from './object-map.ts';
import type { SessionOutput } from './output.ts';
import { type DueProbe, ProbeSchedule } from './probe-policy.ts';
import { RvLedger } from './rv-ledger.ts';
import type { StreamRecorder } from './stream-facts.ts';
import type { StreamReader } from './stream-reader.ts';
import { type RequestPlan, startingRv } from './watch-request.ts';

/** What happened. `at`: ms of the client's clock, never falling. */
export type SessionInput = { at: number } & (
  | { kind: 'opened'; head: AnswerHead; writtenAt: number }
  /** An answer with another status than 200; its body was read, as far as it is kept. */
  | { kind: 'refused'; head: AnswerHead; writtenAt: number; body: AnswerBody }
  /** 10 real seconds since the request was written, and no headers. */
  | { kind: 'no-headers'; writtenAt?: number }
  | { kind: 'bytes'; chunks: readonly Uint8Array[] }
  | { kind: 'ended'; end: TransportEnd; writtenAt?: number }
  | { kind: 'listed'; page: ListPage }
  | { kind: 'list-failed'; end: TransportEnd; body?: AnswerBody }
  | { kind: 'probed'; answer: ProbeAnswer }
  | { kind: 'woke' }
  /** HTTP/2: the ping sent last was answered; or was not within 15 real seconds. */
  | { kind: 'pong' }
  | { kind: 'no-pong' }
  /** `--control`: something came over another connection just now. */
  | { kind: 'path-alive' }
  /** The socket of the running stream is no longer read, by our own doing; and is again. */
  | { kind: 'read-paused' }
  | { kind: 'read-resumed' }
  /** Lab: leave, holding the RV; come back with it. */
  | { kind: 'leave' }
  | { kind: 'return'; timeoutSeconds?: number }
  | { kind: 'stop-asked' }
);

/** What to do. At most one request is under way; `close` ends it, and nothing of it may be told afterwards. */
export type SessionEffect =
  /** `facts`: the measurements of the stream that this opens, for RunFacts; they go on changing. */
  | { kind: 'open-watch'; path: string; facts: StreamFacts }
  /** `pending`: as `facts` of a watch, until there are headers. */
  | { kind: 'list'; path: string; pending: PendingList }
  | { kind: 'close' }
  | { kind: 'probe'; ask: DueProbe }
  /** HTTP/2: ping the connection of the running stream. */
  | { kind: 'ping' }
  /** Read tokens from their files again before the next request. */
  | { kind: 'renew-credentials' }
  /** Give `woke` at this time; it takes the place of the one asked for before. */
  | { kind: 'wake-at'; at: number };

export interface SessionConfig {
  plan: RequestPlan;
  once: boolean;
  /** Lab: it begins away, and sends nothing until `return`. */
  held?: boolean;
  pinQuery: boolean;
  probing: boolean;
  /** The credential can be read again, so a first 401 is worth a second try. */
  renewable: boolean;
  /** Jitter. */
  random: Random;
  /** Number of the next stream, over all sessions of the run. */
  takeStream: () => number;
}

/** One call of step(): its time, and what comes of it. */
export interface Turn {
  at: number;
  outputs: SessionOutput[];
  effects: SessionEffect[];
}

/** What outlives the states. Owned by the session: step() moves it on in place, nobody else holds it. */
export interface Core {
  readonly config: SessionConfig;
  plan: RequestPlan;
  readonly ledger: RvLedger;
  readonly objects: ObjectMap;
  readonly backoff: Backoff;
  readonly probes: ProbeSchedule;
  /** A watch of this target was accepted and was a stream: from now on no refusal is final (contract §5). */
  live: boolean;
  /** Streams in a row that brought nothing and failed. */
  failures: number;
  /** A bookmark came since the last LIST: this resource has them. */
  hadBookmarks: boolean;
  /** A first 401 was tried again. */
  triedAgain: boolean;
  /** With --pin-query: path and query of the first watch. */
  pinned: string | undefined;
  /** `--control`: when something came over another connection last. */
  pathAliveAt: number | undefined;
  /** The wake-up asked for. */
  wakeAt: number | undefined;
}

/** What to ask for next. */
export type Next = { do: 'connect' } | ({ do: 'list' } & Relist);

export type StopReason = 'asked' | 'once' | 'refused';

export type SessionState =
  | Listing
  | Connecting
  | Streaming
  | { kind: 'backoff'; core: Core; until: number; next: Next }
  | { kind: 'away'; core: Core; next: Next }
  | { kind: 'stopped'; core: Core; why: StopReason };

export interface Listing {
  kind: 'listing';
  core: Core;
  list: ListProgress;
}

export interface Connecting {
  kind: 'connecting';
  core: Core;
  recorder: StreamRecorder;
}

export interface Streaming {
  kind: 'streaming';
  core: Core;
  recorder: StreamRecorder;
  reader: StreamReader;
  /** When a side probe for the present silence was asked. */
  sideAskedAt: number | undefined;
  /** Side probes in a row that got nothing either. */
  quietAnswers: number;
  /** When the ping was sent that is not answered yet. */
  pingedAt: number | undefined;
}

export interface Step {
  state: SessionState;
  outputs: SessionOutput[];
  effects: SessionEffect[];
}

export function newCore(config: SessionConfig): Core {
  const ledger = new RvLedger();
  const rv = startingRv(config.plan);
  // "0" is a request for whatever there is, not a point that anybody came to.
  if (rv !== undefined && rv !== '0') ledger.begin(rv as ResourceVersion);
  return {
    config,
    plan: config.plan,
    ledger,
    objects: new ObjectMap(),
    backoff: new Backoff(config.random),
    probes: new ProbeSchedule(config.probing),
    live: false,
    failures: 0,
    hadBookmarks: false,
    triedAgain: false,
    pinned: undefined,
    pathAliveAt: undefined,
    wakeAt: undefined,
  };
}
