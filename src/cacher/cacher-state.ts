import type { WatcherScope } from './watcher-index.ts';

/** What the machine room and the control door show of one cached resource. All RVs are revisions of the store. */
export interface CacherState {
  groupResource: string;
  ready: boolean;
  /** How often the cache was filled. */
  generation: number;
  /** Events the ring can hold, and whether it may change. */
  capacity: number;
  pinned: boolean;
  /** Events in the ring, and the RVs of the first and last of them. */
  size: number;
  oldest: number | undefined;
  newest: number | undefined;
  /** Smallest RV that a watch may start from; undefined before the first list. */
  floor: number | undefined;
  resourceVersion: number;
  listResourceVersion: number;
  /** Between reflector and dispatcher: events, and RVs that were reached; a change is one of each. */
  incoming: number;
  watchers: CacheWatcherState[];
  /** Watches that have no answer yet, oldest first: what they wait for is not there. */
  waiting: WaitingWatchState[];
}

/** A watch request before its headers: it waits for the cache to be filled, or to reach the RV that was asked for. */
export interface WaitingWatchState {
  auditId: string | undefined;
  requestedRv: string;
  waitsFor: 'ready' | 'freshness';
}

export interface CacheWatcherState {
  id: number;
  /** `Audit-Id` of the request, which its answer's headers carry too: joins this row with the client's side. */
  auditId: string | undefined;
  scope: WatcherScope;
  /** The RV that the watch was asked for, as the client wrote it. */
  requestedRv: string;
  /** Events in its two queues, and how many each can hold. */
  input: number;
  result: number;
  channelSize: number;
  /** RV of the last event that went into `result`; undefined before the first. */
  lastSentRv: number | undefined;
  /** False while the initial state or the missed history is being handed over. */
  initialized: boolean;
  /** `event`: all is handed over and nothing new is there. `client`: events are there and its socket is full. */
  waitsFor: 'event' | 'client';
  bookmarks: boolean;
  /** ms of the apiserver's clock at which the request ends. */
  deadline: number;
}
