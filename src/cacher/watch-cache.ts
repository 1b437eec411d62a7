import { ApiError } from '../protocol/api-error.ts';
import * as status from '../protocol/status.ts';
import type { ObjectRange } from '../store/object-range.ts';
import { keyOfObject } from '../store/object-store.ts';
import { OrderedMap } from '../store/ordered-map.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { tooLargeResourceVersion } from '../store/storage-errors.ts';
import type { Clock } from '../util/clock.ts';
import type { CacherMetrics } from './cacher-metrics.ts';
import { HistoryFloor, type RebuildReason } from './history-floor.ts';
import { type ChangeType, WatchCacheEvent } from './watch-cache-event.ts';
import { EVENT_FRESH_MS, type WatchCacheHistory } from './watch-cache-history.ts';
import { RingInterval, StoreInterval, type WatchCacheInterval } from './watch-cache-interval.ts';

/** watch_cache.go `blockTimeout`, ms: the longest wait for a cache that lags behind. */
const BLOCK_TIMEOUT_MS = 3_000;
/** watch_cache.go `resourceVersionTooHighRetrySeconds`. */
const TOO_HIGH_RETRY_SECONDS = 1;

/** Channel sizes of a watcher, upstream `suggestedWatchChannelSize` (facts/server §3.7). */
const MIN_CHANNEL = 10;
const MAX_CHANNEL = { triggerUsed: 10, triggerUnused: 1000, noTrigger: 100 };

interface Element {
  key: string;
  object: StoredObject;
}

interface Waiter {
  rv: number;
  resolve(): void;
}

export interface WatchCacheOptions {
  clock: Clock;
  history: WatchCacheHistory;
  resourcePrefix: string;
  metrics: CacherMetrics;
}

/**
 * State and recent history of one resource (upstream watch_cache.go). Everything here is synchronous but the waits: where
 * upstream holds the lock, no `await` may stand.
 */
export class WatchCache {
  readonly history: WatchCacheHistory;
  readonly #clock: Clock;
  readonly #resourcePrefix: string;
  readonly #metrics: CacherMetrics;
  readonly #store = new OrderedMap<Element>();
  readonly #floor: HistoryFloor;
  readonly #waiters = new Set<Waiter>();
  #resourceVersion = 0;
  /** The state as initial events, kept until the cache moves on: watchers that start together share it. */
  #snapshot: readonly WatchCacheEvent[] | undefined;

  constructor(options: WatchCacheOptions) {
    this.history = options.history;
    this.#clock = options.clock;
    this.#resourcePrefix = options.resourcePrefix;
    this.#metrics = options.metrics;
    this.#floor = new HistoryFloor(options.history, options.clock);
  }

  /** RV of the last event or progress notify. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** Objects of the whole resource. */
  get size(): number {
    return this.#store.size;
  }

  /** How many objects pass; looks at all of them. */
  count(passes: (object: StoredObject) => boolean): number {
    return this.#store.values().filter(({ object }) => passes(object)).length;
  }

  /** RV of the last relist; 0 before the first. */
  get listResourceVersion(): number {
    return this.#floor.listResourceVersion;
  }

  /** Smallest RV that a watch may start from; undefined before the first list. */
  get floor(): number | undefined {
    const oldest = this.#floor.oldest();
    return oldest === undefined ? undefined : oldest - 1;
  }

