import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListFacts, RunFacts } from './facts.ts';
import type { SessionOutput } from './output.ts';

/** The shape of a run, as the commands see it: what goes in, what comes out. session-runner.ts does it. */

/**
 * Where a watch starts (contract §4): `list`, `now`, `unset`, or an RV (`0`, `N`). `url`: what the path's own query says
 * (`--raw` without `--rv`).
 */
export type StartAt = 'list' | 'now' | 'unset' | 'url' | { rv: string };

/** One watch that was asked for. */
export interface TargetSpec {
  /** Path of the collection (or of one object, or a legacy /watch/ path), percent-encoded, without a query. */
  path: string;
  /** Query without `?`, percent-encoded; "" for none. */
  query: string;
  /** `--raw`: the query is sent as given. Otherwise bookmarks and a timeout are asked for. */
  raw: boolean;
  start: StartAt;
  /** Lab: it sends nothing until `resume`. */
  held?: boolean;
  /** Another one than the run's: one of several apiservers over the same store. */
  endpoint?: Endpoint;
}

/** A clock that may run fast; `start()` is called when the first request is written. */
export interface RunClock extends Clock {
  start?(): void;
  /** Times faster than real time; absent: 1. */
  readonly speed?: number;
}

export interface RunOptions {
  endpoint: Endpoint;
  /** At least one. A stream of its own, on a connection of its own, each. */
  targets: TargetSpec[];
  /** Of this program, for the User-Agent. */
  version: string;
  /** Extra request headers (`-H`). */
  headers?: Record<string, string>;
  /** Do not reconnect. */
  once?: boolean;
  /** Reopen with exactly the same query, never resume. */
  pinQuery?: boolean;
  /** False: send nothing but LIST and WATCH requests. */
  probing?: boolean;
  /** Watch node leases beside the run, which tells a dead stream from a dead path (control-facts.ts). */
  control?: boolean;
  /** HTTP/2: ALPN over TLS, prior knowledge over plain http. */
  http2?: boolean;
  /** Leave the socket of stream 1 unread for so long, from its headers on. */
  readStallMs?: number;
  /** Stop so long after the first request. */
  forMs?: number;
  clock: RunClock;
  random: Random;
  /** Called with everything that happens, in order; it must not throw and must not wait. */
  onOutput: (output: SessionOutput) => void;
  /** Aborting it stops the run. */
  signal?: AbortSignal;
}

/**
 * Why a run ended. `asked`: stop() or the signal. `time`: `forMs` passed. `once`: each target's one stream ended.
 * `refused`: each target was refused at its first request, or its answer was no stream (exit 2).
 */
export interface RunEnd {
  reason: 'asked' | 'time' | 'once' | 'refused';
  /** Some LIST or WATCH was granted (200). False: the endpoint was never reached, or never did more than to turn us away (exit 2). */
  granted: boolean;
}

export interface Run {
  /** The measurements so far. A live view: it changes while the run goes on, and must not be changed. */
  facts(): RunFacts;
  readonly done: Promise<RunEnd>;
  stop(): void;
  /**
   * Our own output cannot keep up: leave every socket unread (true), or go on. It is counted as our own stall
   * (`readStalledMs`), so that what the server then does is not blamed on it.
   */
  pause(on: boolean): void;
  /** Lab: this target closes its stream and holds its RV, until `resume`. */
  drop(target: number): void;
  /**
   * Lab: comes back with the RV it holds, asking for another `timeoutSeconds` from now on if one is given. `endpoint`: a
   * balancer sends it to another apiserver from now on.
   */
  resume(target: number, change?: { timeoutSeconds?: number; endpoint?: Endpoint }): void;
  /** Lab: this target leaves its socket unread (true), or reads on. It counts as our own stall. */
  stall(target: number, on: boolean): void;
  /** Lab: a LIST that was read beside the run belongs to its facts. */
  noteList(facts: ListFacts): void;
  /** The RV a target would resume from now. */
  resumeRv(target: number): string | undefined;
}
