import type { CompactReason } from './trace.ts';

/**
 * The contract of a revisioned key-value store, as the apiserver uses etcd (facts/server §4): a revision per write,
 * optimistic locking, reads and lists at a revision, watch from a revision, compaction. The embedded MVCC store
 * implements it; a real etcd can. Behaviour is stated once, in test/store/storage-suite.ts.
 *
 * Revisions are safe integers (etcd's int64 never comes near 2^53 in a lab). Keys are storage keys such as
 * `/registry/pods/ns/name`, ordered by code unit. Values are opaque bytes and must not be changed after they were given.
 */
export type Revision = number;

export interface KeyValue {
  key: string;
  value: Uint8Array;
  createRevision: Revision;
  modRevision: Revision;
}

export interface RangeResult {
  kvs: KeyValue[];
  /** There are more keys than `limit` let through. */
  more: boolean;
  /** Keys in the whole range at that revision. */
  count: number;
  /** The store's revision when it answered (not the one asked for). */
  revision: Revision;
}

export interface StoreEvent {
  type: 'put' | 'delete';
  key: string;
  revision: Revision;
  /** The new state; for a delete undefined. */
  kv: KeyValue | undefined;
  /** The state before; undefined for a create, and where a compaction took it away (`prevCompacted`). */
  prevKv: KeyValue | undefined;
  /** True where there was a previous state but compaction has removed it (facts/server §4.1: PrevKv=nil). */
  prevCompacted?: boolean;
}

/** What a store watch yields: the events of one revision, or the news that nothing happened up to `revision`. */
export type WatchResponse =
  | { kind: 'events'; revision: Revision; events: StoreEvent[] }
  | { kind: 'progress'; revision: Revision };

export type WriteResult =
  | { ok: true; revision: Revision }
  | { ok: false; current: KeyValue | undefined; revision: Revision };

/** Ends a request that waits for the store: it is not done then. The embedded store never waits. */
export interface Cancellable {
  signal?: AbortSignal | undefined;
}

/** What a read asks for. */
export interface RangeRequest extends Cancellable {
  start: string;
  end: string;
  revision?: Revision;
  limit?: number;
}

/** The store answered with one of etcd's errors; `code` says which, `message` is etcd's text. */
export class StoreError extends Error {
  readonly code: 'compacted' | 'future-revision' | 'no-space' | 'unavailable';
  /** For 'compacted': the revision that was compacted to. */
  readonly compactRevision: Revision | undefined;

  constructor(code: StoreError['code'], message: string, compactRevision?: Revision) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.compactRevision = compactRevision;
  }
}

export interface Storage {
  /** Present revision. */
  revision(options?: Cancellable): Promise<Revision>;
  /**
   * Keys in [start, end) in order, at `revision` (default: present). Throws StoreError 'compacted' where revision <
   * compacted, 'future-revision' where it lies ahead.
   */
  range(request: RangeRequest): Promise<RangeResult>;
  /** Writes if the key's modRevision equals `expect` (0: must not exist; undefined: no check). */
  put(key: string, value: Uint8Array, expect?: Revision, options?: Cancellable): Promise<WriteResult>;
  /** Deletes if the key's modRevision equals `expect`. A delete of a missing key is `ok: false`. */
  delete(key: string, expect?: Revision, options?: Cancellable): Promise<WriteResult>;
  /**
   * Changes of keys in [start, end) from `startRevision` on (0: from now on), in revision order, until `signal` aborts.
   * Throws StoreError 'compacted' into the iterator where startRevision < compacted when it *starts*.
   * With `progressNotify` a 'progress' response comes after each whole interval without an event.
   */
  watch(request: {
    start: string;
    end: string;
    startRevision: Revision;
    progressNotify?: boolean;
    signal: AbortSignal;
  }): AsyncIterable<WatchResponse>;
  /**
   * Revisions below `revision` are gone, `revision` itself still answers. Throws 'compacted' where it is not above the
   * last compaction, or 'future-revision'. `why` is for the embedded store's trace (default: 'asked').
   */
  compact(revision: Revision, why?: CompactReason): Promise<void>;
}

/** The end of the range of all keys that begin with `prefix` (etcd clientv3.GetPrefixRangeEnd). */
export function prefixEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}
