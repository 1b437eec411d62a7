import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { Status } from '../protocol/status.ts';
import type { ControlFacts } from './control-facts.ts';
import type { Clump, MissedEvents, SelectionExits } from './delivery-facts.ts';

/**
 * Measurements, no opinions. The session fills these in; diagnosis/ reads them. All times are milliseconds of the
 * client's clock since the Unix epoch (virtual under KWATCH_CLOCK_SPEED); durations end in `Ms`.
 */

/** How a watch request or stream ended (contract §3). */
export const END_KINDS = [
  'eof',
  'eof-unframed',
  'truncated',
  'reset',
  'goaway',
  'h2-reset',
  'protocol-error',
  'refused',
  'tls',
  'rejected',
  'not-a-stream',
  'no-response',
  'stalled',
  'frame-too-large',
  'stopped',
] as const;
export type EndKind = (typeof END_KINDS)[number];

/** Where the RV that a watch asked for came from. `url`: from outside (flag or --raw), its age is unknown. */
export type RvOrigin = 'none' | 'url' | 'list' | 'event' | 'bookmark';

/** Which watch of the run: the n-th RESOURCE or `--raw`. Streams of one target follow each other. */
export interface WatchTarget {
  /** 0, 1, 2, … in the order they were named. */
  index: number;
  /** Path of the collection (or legacy /watch/ path) without the query. */
  path: string;
  /** "" for the core group; undefined where the path is no Kubernetes resource path. */
  group?: string;
  version?: string;
  resource?: string;
  namespace?: string;
  name?: string;
}

/** HTTP headers of an answer, lower-case names, those that matter (contract §1 `open`) and `connection`, `date`. */
export type AnswerHeaders = Record<string, string>;

/** A body that was no stream: of a refusal, or of a 200 that is no watch. Bounded to 64 KiB. */
export interface AnswerBody {
  /** The Status, where the body is one (also one without kind, as the 504 of facts/server §5.5). */
  status?: Status;
  /** First 2,000 characters as text. */
  text: string;
  /** Bytes in all. */
  size: number;
  /** `kind` of the JSON document, where it is one. */
  jsonKind?: string;
}

/** Where a request went. */
export interface AskedEndpoint {
  scheme: 'http' | 'https';
  host: string;
}

