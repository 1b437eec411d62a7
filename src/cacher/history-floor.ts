import * as status from '../protocol/status.ts';
import { ExpiredError } from '../store/storage-errors.ts';
import type { RefusalCause } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import type { WatchCacheHistory } from './watch-cache-history.ts';

/** Why a cache was filled by a list: the apiserver started, its own watch was compacted away, or it broke otherwise. */
export type RebuildReason = 'start' | 'compacted' | 'error';

/** Relists that are remembered, so that a refusal can name the one that took the asked RV away. */
const REMEMBERED_RELISTS = 64;

/** How far back the history of a watch cache reaches, and why no further. */
export class HistoryFloor {
  readonly #history: WatchCacheHistory;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #relists: { rv: number; because: RebuildReason; before: number | undefined }[] = [];

  constructor(history: WatchCacheHistory, clock: Clock) {
    this.#history = history;
    this.#clock = clock;
  }

  /** RV of the last relist; 0 before the first. */
  get listResourceVersion(): number {
    return this.#relists.at(-1)?.rv ?? 0;
  }

  /** To be told before the ring is emptied: what it had lost by then is not lost by the relist. */
  relisted(rv: number, because: RebuildReason): void {
    this.#relists.push({ rv, because, before: this.oldest() });
    if (this.#relists.length > REMEMBERED_RELISTS) this.#relists.shift();
  }

  /**
   * RV of the oldest event that can still be delivered; a watch may start at the one before it. As long as nothing was
   * overwritten that is the list's successor, however long ago the list was, and whatever etcd has compacted since.
   */
  oldest(): number | undefined {
    const listed = this.listResourceVersion;
    if (listed > 0 && !this.#history.removedEventSinceRelist) return listed + 1;
    return this.#history.oldest?.rv;
  }

  /** 410 text A, with what the server knows: overwritten in the ring, or from before the cache's own list. */
  expired(rv: number, oldest: number): ExpiredError {
    return new ExpiredError(status.tooOldResourceVersion(rv, oldest - 1), this.#cause(rv, oldest - 1));
  }

  #cause(rv: number, floor: number): RefusalCause {
    const rebuilt = this.#relists.find((relist) => relist.rv > rv);
    const lostBefore = rebuilt?.before !== undefined && rv < rebuilt.before - 1;
    if (rebuilt && !lostBefore) {
      const ringToo = this.#history.removedEventSinceRelist;
      const { because } = rebuilt;
      return {
        refusedBy: 'watch-cache',
        floor,
        because: 'rebuilt',
        rebuiltBecause: because,
        ...(ringToo && { ringToo }),
      };
    }
    const lostAgeMs = this.#history.lostAgeMs(rv, this.#clock.now());
    return { refusedBy: 'watch-cache', floor, because: 'ring', ...(lostAgeMs !== undefined && { lostAgeMs }) };
  }
}
