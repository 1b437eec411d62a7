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
  /** Events between reflector and dispatcher. */
  incoming: number;
  watchers: CacheWatcherState[];
}

export interface CacheWatcherState {
  id: number;
  scope: WatcherScope;
  /** The RV that the watch was asked for, as the client wrote it. */
  requestedRv: string;
  /** Events in its two queues, and how many each can hold. */
  input: number;
  result: number;
  channelSize: number;
  lastSentRv: number | undefined;
  bookmarks: boolean;
  /** ms of the apiserver's clock at which the request ends. */
  deadline: number;
}
