import type { EventSink, Predicate, Watcher, WatcherEvent } from '../store/resource-storage.ts';
import { Channel } from '../util/channel.ts';
import type { Audience } from './audience.ts';
import type { CacheWatcherOptions } from './cache-watcher-options.ts';
import type { CacheWatcherState } from './cacher-state.ts';
import { Follower } from './follower.ts';
import { InitialEventsEnd } from './initial-events-end.ts';
import { BookmarkEvent, type InputEvent } from './input-event.ts';
import { hasPathPrefix } from './path-prefix.ts';
import type { WatchCacheInterval } from './watch-cache-interval.ts';

/**
 * One client's watch of a cached resource (upstream cache_watcher.go): `input` is filled by the dispatcher, the loop `#process`
 * moves what the client is to see into `result`, the HTTP handler empties that. Both hold the same number of events; when
 * both are full the client is slow.
 *
 * While its client reads along, it *follows* its audience (audience.ts): both queues are empty then, and counted where the
 * socket is full.
 */
export class CacheWatcher implements Watcher {
  readonly id: number;
  readonly deadline: number;
  readonly allowWatchBookmarks: boolean;
  readonly #input: Channel<InputEvent>;
  readonly #result: Channel<WatcherEvent>;
  readonly #options: CacheWatcherOptions;
  readonly #initialEventsEnd = new InitialEventsEnd();
  #drain = false;
  #stopped = false;
  /** Upstream's `done` channel: nothing more goes into `result`. */
  #done = false;
  #lastSentRv: number | undefined;
  readonly #abort = (): void => this.stop();
  #initialized = false;
  #baseline = 0;
  /** Loops that were begun; only the last one goes on. */
  #loops = 0;
  #audience: Audience | undefined;
  #follower: Follower | undefined;
  /** Tells the handler that there is something of this watcher's own again. */
  #wakeHandler: (() => void) | undefined;

  constructor(options: CacheWatcherOptions) {
    this.id = options.id;
    this.deadline = options.deadline;
    this.allowWatchBookmarks = options.allowWatchBookmarks;

    this.#input = new Channel(options.channelSize);
    this.#result = new Channel(options.channelSize);
    this.#options = options;
  }

  get keyPrefix(): string {
    return this.#options.keyPrefix;
  }

  get predicate(): Predicate {
    return this.#options.predicate;
  }

  setAudience(audience: Audience): void {
    this.#audience = audience;
  }

  /** True from the moment its end was decided. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get owesInitialEventsEnd(): boolean {
    return this.#initialEventsEnd.waiting;
  }

  /** True where ending it now should still hand over its input: the bookmark that the client waits for is in there. */
  get endsGracefully(): boolean {
    return this.#initialEventsEnd.received;
  }

  /** True where the client is gone or the request's time is up: whatever ends it now is not the server's doing. */
  get abandoned(): boolean {
    return this.#options.signal.aborted;
  }

  /** What the machine room shows of it. */
  state(): Omit<CacheWatcherState, 'scope'> {
    const { id, deadline, allowWatchBookmarks: bookmarks } = this;
    const { auditId, requestedRv, channelSize } = this.#options;
    const { input, result } = this.#follower?.queued() ?? { input: this.#input.length, result: this.#result.length };
    return {
      id,
      auditId,
      requestedRv,
      input,
      result,
      channelSize,
      lastSentRv: this.#lastSentRv,
      initialized: this.#initialized,
      waitsFor: this.#result.receivers > 0 || this.#follower?.ready ? 'event' : 'client',
      bookmarks,
      deadline,
    };
  }

  next(): Promise<WatcherEvent | undefined> {
    return this.#result.receive();
  }

  poll(): WatcherEvent | undefined {
    return this.#result.tryReceive();
  }

