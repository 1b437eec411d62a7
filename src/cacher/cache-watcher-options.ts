import type { Predicate } from '../store/resource-storage.ts';
import type { CacheWatcher } from './cache-watcher.ts';

export interface CacheWatcherOptions {
  id: number;
  /** Audit-Id of the request. */
  auditId: string | undefined;
  /** The RV that was asked for, as the client wrote it. */
  requestedRv: string;
  /** Size of both queues. */
  channelSize: number;
  /** Storage keys that the request is about begin so (or the one key, without a slash). */
  keyPrefix: string;
  predicate: Predicate;
  allowWatchBookmarks: boolean;
  /** ms of the apiserver's clock at which the request ends. */
  deadline: number;
  signal: AbortSignal;
  owner: WatcherOwner;
  onInitialized?: (() => void) | undefined;
}

/** What watchers ask of who offers them events; one for all, since there are thousands of them. */
export interface WatcherOwner {
  /** Takes the watcher out; with `drain` what is in its input is still handed over. */
  forget(watcher: CacheWatcher, drain: boolean): void;
  /** True where live events above this RV may be taken from the audience's log. */
  mayFollow(baseline: number): boolean;
  /** Counts the events that were sent before a watcher went live. */
  countInitEvents(count: number): void;
}
