import type { Clock } from '../util/clock.ts';
import type { CacheWatcher } from './cache-watcher.ts';

/** cacher.go `defaultBookmarkFrequency`, ms. `EVENT_FRESH_MS` must stay above it. */
export const BOOKMARK_PERIOD_MS = 60_000;
/** cache_watcher.go `nextBookmarkTime`: ms before the deadline at which a last bookmark is due. */
const BEFORE_DEADLINE_MS = 2_000;
/** Width of a bucket, ms. */
const BUCKET_MS = 1_000;
/** cacher.go dispatchEvents: the tick, ms, and the largest part that is added to it by chance. */
export const BOOKMARK_TICK_MS = 1_000;
export const BOOKMARK_TICK_JITTER = 0.25;

/**
 * When a watcher's next bookmark is due (upstream nextBookmarkTime): a minute from now or 2 s before its deadline, what
 * comes first, whatever the traffic is; undefined where the last chance has passed. "Now" counts as passed, since upstream's
 * nanoseconds are always some beyond it: a watch of exactly 2 s gets no bookmark (facts/server §3.11). While the bookmark
 * that ends the initial events is owed, it is due at every tick.
 */
export function nextBookmarkTime(
  now: number,
  watcher: { deadline: number; owesInitialEventsEnd: boolean },
): number | undefined {
  if (watcher.owesInitialEventsEnd) return now;
  const due = Math.min(now + BOOKMARK_PERIOD_MS, watcher.deadline - BEFORE_DEADLINE_MS);
  return due <= now ? undefined : due;
}

/**
 * Watchers by the second in which their bookmark is due (upstream watcherBookmarkTimeBuckets). A bucket is due when its
 * second has begun, so a bookmark may come up to a second early, and the one before the deadline twice (facts/server §3.11).
 */
export class BookmarkBuckets {
  readonly #clock: Clock;
  readonly #created: number;
  readonly #buckets = new Map<number, CacheWatcher[]>();
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#created = clock.now();
  }

  /** Files a watcher for its next bookmark; false where none is due any more. */
  add(watcher: CacheWatcher): boolean {
    const due = nextBookmarkTime(this.#clock.now(), watcher);
    if (due === undefined) return false;
    const bucket = Math.max(this.#bucketOf(due), this.#next);
    const filed = this.#buckets.get(bucket);
    if (filed) filed.push(watcher);
    else this.#buckets.set(bucket, [watcher]);
    return true;
  }

  /** Takes out all whose second has begun. Watchers that ended stay filed until then, so the caller must look. */
  popExpired(): CacheWatcher[] {
    const current = this.#bucketOf(this.#clock.now());
    const expired: CacheWatcher[] = [];
    for (; this.#next <= current; this.#next += 1) {
      const filed = this.#buckets.get(this.#next);
      if (!filed) continue;
      this.#buckets.delete(this.#next);
      for (const watcher of filed) expired.push(watcher);
    }
    return expired;
  }

  #bucketOf(time: number): number {
    return Math.floor((time - this.#created) / BUCKET_MS);
  }
}
