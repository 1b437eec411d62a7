/** What a control stream has come to (`--control`). */
export type ControlState =
  /** Asked, and not answered yet. */
  | 'asking'
  /** Something came within its rhythm. */
  | 'live'
  /** Its rhythm stopped: the question is being put anew, on a new connection. */
  | 'silent'
  /** New requests get no answer: refused connections, or no headers for 10 s. */
  | 'unanswered'
  /** Not allowed, or not there: it was given up. */
  | 'refused'
  /** There is no node lease to watch: it was given up. */
  | 'none';

/**
 * A second, busy watch beside the run: node leases, renewed about every 10 s by each kubelet (facts/client §7.5). What
 * comes over it shows that the path and the apiserver live, on a connection of its own: of the watched streams it
 * says nothing. It is no stream of the run: it has no number, and its frames count nowhere else. Times as in facts.ts.
 */
export interface ControlFacts {
  state: ControlState;
  /** Path and query of the request made last. */
  asked: string;
  /** When the first request was made. */
  startedAt: number;
  /** The watch that runs now: when its headers came. */
  openedAt?: number;
  /** Id of the connection used last. */
  connection?: number;
  /** The last byte of any answer: until then the path was alive. */
  lastByteAt?: number;
  /** Frames of all its watches. */
  frames: number;
  /** How often a watch was opened. */
  opens: number;
  /** When the first of the requests was made that nobody has answered since; absent while somebody answers. */
  unansweredSince?: number;
  /**
   * How that shows. `silence`: connected or not, nothing comes back, as of a dead path. `refusal`: connections are refused, or end before
   * any headers: somebody is there, and leaving (open streams live on for a minute then) or starting. `gateway`: a proxy
   * answers in its place.
   */
  unansweredBy?: 'silence' | 'refusal' | 'gateway';
  /** When it was given up. */
  endedAt?: number;
  /** Why it was given up. */
  refused?: { httpStatus?: number; detail: string };
}
