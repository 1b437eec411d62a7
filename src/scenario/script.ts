/**
 * What a script of `kwatch local` says, read: numbers of the server, then steps. A step is one verb with its options; in YAML
 * it is a map whose first key is the verb (docs/scripts.md). Times are ms of the script's clock.
 */
export interface Script {
  /** File name without its ending, or the name of a scenario that ships with the program. */
  name: string;
  /** One line: what happens in it. */
  title?: string;
  numbers: ScriptNumbers;
  steps: readonly ScriptStep[];
}

/** What a script may fix. What it leaves out is as the command line says. */
export interface ScriptNumbers {
  cacheSize?: number | 'auto';
  /** Pods that exist when the script begins. */
  objects?: number;
  /** Apiservers over the one store. */
  replicas?: number;
  seed?: number;
  compactEveryMs?: number | 'off';
  progressNotifyMs?: number;
  /** Writes that go on beside the steps, a second, to pods and to events each; absent: none. */
  background?: number;
}

interface Timed {
  /** Not before so long after the script's beginning. A step never begins before the one above it is done. */
  at?: number;
  /** Line of the file that it stands on, for messages. */
  line?: number;
  /** The built-in story: what happens, for people. */
  says?: string;
}

/** A name of a watcher or of a list: what `expect` speaks of. */
export type ActorName = string;

/** Changes an object, or creates it where it is missing; without a name the next in turn. */
export interface WriteStep extends Timed {
  verb: 'write';
  /** Plural name (`pods`). */
  resource: string;
  name?: string;
  /** How many objects in turn, as fast as the store takes them; absent: 1. */
  count?: number;
  /** Padding of each, bytes. */
  size?: number;
  labels?: Readonly<Record<string, string>>;
}

/** `count` writes, spread evenly over `withinMs`. The steps below it do not wait for its end. */
export interface BurstStep extends Timed {
  verb: 'burst';
  count: number;
  /** Absent: 250 writes a second. */
  withinMs?: number;
  /** Absent: pods. */
  resource?: string;
  size?: number;
}

export interface DeleteStep extends Timed {
  verb: 'delete';
  resource: string;
  name?: string;
  /** How many, in the order of their names; absent: 1. */
  count?: number;
}

export interface CompactStep extends Timed {
  verb: 'compact';
  revision: number | 'head';
}

export interface WaitStep extends Timed {
  verb: 'wait';
  forMs: number;
}

/** The watcher leaves its socket unread; for so long, or until `resume`. */
export interface StallStep extends Timed {
  verb: 'stall';
  watcher: ActorName;
  forMs?: number;
}

/** The watcher closes its stream and keeps the RV that it holds. */
export interface DisconnectStep extends Timed {
  verb: 'disconnect';
  watcher: ActorName;
}

/** The watcher comes back with the RV it holds; one that had stalled reads on. */
export interface ResumeStep extends Timed {
  verb: 'resume';
  watcher: ActorName;
  /** Index of the apiserver that it comes back to; absent: the one it had. */
  server?: number;
  timeoutSeconds?: number;
}

/** The link from an apiserver to the store fails: at once (`cut`), or it only falls silent. */
export interface CutStep extends Timed {
  verb: 'cut';
  /** One resource's link, or the apiserver's whole. */
  resource: string | 'upstream';
  server?: number;
  silent?: boolean;
}

export interface RestoreStep extends Timed {
  verb: 'restore';
  resource: string | 'upstream';
  server?: number;
}

/** An apiserver restarts: in order, or killed. The step is done when it serves again. */
export interface RestartStep extends Timed {
  verb: 'restart';
  server: number;
  kill?: boolean;
}

/** Pins the ring of one resource's watch cache to so many events; what no longer fits is gone. */
export interface ResizeStep extends Timed {
  verb: 'resize';
  resource: string;
  capacity: number;
  server?: number;
}

/** Requests are turned away with the 429 of priority and fairness for so long; open watches go on. */
export interface ThrottleStep extends Timed {
  verb: 'throttle';
  server: number;
  forMs: number;
  /** `Retry-After`, s; absent: 1. */
  retryAfter?: number;
}