export interface StreamFacts {
  /** 1, 2, 3, … over the whole run, in the order of opening. */
  stream: number;
  target: WatchTarget;
  /** Path and query as sent. */
  methodPath: string;
  /** Where it went, if not to the run's own endpoint (a lab's watchers of several replicas). */
  endpoint?: AskedEndpoint;
  /** undefined where the request carried none. */
  requestedRv?: ResourceVersion;
  requestedRvOrigin: RvOrigin;
  /** When we received what gave us `requestedRv`; undefined for `none` and `url`. */
  requestedRvAt?: number;
  /** Query parameters that matter. */
  timeoutSeconds?: number;
  /** Client-side `timeout=` in the URL, in ms. */
  clientTimeoutMs?: number;
  allowWatchBookmarks: boolean;
  sendInitialEvents: boolean;
  hasSelector: boolean;
  /** A label or field selector that an object can cease to match (any but those on its name or namespace). */
  canLeaveSelection?: boolean;
  /** Request written. */
  askedAt: number;
  /** Headers received. */
  openedAt?: number;
  /**
   * When 10 real seconds (never scaled) had passed since the request was written, and no headers had come: the moment of
   * phase `no-answer`. It stays set when the headers come later. diagnosis/ must not count these seconds itself, its clock
   * may be virtual.
   */
  noAnswerAt?: number;
  httpStatus?: number;
  httpVersion?: string;
  headers: AnswerHeaders;
  /** True for Transfer-Encoding: chunked or HTTP/2: then a proper end can be told from a cut. */
  framed: boolean;
  /** Id of the TCP connection: the same number means the same connection. */
  connection?: number;
  /** Body of a refusal or of a 200 that is no stream. */
  body?: AnswerBody;
  bytes: number;
  /** ADDED, MODIFIED, DELETED. */
  events: number;
  bookmarks: number;
  malformed: number;
  firstEventAt?: number;
  lastEventAt?: number;
  lastByteAt?: number;
  /**
   * Longest silence that this stream lived through, ms: from the headers or a byte to the next byte. What we did not read is
   * none. An idle timer shorter than this cannot have been on its way.
   */
  longestSilenceMs?: number;
  /** Arrival times of the last 16 bookmarks. */
  bookmarkTimes: number[];
  /** Most events that arrived within one second, and when that second began. */
  peakPerSecond: number;
  peakAt?: number;
  /** Events received within the first second after the headers (a backlog). */
  eventsInFirstSecond: number;
  /**
   * `sendInitialEvents` only: when the bookmark with annotation `k8s.io/initial-events-end` came; null while it has not.
   * undefined: nobody looked, then nothing is concluded from its absence.
   */
  initialEventsEndAt?: number | null;
  /** The RV a resume would use; during the initial state (no RV asked, or 0) the highest seen. */
  lastRv?: ResourceVersion;
  lastRvAt?: number;
  lastRvOrigin?: RvOrigin;
  /** What the stream itself had brought last when an ERROR 410 ended it: the RV from which the server could not go on. */
  cameTo?: { rv: ResourceVersion; at: number };
  /** The Status of an in-stream ERROR and its arrival. */
  errorStatus?: Status;
  errorAt?: number;
  /** First malformed frame, with those that followed it at once (the lines of a page), at most 200 characters. */
  malformedText?: string;
  /** An object without an RV (or at 0: ""), or with one that is no decimal number, was seen (first such RV). */
  oddRv?: string;
  /** Highest RV seen before it fell, and the first lower one (not counting the initial state). */
  wentBackwards?: { before: ResourceVersion; lower: ResourceVersion };
  /** Frames below the highest RV of before, when the first and the last of them came, and how many are events. */
  lowFrames?: { count: number; events: number; firstAt: number; lastAt: number };
  /** Events whose object had come at just that RV before (same uid), and which no request of ours had asked for again. */
  toldAgain?: { count: number; name: string; rv: string };
  /** First bookmark that is none: without an RV (or at 0: ""), or below the last event of this stream. */
  badBookmark?: { rv: string; lastEvent?: string };
  /** Objects that DELETED said to be gone from the selection, without a sign that they were deleted. */
  selectionExits?: SelectionExits;
  /** Events that came together though they were made far apart: the latest 16 clumps. */
  clumps?: readonly Clump[];
  /** Socket left unread by our own doing, ms in all, and when the last such pause ended. */
  readStalledMs: number;
  readStallEndedAt?: number;
  /** Since when it is unread, while it is: nothing that is not seen then has not come. */
  readPausedAt?: number;
  /**
   * HTTP/2: when the ping was sent that had no answer for 15 real seconds (never scaled, as `noAnswerAt`). Gone as soon as
   * anything comes over this stream, or the answer does.
   */
  pingUnansweredSince?: number;
  /** With `--control`: when something came over another connection last, while this stream was open. */
  pathAliveAt?: number;
  /** HTTP/2: when a ping was answered last: the connection was alive then, whatever the stream does. */
  pongAt?: number;
  endedAt?: number;
  end?: EndKind;
  /** The transport's own words for the end (error code and message), for evidence. */
  endDetail?: string;
  /** Bytes of a half frame left over at the end. */
  tailBytes: number;
  /** First 200 characters of that half frame. */
  tailText?: string;
}