  follow(sink: EventSink): Promise<void> | undefined {
    if (!this.#audience || !this.#isUpToDate()) return undefined;
    this.#follower = new Follower(this, this.#audience, sink, this.#options.channelSize);
    this.#input.cancelReceives();
    return new Promise((wake) => {
      this.#wakeHandler = wake;
    });
  }

  resume(): void {
    this.takeShared();
  }

  /**
   * Hands what waits in the audience's log to the client, where its socket has room. Number of the event that there will
   * be no room for if the client takes nothing more.
   */
  takeShared(): number {
    this.#lastSentRv = this.#follower?.take() ?? this.#lastSentRv;
    return this.#follower?.fullAt() ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Ends following: what the client has not taken is in the two queues then, as if it had never been elsewhere.
   * `withoutLast`: the newest event of the audience's log was not offered to this watcher yet.
   */
  goApart(withoutLast = false): void {
    if (!withoutLast && !this.abandoned) this.takeShared();
    if (!this.#follower) return;
    const events = this.#follower.part(withoutLast);
    this.#follower = undefined;
    // Its loop waits for the first event that finds `result` full.
    void this.#process();
    let overflows = false;
    for (const event of events) {
      overflows ||= this.#result.length === this.#options.channelSize && this.#convertToWatchEvent(event) !== undefined;
      if (overflows) this.#input.trySend(event);
      else void this.#sendWatchCacheEvent(event);
    }
    this.#wakeHandler?.();
    this.#wakeHandler = undefined;
  }

  /** The client or its handler has gone. */
  stop(): void {
    this.#options.owner.forget(this, false);
  }

  /** The end of the initial events is marked by a bookmark at `rv` or above; 0: it is not. */
  setBookmarkAfterResourceVersion(rv: number): void {
    this.#initialEventsEnd.expect(rv);
  }

  setDrainInputBuffer(drain: boolean): void {
    this.#drain = drain;
  }

  /** Offers an event; false where the input is full (or a bookmark comes before the one that is owed). */
  nonblockingAdd(event: InputEvent): boolean {
    if (this.#follower && !this.#goApartFor(event, this.#follower)) return true;
    if (this.#initialEventsEnd.refuses(event) || !this.#input.trySend(event)) return false;
    this.#initialEventsEnd.wasAdded(event);
    return true;
  }

  /** Waits until the event is in the input, or `giveUp` is called. */
  add(event: InputEvent): { sent: Promise<boolean>; giveUp: () => void } {
    return { sent: this.#input.send(event), giveUp: () => this.#input.cancelSends() };
  }

  /** Ends the watcher. Twice is allowed: a second call without `drain` cuts short the draining of a first one with it. */
  stopNow(): void {
    if (!this.#stopped) {
      this.#stopped = true;
      this.#input.close();
    }
    if (this.#drain) return;
    this.#done = true;
    this.#result.cancelSends();
  }

  /** Starts the loop of this watcher, which ends `result` when it ends. */
  start(interval: WatchCacheInterval, requiredResourceVersion: number): void {
    const { signal } = this.#options;
    if (signal.aborted) this.stop();
    else signal.addEventListener('abort', this.#abort);
    // Not one loop: it would keep the interval for as long as the watch lives.
    void this.#processInterval(interval, requiredResourceVersion).then((baseline) => this.#goLive(baseline));
  }

  /**
   * Sends what came before. The RV above which live events are news, or undefined where the stream must end: the ring was
   * overwritten meanwhile (without a word; the client's next attempt gets the 410), or the client has gone.
   */
  async #processInterval(interval: WatchCacheInterval, requiredResourceVersion: number): Promise<number | undefined> {
    let baseline = requiredResourceVersion;
    let count = 0;
    for (let event = interval.next(); event; event = interval.next()) {
      if (event === 'invalidated' || this.#done) return undefined;
      const waiting = this.#sendWatchCacheEvent(event);
      if (waiting) await waiting;
      baseline = Math.max(baseline, event.rv);
      count += 1;
    }
    if (count > 0) this.#options.owner.countInitEvents(count);
    return baseline;
  }

  #goLive(baseline: number | undefined): void {
    if (baseline === undefined) {
      this.#finish();
      return;
    }
    this.#baseline = baseline;
    this.#initialized = true;
    this.#options.onInitialized?.();
    void this.#process();
  }

  /**
   * The loop from input to result. Upstream never moves the baseline: a live event comes once, and in order. While this watcher
   * follows there is nothing to move and no loop: it ends when following begins, and another one is there when it is over.
   */
  async #process(): Promise<void> {
    this.#loops += 1;
    const loop = this.#loops;
    for (;;) {
      const event = this.#input.tryReceive() ?? (await this.#input.receive());
      if (this.#follower || loop !== this.#loops) return;
      if (!event || this.#options.signal.aborted) break;
      const owed = event instanceof BookmarkEvent && event.rv === this.#baseline && !this.#initialEventsEnd.sent;
      if (event.rv <= this.#baseline && !owed) continue;
      const waiting = this.#sendWatchCacheEvent(event);
      if (waiting) await waiting;
    }
    this.#finish();
  }

  #finish(): void {
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.stop();
    this.#result.close();
  }

  /** Nothing waits anywhere between dispatcher and handler, and no bookmark is owed. */
  #isUpToDate(): boolean {
    if (this.#stopped || !this.#initialized || !this.#initialEventsEnd.sent) return false;
    if (this.#result.length > 0 || this.#input.length > 0 || this.#input.receivers === 0) return false;
    return this.#options.owner.mayFollow(this.#baseline);
  }

  /**
   * A follower that is offered something of its own goes apart, for a bookmark, or for an event of its audience's log that
   * it had no room for. False where it has taken that event, or has room for it by now.
   */
  #goApartFor(event: InputEvent, follower: Follower): boolean {
    const bookmark = event instanceof BookmarkEvent;
    if (!bookmark && !follower.missesLast()) return false;
    this.goApart(!bookmark);
    return true;
  }

  /** Moves an event into `result` as this client is to see it. A promise where it has to wait for room. */
  #sendWatchCacheEvent(event: InputEvent): Promise<void> | undefined {
    if (this.#done) return undefined;
    const delivery = this.#convertToWatchEvent(event);
    if (!delivery) return undefined;
    if (!this.#result.trySend(delivery)) return this.#sendWaiting(event, delivery);
    this.#markSent(event);
    return undefined;
  }

  async #sendWaiting(event: InputEvent, delivery: WatcherEvent): Promise<void> {
    if (await this.#result.send(delivery)) this.#markSent(event);
  }

  #markSent(event: InputEvent): void {
    this.#lastSentRv = event.rv;
    this.#initialEventsEnd.wasSent(event);
  }

  #convertToWatchEvent(event: InputEvent): WatcherEvent | undefined {
    if (event instanceof BookmarkEvent) {
      return { type: 'BOOKMARK', rv: event.rv, ...(!this.#initialEventsEnd.sent && { initialEventsEnd: true }) };
    }
    const { keyPrefix, predicate } = this.#options;
    return hasPathPrefix(event.key, keyPrefix) ? event.deliveryFor(predicate) : undefined;
  }
}