  /** Takes a change from storage into state and history. The result is for the dispatcher. */
  processEvent(type: ChangeType, object: StoredObject): WatchCacheEvent {
    const key = keyOfObject(this.#resourcePrefix, object.content);
    const prevObject = this.#store.get(key)?.object;
    const event = new WatchCacheEvent({ type, object, prevObject, key, rv: object.rv, recordTime: this.#clock.now() });
    this.#metrics.eventsReceived.value += 1;
    this.history.append(event);
    if (type === 'DELETED') this.#store.delete(key);
    else this.#store.set(key, { key, object });
    this.updateResourceVersion(object.rv);
    return event;
  }

  /** The storage is at `rv`, with or without an event. */
  updateResourceVersion(rv: number): void {
    this.#resourceVersion = rv;
    this.#snapshot = undefined;
    for (const waiter of this.#waiters) if (waiter.rv <= rv) waiter.resolve();
  }

  /** A new list: state is replaced, history begins anew. `because`: why there had to be one. */
  replace(objects: readonly StoredObject[], rv: number, because: RebuildReason): void {
    this.#floor.relisted(rv, because);
    this.history.reset();
    this.#store.clear();
    for (const object of objects) {
      const key = keyOfObject(this.#resourcePrefix, object.content);
      this.#store.set(key, { key, object });
    }
    this.updateResourceVersion(rv);
  }

  /**
   * What a watch from `rv` must be sent before live events: the whole decision of facts/server §3.4, row by row. Throws the
   * 410 (with its cause) where history does not reach back that far.
   */
  getAllEventsSince(rv: number, sendInitialEvents: boolean | undefined): WatchCacheInterval {
    if (sendInitialEvents) return this.#intervalFromStore();
    const oldest = this.#floor.oldest();
    if (oldest === undefined) throw new ApiError(status.rawInternalError("watch cache isn't correctly initialized"));
    if (rv === 0 && sendInitialEvents === undefined) return this.#intervalFromStore();
    const from = rv === 0 ? this.#resourceVersion : rv;
    if (from < oldest - 1) throw this.#floor.expired(from, oldest);
    return new RingInterval(this.history, this.history.firstAfter(from), this.history.endIndex);
  }

  /**
   * Waits until the cache has seen `requested`, 3 s at most; then the 504 that tells the client to come back (facts/server
   * §3.5). `requested` as the client wrote it; "" and "0" never wait.
   */
  async waitUntilFreshAndBlock(requested: string): Promise<void> {
    const rv = Number(requested);
    if (this.#resourceVersion >= rv) return;
    const fresh = await this.#freshOrTimeout(rv);
    if (!fresh) throw tooLargeResourceVersion(requested, this.#resourceVersion, TOO_HIGH_RETRY_SECONDS);
  }

  /** The present state of a key, at least as fresh as `requested`. */
  async waitUntilFreshAndGet(requested: string, key: string): Promise<StoredObject | undefined> {
    await this.waitUntilFreshAndBlock(requested);
    return this.#store.get(key)?.object;
  }

  /** The state below a range in key order, at least as fresh as `requested`, and the RV it stands for. */
  async waitUntilFreshAndList(requested: string, range: ObjectRange): Promise<{ objects: StoredObject[]; rv: number }> {
    await this.waitUntilFreshAndBlock(requested);
    const objects: StoredObject[] = [];
    this.#store.forRange(range.key, range.end, (element) => {
      objects.push(element.object);
    });
    return { objects, rv: this.#resourceVersion };
  }

  /** Room for about one second of history, within bounds that depend on how many watchers an event must be offered to. */
  suggestedWatchChannelSize(indexExists: boolean, triggerUsed: boolean): number {
    const size = Math.ceil(this.history.capacity / (EVENT_FRESH_MS / 1000));
    const max = triggerUsed ? MAX_CHANNEL.triggerUsed : indexExists ? MAX_CHANNEL.triggerUnused : MAX_CHANNEL.noTrigger;
    return Math.min(Math.max(size, MIN_CHANNEL), max);
  }

  /**
   * Each object keeps its own RV, while its event counts as one of the cache's present RV: nothing up to that may follow.
   */
  #intervalFromStore(): WatchCacheInterval {
    const common = {
      type: 'ADDED',
      prevObject: undefined,
      rv: this.#resourceVersion,
      recordTime: this.#clock.now(),
    } as const;
    this.#snapshot ??= this.#store.values().map((element) => new WatchCacheEvent({ ...element, ...common }));
    return new StoreInterval(this.#snapshot);
  }

  #freshOrTimeout(rv: number): Promise<boolean> {
    return new Promise((settle) => {
      const finish = (fresh: boolean) => {
        timer.cancel();
        this.#waiters.delete(waiter);
        settle(fresh);
      };
      const waiter: Waiter = { rv, resolve: () => finish(true) };
      const timer = this.#clock.timer(BLOCK_TIMEOUT_MS, () => finish(false));
      this.#waiters.add(waiter);
    });
  }
}
