import type { WatchCacheEvent } from './watch-cache-event.ts';

/** A bookmark on its way through the dispatcher. */
export class BookmarkEvent {
  readonly rv: number;

  constructor(rv: number) {
    this.rv = rv;
  }
}

/** What a dispatcher offers to a watcher. */
export type InputEvent = WatchCacheEvent | BookmarkEvent;
