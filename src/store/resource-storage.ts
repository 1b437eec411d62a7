import type { FieldSelector } from '../protocol/field-selector.ts';
import type { LabelSelector } from '../protocol/label-selector.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { Status } from '../protocol/status.ts';
import type { Cancellable } from './storage.ts';
import type { RefusalCause } from './trace.ts';

/**
 * What an HTTP handler needs of one resource's storage (upstream `storage.Interface`). Two implementations: the store
 * itself (object-store.ts, upstream etcd3/store.go; "uncached") and the Cacher around it (cacher/cacher.ts).
 * All methods reject with an ApiError (protocol/api-error.ts) that carries the Status to answer with.
 */
export interface ResourceStorage {
  get(key: string, options: { resourceVersion: string; signal?: AbortSignal }): Promise<StoredObject>;
  /**
   * The objects below `key`, which ends in `/`. Where the predicate demands one `metadata.name` and the key says the
   * namespace (or there is none), that one object is read, as upstream's registry does; limit and continue say nothing then.
   */
  getList(key: string, options: ListParams): Promise<ListResult>;
  /** Rejects where upstream *returns* an error (HTTP status); every later failure is an ERROR event of the watcher. */
  watch(key: string, options: WatchParams): Promise<Watcher>;
  create(key: string, object: KubeObject, options?: Cancellable): Promise<StoredObject>;
  /** Reads, lets `tryUpdate` make the new state (it may throw an ApiError), writes; repeats on a lost race. */
  guaranteedUpdate(
    key: string,
    options: { ignoreNotFound?: boolean } & Cancellable,
    tryUpdate: (current: StoredObject | undefined) => KubeObject,
  ): Promise<StoredObject>;
  /** Deletes after `validate` (it may throw an ApiError) agreed. Resolves to the last state, RV = the deletion's. */
  delete(key: string, validate: (current: StoredObject) => void, options?: Cancellable): Promise<StoredObject>;
}

/** One state of one object. `object.metadata.resourceVersion` is set. Shared between readers: never changed. */
export interface StoredObject {
  readonly object: KubeObject;
  /** The same, whatever its resourceVersion says and in whatever order its members stand: for selectors and keys. */
  readonly content: KubeObject;
  /** The object as JSON: a copy of its own. */
  readonly json: Uint8Array;
  /** Bytes of that JSON. */
  readonly jsonLength: number;
  beginsWith(bytes: Uint8Array): boolean;
  /** Copies it to `at` in `into`, which has room for it, without the first `from` bytes (0). Where it ends. */
  copyJson(into: Buffer, at: number, from?: number): number;
  readonly rv: number;
}

export interface Predicate {
  label: LabelSelector;
  field: FieldSelector;
  /** Selectable fields of an object of this resource, `metadata.name` and `metadata.namespace` among them. */
  fieldsOf(object: KubeObject): Record<string, string>;
}

export interface ListParams {
  resourceVersion: string;
  resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  limit: number;
  continue: string;
  predicate: Predicate;
  /** The request's end: stops waiting for a cache that is not ready. */
  signal?: AbortSignal;
}

export interface ListResult {
  items: StoredObject[];
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface WatchParams {
  resourceVersion: string;
  predicate: Predicate;
  allowWatchBookmarks: boolean;
  /** undefined ≠ false (facts/server §1.2). */
  sendInitialEvents: boolean | undefined;
  /** Milliseconds of the server's clock at which the request's timeout ends it. */
  deadline: number;
  /** Ends the watch: deadline passed, client gone, server closing. */
  signal: AbortSignal;
  /** Namespace and name of the request path, where it has them. */
  scope: { namespace?: string; name?: string };
  /** Identity of the request (its Audit-Id): what joins the server's view of a watch with its client's. */
  auditId?: string;
  /** Called once, when the initial events are handed over: flow control frees the seat (facts/server §5.6). */
  onInitialized?: () => void;
}

/** What a watcher hands to the HTTP handler. An `error` is always the last one. */
export type WatcherEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: StoredObject }
  | { type: 'BOOKMARK'; rv: number; initialEventsEnd?: boolean }
  /** `cause`: what the server knows about a 410, for its trace; never sent. */
  | { type: 'ERROR'; status: Status; cause?: RefusalCause };

/** Changes of objects, in order, as several watchers are sent them alike. */
export interface EventBatch {
  readonly events: readonly Exclude<WatcherEvent, { type: 'BOOKMARK' | 'ERROR' }>[];
  /** Place for what the first sink made of them, so that the others need not. */
  encoded: Uint8Array | undefined;
}

/** Where a watcher's events go while its client reads along: all that came in a turn at once. */
export interface EventSink {
  /** False while the socket has not taken all that it was given. */
  readonly ready: boolean;
  /** Called while `ready` only; afterwards it may not be. */
  deliver(batch: EventBatch): void;
}

export interface Watcher {
  /** The next event, or undefined when the stream has ended (for a reason the client is not told, or after ERROR). */
  next(): Promise<WatcherEvent | undefined>;
  /** An event that is there already, without waiting: the handler flushes only when nothing more is (facts/server §5.1). */
  poll(): WatcherEvent | undefined;
  /**
   * For a handler that has nothing in hand and whose socket has room: from now on changes go to `sink`, until the promise
   * resolves; then there is something for `next` again (or the end). undefined: not now, or not by this watcher.
   */
  follow?(sink: EventSink): Promise<void> | undefined;
  /** The sink of `follow` is ready again. */
  resume?(): void;
  stop(): void;
}