/** A middlebox of that name in front of an apiserver. What it does to each connection by itself: middle-connection.ts. */
export interface ProxyStep extends Timed {
  verb: 'proxy';
  proxy: ActorName;
  server?: number;
  idleMs?: number;
  ageMs?: number;
  holdMs?: number;
}

/**
 * Ways in which a middlebox fails. Once, to the connections that there are: `reset` (RST), `close` (FIN), `mid-event` (FIN in the
 * middle of the next event), `silence` (no packet passes any more). For a while, to those that come: `bad-gateway`, `refusal`.
 */
export const BREAKS = ['reset', 'close', 'mid-event', 'silence', 'bad-gateway', 'refusal'] as const;
/** Those that last. */
export const LASTING_BREAKS: readonly string[] = ['bad-gateway', 'refusal'];

export interface BreakStep extends Timed {
  verb: 'break';
  proxy: ActorName;
  by: (typeof BREAKS)[number];
  /** Of those that last; absent: for good. */
  forMs?: number;
}

/** A new watcher: a client of its own on a socket of its own. The step is done when its stream is open or was refused. */
export interface WatchStep extends Timed {
  verb: 'watch';
  watcher: ActorName;
  resource: string;
  server?: number;
  /** The middlebox that it goes through, instead of a server. */
  via?: ActorName;
  /** `list`: LIST, then watch from it. Absent: list. */
  rv?: 'list' | 'now' | 'unset' | (string & {});
  labelSelector?: string;
  fieldSelector?: string;
  timeoutSeconds?: number;
  /** A few words for the table of watchers. */
  role?: string;
}

/** One LIST, kept under a name. */
export interface ListStep extends Timed {
  verb: 'list';
  list: ActorName;
  resource: string;
  server?: number;
  rv?: string;
  /** The RV that this watcher holds, or that this list had. */
  rvOf?: ActorName;
  match?: 'Exact' | 'NotOlderThan';
  limit?: number;
  /** Name of the list whose next page this is. */
  continueOf?: ActorName;
}

/** What must hold now, or come to hold within `withinMs`. */
export interface ExpectStep extends Timed {
  verb: 'expect';
  /** A watcher, a list, or `server`. */
  of: ActorName;
  withinMs?: number;
  /** For the table: why this is expected. */
  because?: string;
  /** Of a watcher: the class of a finding about it; several: any of them. */
  finding?: readonly string[];
  /** Of a watcher: expected only where the server's trace says that it did this to it (`refuse`: for that very reason). */
  given?: 'terminate' | 'refuse';
  sub?: string;
  refusedBy?: 'watch-cache' | 'etcd';
  confidence?: 'high' | 'medium' | 'low';
  /** Of a watcher: it came back, and its history was not refused. */
  resumed?: true;
  state?: WatcherState;
  /** Of a watcher: how many changes it was sent since it came (back); bookmarks do not count. */
  events?: number;
  /** Of a list. */
  status?: number;
  reason?: string;
  items?: number;
  /** Of the server: what its trace tells. */
  trace?: TracedThing;
  resource?: string;
  /** How often; absent: at least once. */
  times?: number;
}

/** `live`: its stream is open. `away`: it left. `ended`: it gave up. */
export const WATCHER_STATES = ['live', 'away', 'ended'] as const;
export type WatcherState = (typeof WATCHER_STATES)[number];

/** What `expect: server` can ask about (contract §1 `trace`). */
export const TRACED_THINGS = [
  'compact',
  'cut',
  'restore',
  'restart',
  'reinit',
  'ready',
  'refuse',
  'terminate',
  'resize',
] as const;
export type TracedThing = (typeof TRACED_THINGS)[number];

export type ScriptStep =
  | WriteStep
  | BurstStep
  | DeleteStep
  | CompactStep
  | WaitStep
  | StallStep
  | DisconnectStep
  | ResumeStep
  | CutStep
  | RestoreStep
  | RestartStep
  | ResizeStep
  | ThrottleStep
  | ProxyStep
  | BreakStep
  | WatchStep
  | ListStep
  | ExpectStep;

export type Verb = ScriptStep['verb'];
