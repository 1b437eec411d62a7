import { BOOKMARK_PERIOD_MS, BOOKMARK_TICK_MS } from '../../src/cacher/bookmarks.ts';
import type { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import type { ModelWatcher } from './upstream-model-watcher.ts';

/**
 * Upstream's cacheWatcher and dispatchEvents as plainly as they can be written: two queues, one event on the way between them,
 * one loop that hands out, on a clock that is moved by hand. What moves by itself (goroutines) has always moved as far as it can.
 */
export class ModelDispatcher {
  readonly watchers: ModelWatcher[] = [];
  terminated = 0;
  #now: number;
  readonly #created: number;
  #nextTick: number;
  #tickDue = false;
  #lastProcessed = 0;
  readonly #incoming: WatchCacheEvent[] = [];
  #blocked: { event: WatchCacheEvent; watchers: ModelWatcher[]; until: number } | undefined;
  #toStop: ModelWatcher[] = [];
  #budget = 0;
  #budgetTaken: number;
  readonly #buckets = new Map<number, ModelWatcher[]>();
  #nextBucket = 0;

  constructor(now: number) {
    this.#now = now;
    this.#created = now;
    this.#budgetTaken = now;
    this.#nextTick = now + BOOKMARK_TICK_MS;
  }

  get waits(): boolean {
    return this.#blocked !== undefined;
  }

  /** How many it waits for. */
  get blocked(): number {
    return this.#blocked?.watchers.length ?? 0;
  }

  register(watcher: ModelWatcher): void {
    this.watchers.push(watcher);
    if (watcher.bookmarks) this.#file(watcher);
  }

  offer(event: WatchCacheEvent): void {
    this.#incoming.push(event);
    this.#run();
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const at = Math.min(this.#nextTick, this.#blocked?.until ?? Number.POSITIVE_INFINITY);
      if (at > end) break;
      this.#now = at;
      if (at === this.#nextTick) {
        this.#tickDue = true;
        this.#nextTick += BOOKMARK_TICK_MS;
      }
      this.#run();
    }
    this.#now = end;
  }

  /** Something outside has changed: a client reads again. */
  moved(): void {
    for (const watcher of this.watchers) watcher.pump();
    this.#run();
  }

  terminateAll(): void {
    for (const watcher of this.#filed()) this.#forget(watcher, false);
    this.moved();
  }

  leave(watcher: ModelWatcher): void {
    watcher.gone = true;
    watcher.pump();
    if (watcher.filed) this.#forget(watcher, false);
    this.moved();
  }

  #filed(): ModelWatcher[] {
    return this.watchers.filter((watcher) => watcher.filed);
  }

  #run(): void {
    for (;;) {
      if (this.#blocked) this.#waitForBlocked(this.#blocked);
      if (this.#blocked) return;
      if (this.#tickDue) this.#dispatchBookmarks();
      const event = this.#incoming.shift();
      if (!event) return;
      this.#dispatch(event);
    }
  }

  #dispatch(event: WatchCacheEvent): void {
    const blocked = this.#filed().filter((watcher) => !watcher.add(event));
    const granted = blocked.length === 0 ? 0 : this.#takeBudget();
    this.#blocked = { event, watchers: blocked, until: this.#now + granted };
  }

  #waitForBlocked({
    event,
    watchers,
    until,
  }: {
    event: WatchCacheEvent;
    watchers: ModelWatcher[];
    until: number;
  }): void {
    const waited = watchers.length > 0;
    for (let first = watchers[0]; first; first = watchers[0]) {
      if (!first.add(event)) {
        if (this.#now < until) return;
        this.terminated += 1;
        this.#forget(first, first.state === 'received');
      }
      watchers.shift();
    }
    if (waited && until > this.#now) this.#budget = Math.min(this.#budget + until - this.#now, 100);
    this.#blocked = undefined;
    for (const watcher of this.#toStop.splice(0)) watcher.stop();
    this.#lastProcessed = event.rv;
  }

  #takeBudget(): number {
    const taken = Math.min(this.#budget + ((this.#now - this.#budgetTaken) / 1000) * 50, 100);
    this.#budgetTaken = this.#now;
    this.#budget = 0;
    return taken;
  }

  #forget(watcher: ModelWatcher, drain: boolean): void {
    watcher.filed = false;
    watcher.drain = drain;
    if (this.#blocked) this.#toStop.push(watcher);
    else watcher.stop();
  }

  #dispatchBookmarks(): void {
    this.#tickDue = false;
    const due: ModelWatcher[] = [];
    for (; this.#nextBucket <= this.#bucketOf(this.#now); this.#nextBucket += 1) {
      due.push(...(this.#buckets.get(this.#nextBucket) ?? []).filter((watcher) => !watcher.stopped));
    }
    if (this.#lastProcessed > 0) for (const watcher of due) watcher.add({ bookmark: this.#lastProcessed });
    for (const watcher of due) this.#file(watcher);
  }

  #file(watcher: ModelWatcher): void {
    const due = watcher.state === 'waiting' ? this.#now : this.#now + BOOKMARK_PERIOD_MS;
    const bucket = Math.max(this.#bucketOf(due), this.#nextBucket);
    this.#buckets.set(bucket, [...(this.#buckets.get(bucket) ?? []), watcher]);
  }

  #bucketOf(time: number): number {
    return Math.floor((time - this.#created) / 1000);
  }
}
