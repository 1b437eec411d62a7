import { LossLog } from './loss-log.ts';
import type { WatchCacheEvent } from './watch-cache-event.ts';

/** watch_cache.go `defaultLowerBoundCapacity`: events a fresh ring holds, and the least it shrinks to. */
export const LOWER_BOUND_CAPACITY = 100;
/** watch_cache.go `defaultUpperBoundCapacity`: 100 × 1024 events, whatever their size. */
export const UPPER_BOUND_CAPACITY = 100 * 1024;
/**
 * watch_cache.go `eventFreshDuration`: ms of history that the ring aims at. The bookmark period (60 s) and something on
 * top: whoever resumes from his last bookmark must find his events. Moves with `BOOKMARK_PERIOD_MS`.
 */
export const EVENT_FRESH_MS = 75_000;

/**
 * The ring of past events (upstream watch_cache.go; from 1.37 a file of its own). Indices only grow, the slot is the index
 * modulo the capacity:
 *
 *     capacity 4, events e0 … e5           slots  e4 e5 e2 e3     start = 2, end = 6, full
 *     one more, e6                                e4 e5 e6 e3     start = 3: e2 was overwritten
 *
 * Before an event goes into a *full* ring, the capacity may change by one step: doubled where the oldest event is younger
 * than 75 s, halved where three quarters are older. A pinned ring has equal bounds and never changes.
 */
export class WatchCacheHistory {
  #lower: number;
  #upper: number;
  readonly #onResize: (from: number, to: number) => void;
  readonly #losses = new LossLog();
  #slots: (WatchCacheEvent | undefined)[];
  #start = 0;
  #end = 0;
  #removedSinceRelist = false;

  /** `capacity`: a number pins the ring (the lab's `--cache-size N`); `auto` is upstream's rule. */
  constructor(capacity: number | 'auto', onResize: (from: number, to: number) => void) {
    if (capacity !== 'auto') checkCapacity(capacity);
    this.#lower = capacity === 'auto' ? LOWER_BOUND_CAPACITY : capacity;
    this.#upper = capacity === 'auto' ? UPPER_BOUND_CAPACITY : capacity;
    this.#onResize = onResize;
    this.#slots = new Array(this.#lower);
  }

  get capacity(): number {
    return this.#slots.length;
  }

  get pinned(): boolean {
    return this.#lower === this.#upper;
  }

  get size(): number {
    return this.#end - this.#start;
  }

  /** Index of the oldest event; equal to `endIndex` where there is none. */
  get startIndex(): number {
    return this.#start;
  }

  /** One past the newest event. */
  get endIndex(): number {
    return this.#end;
  }

  /** True where an event was overwritten since the last relist: the history no longer reaches back to the list. */
  get removedEventSinceRelist(): boolean {
    return this.#removedSinceRelist;
  }

  get oldest(): WatchCacheEvent | undefined {
    return this.size > 0 ? this.at(this.#start) : undefined;
  }

  get newest(): WatchCacheEvent | undefined {
    return this.size > 0 ? this.at(this.#end - 1) : undefined;
  }

  /** The event of an index in [startIndex, endIndex). */
  at(index: number): WatchCacheEvent {
    return this.#slots[index % this.capacity]!;
  }

  /** Adds the newest event, at the cost of the oldest where the ring is full. */
  append(event: WatchCacheEvent): void {
    if (this.#full) this.#resizeFor(event.recordTime);
    if (this.#full) {
      this.#removedSinceRelist = true;
      this.#advanceStart(1);
    }
    this.#slots[this.#end % this.capacity] = event;
    this.#end += 1;
  }

  /** Index of the first event newer than `rv`; `endIndex` where there is none. */
  firstAfter(rv: number): number {
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle).rv > rv) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Empties the ring after a relist. Indices go on, so intervals that still read from it notice. */
  reset(): void {
    this.#slots = new Array(this.capacity);
    this.#start = this.#end;
    this.#removedSinceRelist = false;
    this.#losses.clear();
  }

  /**
   * Pins the ring to `capacity` events from now on (the lab's own: upstream resizes by its rule alone). What no longer
   * fits is lost as if it had been overwritten, oldest first; the rest moves as in upstream's doCacheResizeLocked.
   * Throws a RangeError beyond 1 … UPPER_BOUND_CAPACITY.
   */
  setCapacity(capacity: number): void {
    checkCapacity(capacity);
    this.#lower = capacity;
    this.#upper = capacity;
    this.#resize(capacity);
  }

  /** How long ago the first overwritten event after `rv` was recorded, ms; undefined where none is remembered. */
  lostAgeMs(rv: number, now: number): number | undefined {
    const recorded = this.#losses.firstAfter(rv);
    return recorded === undefined ? undefined : now - recorded;
  }

  get #full(): boolean {
    return this.size === this.capacity;
  }

  /** watch_cache.go resizeCacheLocked; strict comparisons as there. */
  #resizeFor(eventTime: number): void {
    const { capacity } = this;
    if (eventTime - this.at(this.#start).recordTime < EVENT_FRESH_MS) {
      this.#resize(Math.min(capacity * 2, this.#upper));
      return;
    }
    const quarter = this.#slots[(this.#end - Math.floor(capacity / 4)) % capacity]!;
    if (eventTime - quarter.recordTime > EVENT_FRESH_MS) {
      this.#resize(Math.max(Math.floor(capacity / 2), this.#lower));
    }
  }

  #resize(capacity: number): void {
    const from = this.capacity;
    if (capacity === from) return;
    const tooMany = this.size - capacity;
    if (tooMany > 0) {
      this.#removedSinceRelist = true;
      this.#advanceStart(tooMany);
    }
    const slots = new Array<WatchCacheEvent | undefined>(capacity);
    for (let i = this.#start; i < this.#end; i += 1) slots[i % capacity] = this.at(i);
    this.#slots = slots;
    this.#onResize(from, capacity);
  }

  #advanceStart(by: number): void {
    for (let i = 0; i < by; i += 1, this.#start += 1) this.#losses.add(this.at(this.#start));
  }
}

function checkCapacity(capacity: number): void {
  if (Number.isInteger(capacity) && capacity >= 1 && capacity <= UPPER_BOUND_CAPACITY) return;
  throw new RangeError(`ring capacity must be 1 to ${UPPER_BOUND_CAPACITY} events: ${capacity}`);
}
