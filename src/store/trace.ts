import type { Revision } from './storage.ts';

/** Who had the store compacted: somebody who asked for it, the compactor's interval, or the store's own quota. */
export type CompactReason = 'asked' | 'interval' | 'quota';

/**
 * What the embedded server itself did, told as it happens: the ground truth that `kwatch local` holds its own verdicts
 * against, and the `trace` records of contract §1. `at`: ms of the server's clock. Nothing of it reaches a client over HTTP.
 */
export type TraceEvent = ServerEvent & {
  /** Which of the apiservers did it, from 0; absent where it was the store or a scripted writer. */
  apiserver?: number;
};

type ServerEvent =
  | { what: 'write'; at: number; resource: string; verb: 'create' | 'update' | 'delete'; key: string; rv: Revision }
  | { what: 'compact'; at: number; rv: Revision; why: CompactReason }
  /** The cacher's run ended and a new one begins: all its watchers are closed, without a word. */
  | { what: 'reinit'; at: number; resource: string; generation: number; because: 'compacted' | 'error' }
  | { what: 'ready'; at: number; resource: string; generation: number; rv: Revision }
  | ({ what: 'refuse'; at: number; resource: string; auditId: string; requested: string } & RefusalCause)
  /** A watcher was too slow and was closed. `auditId`: its request's, where it has one. */
  | { what: 'terminate'; at: number; resource: string; watcher: number; auditId?: string }
  | { what: 'resize'; at: number; resource: string; from: number; to: number }
  /** An apiserver was taken off the store, with one resource or with all (`resource` absent). `blackholed`: without a sign. */
  | { what: 'cut'; at: number; how: 'cut' | 'blackholed'; resource?: string }
  | { what: 'restore'; at: number; resource?: string }
  /** An apiserver ends, orderly or not; its next incarnation tells `ready` for each of its caches. */
  | { what: 'restart'; at: number; how: 'orderly' | 'killed' };

export type TraceSink = (event: TraceEvent) => void;

/** Why history that somebody asked for is gone, as the server knows it. */
export interface RefusalCause {
  refusedBy: 'watch-cache' | 'etcd';
  /** Lowest RV that would have been accepted, where there is one. */
  floor?: Revision;
  /**
   * `ring`: overwritten in the ring, also where the cache was re-initialised after that. `rebuilt`: it lies before the cache's own list;
   * `rebuiltBecause` says why there was one (`start`: the apiserver itself started). `compacted`: etcd's word.
   */
  because: 'ring' | 'rebuilt' | 'compacted';
  rebuiltBecause?: 'start' | 'compacted' | 'error';
  /** `rebuilt` only: the ring has rolled over since then, and would refuse it all the same. */
  ringToo?: boolean;
  /** `ring` only: how old the oldest lost event after the asked RV was, ms. */
  lostAgeMs?: number;
}
