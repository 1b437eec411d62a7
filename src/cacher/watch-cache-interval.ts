import type { WatchCacheEvent } from './watch-cache-event.ts';
import type { WatchCacheHistory } from './watch-cache-history.ts';

/** watch_cache_interval.go `bufferSize`: events that are read from the ring at a time. */
const CHUNK = 100;

/**
 * What a new watcher is sent before live events (upstream watch_cache_interval.go). `next` gives undefined at its end, and
 * 'invalidated' where the ring has meanwhile overwritten what comes next: then the stream must be closed, for there would
 * be a hole in it.
 */
export interface WatchCacheInterval {
  next(): WatchCacheEvent | 'invalidated' | undefined;
}

/** The state of the whole cache, as ADDED in key order. */
export class StoreInterval implements WatchCacheInterval {
  readonly #events: readonly WatchCacheEvent[];
  #at = 0;

  constructor(events: readonly WatchCacheEvent[]) {
    this.#events = events;
  }

  next(): WatchCacheEvent | undefined {
    const event = this.#events[this.#at];
    this.#at += 1;
    return event;
  }
}

/** A slice of the ring, read lazily in chunks: what is not read yet may be lost. */
export class RingInterval implements WatchCacheInterval {
  readonly #history: WatchCacheHistory;
  #nextIndex: number;
  readonly #endIndex: number;
  #chunk: WatchCacheEvent[] = [];
  #at = 0;

  constructor(history: WatchCacheHistory, startIndex: number, endIndex: number) {
    this.#history = history;
    this.#nextIndex = startIndex;
    this.#endIndex = endIndex;
  }

  next(): WatchCacheEvent | 'invalidated' | undefined {
    if (this.#at === this.#chunk.length) {
      if (this.#nextIndex >= this.#endIndex) return undefined;
      if (this.#nextIndex < this.#history.startIndex) return 'invalidated';
      this.#fill();
    }
    const event = this.#chunk[this.#at];
    this.#at += 1;
    return event;
  }

  #fill(): void {
    this.#chunk = [];
    this.#at = 0;
    const until = Math.min(this.#nextIndex + CHUNK, this.#endIndex);
    for (; this.#nextIndex < until; this.#nextIndex += 1) this.#chunk.push(this.#history.at(this.#nextIndex));
  }
}
