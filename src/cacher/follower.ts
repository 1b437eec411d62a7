import type { EventSink } from '../store/resource-storage.ts';
import type { Audience, Cursor } from './audience.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { WatchCacheEvent } from './watch-cache-event.ts';

/**
 * A watcher whose client reads along: a place in the log of its audience (audience.ts says what that stands for), and the
 * sink that takes what follows it.
 */
export class Follower {
  readonly watcher: CacheWatcher;
  readonly cursor: Cursor;
  readonly #audience: Audience;
  readonly #sink: EventSink;
  readonly #channelSize: number;

  /** `channelSize`: of each of the watcher's queues, which count for it though they are empty. */
  constructor(watcher: CacheWatcher, audience: Audience, sink: EventSink, channelSize: number) {
    this.watcher = watcher;
    this.#audience = audience;
    this.#sink = sink;
    this.#channelSize = channelSize;
    this.cursor = audience.follow(this);
  }

  /** True while the client's socket has room: the queues are emptied as fast as they are filled. */
  get ready(): boolean {
    return this.#sink.ready;
  }

  /** Hands over what waits, where the socket has room. RV of the last event, where there was one. */
  take(): number | undefined {
    if (!this.#sink.ready) return undefined;
    const batch = this.#audience.take(this.cursor);
    if (batch) this.#sink.deliver(batch);
    return batch?.events.at(-1)?.object.rv;
  }

  /** What its two queues would hold. */
  queued(): { input: number; result: number } {
    return this.ready ? { input: 0, result: 0 } : this.#audience.queued(this.cursor, this.#channelSize);
  }

  /** Number of the event that there will be no room for, as far as can be told now; Infinity where the client reads along. */
  fullAt(): number {
    return this.ready ? Number.POSITIVE_INFINITY : this.#audience.fullAt(this.cursor, this.#channelSize);
  }

  /** True where the newest event of the log is not its own, since it had no room for it and still has none. */
  missesLast(): boolean {
    return !this.ready && this.#audience.missesLast(this.cursor, this.#channelSize);
  }

  /** Ends following: the events that were not taken. `withoutLast`: the newest is not its own. */
  part(withoutLast: boolean): WatchCacheEvent[] {
    return this.#audience.part(this, withoutLast);
  }
}