export interface ListFacts {
  target: WatchTarget;
  methodPath: string;
  /** As in StreamFacts. */
  endpoint?: AskedEndpoint;
  why: 'start' | '410' | 'resume-failed' | 'user';
  askedAt: number;
  endedAt: number;
  httpStatus?: number;
  headers: AnswerHeaders;
  connection?: number;
  /** As in StreamFacts: 10 real seconds without headers had passed then. */
  noAnswerAt?: number;
  /** metadata.resourceVersion of the list; undefined where it was refused. */
  rv?: ResourceVersion;
  items: number;
  pages: number;
  /** True where the bound on objects was met: the gap proof is not complete. */
  truncated: boolean;
  /** What changed unseen since our last knowledge; only after a gap. */
  gap?: GapProof;
  /** Changes that this list shows and no event brought, though a bookmark or a later event had promised them. */
  missed?: MissedEvents;
  /** The refusal: a page or the first request. */
  refusal?: {
    status?: Status;
    body?: AnswerBody;
    end?: EndKind;
    detail?: string;
    hadContinue: boolean;
    tokenRv?: string;
  };
}

export interface GapProof {
  created: { count: number; names: string[] };
  changed: { count: number; names: string[] };
  deleted: { count: number; names: string[] };
}

const PROBE_KINDS = ['window', 'exact', 'cache-rv', 'side', 'metrics', 'version'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** One extra request and its answer (contract §4). Another connection may have reached another replica. */
export interface ProbeAnswer {
  kind: ProbeKind;
  target: WatchTarget;
  askedAt: number;
  answeredAt: number;
  connection?: number;
  /** Path and query. */
  asked: string;
  httpStatus?: number;
  outcome: ProbeOutcome;
}

export type ProbeOutcome =
  /** `window`: floor = M of the 410 text A (the lowest RV accepted). */
  | { kind: 'floor'; floor: ResourceVersion }
  /** `window`: the watch opened: history reaches back to 1. */
  | { kind: 'open' }
  /** `window` or `exact`: etcd says compacted (text B or D). */
  | { kind: 'compacted'; rv?: ResourceVersion }
  /** `exact`: 200, etcd still holds this RV. */
  | { kind: 'alive'; rv: ResourceVersion }
  /** `cache-rv`. */
  | { kind: 'rv'; rv: ResourceVersion }
  /** `metrics`: the samples of this target's resource (names of facts/server §7) and process_start_time_seconds. */
  | { kind: 'metrics'; samples: Record<string, number> }
  | { kind: 'version'; gitVersion: string }
  /**
   * `side`: a second watch from the same RV got so many events (bookmarks not counted) in so long, the first of them
   * `firstAfterMs` after its headers; `lastRv`: of any frame.
   */
  | { kind: 'side'; frames: number; waitedMs: number; firstAfterMs?: number; lastRv?: ResourceVersion }
  /** Refused, unreachable, or an answer that says nothing. `detail` is for evidence. */
  | { kind: 'failed'; detail: string };

/** A LIST that waits for its headers. `askedAt` is the one that its ListFacts will have, so that both are the same thing. */
export interface PendingList {
  target: WatchTarget;
  methodPath: string;
  endpoint?: AskedEndpoint;
  why: ListFacts['why'];
  askedAt: number;
  noAnswerAt?: number;
}

/** Everything known about one run of `tail`. Bounded: the last 200 streams, 200 probes, 100 lists. */
export interface RunFacts {
  startedAt: number;
  now: number;
  /** False with --no-probe: what a probe would have settled stays open. */
  probing: boolean;
  /** Streams in the order of opening; the running ones have no `end`. */
  streams: StreamFacts[];
  lists: ListFacts[];
  probes: ProbeAnswer[];
  serverVersion?: string;
  /** LIST requests that were written and have had no headers yet (a watch in that state is a stream without `openedAt`). */
  pendingLists?: PendingList[];
  /** With `--control`. It goes on changing. */
  control?: ControlFacts;
  /** `exp` of a bearer JWT, where the credential is one, ms. */
  tokenExpiresAt?: number;
  /** `anonymous`: no credential was sent with any request. */
  endpoint: AskedEndpoint & { anonymous?: true };
  /** The run is over: nothing more will come. */
  finished: boolean;
}
