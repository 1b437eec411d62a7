import { Channel } from '../util/channel.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import type { Audience } from './audience.ts';
import { BOOKMARK_TICK_JITTER, BOOKMARK_TICK_MS, BookmarkBuckets } from './bookmarks.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { WatcherOwner } from './cache-watcher-options.ts';
import type { CacherMetrics } from './cacher-metrics.ts';
import { BookmarkEvent } from './input-event.ts';
import { TimeBudget } from './time-budget.ts';
import { WatchCacheEvent } from './watch-cache-event.ts';
import { type EventAddress, type Filing, WatcherIndex } from './watcher-index.ts';

/** cacher.go `incoming`: places between the reflector and the dispatcher; a change takes two, an RV alone one. */
const INCOMING = 100;

/**
 * A flush to this many sockets takes as long as many writes to the store. The next one then comes later, and takes along what is
 * written meanwhile: a system call for several events instead of one each. Who writes after a pause waits for nothing.
 */
const MANY_SOCKETS = 50;
/** A block of this many bytes is worth a system call each: it waits for nothing more. */
const ENOUGH_BYTES = 64 * 1024;
/**
 * How much later, ms: as long as the flush took, and twice that where it brought three events or more. Not at all where it brought one:
 * writes that are further apart than a flush takes would gain nothing and wait for it.
 */
const REST_MS = { least: 2, most: 20 };
const MOST_RESTS = 2;

/** The storage is at `rv`; moves the RV of bookmarks, and is never forwarded. */
export class ProgressEvent {
  readonly rv: number;

  constructor(rv: number) {
    this.rv = rv;
  }
}

export interface DispatcherOptions {
  clock: Clock;
  /** Measures the patience with slow watchers; real time also where `clock` runs faster. */
  budgetClock: Clock;
  random: Random;
  metrics: CacherMetrics;
  /** Where an event belongs in the index of watchers. */
  addressOf: (event: WatchCacheEvent) => EventAddress;
  /** A watcher was too slow and is being closed. */
  onTerminate: (watcher: CacheWatcher) => void;
}

/**
 * Hands each event to the watchers that may care (upstream cacher.go dispatchEvents). One loop, so all watchers see one
 * order. Who has no room is waited for within the time budget, together with all others who have none, and then closed:
 * one slow client must not hold up the rest.
 */
export class Dispatcher implements WatcherOwner {
  readonly #options: DispatcherOptions;
  readonly #incoming = new Channel<WatchCacheEvent | ProgressEvent>(INCOMING);
  readonly #watchers = new WatcherIndex((audience) => this.#flushSoon(audience));
  readonly #bookmarks: BookmarkBuckets;
  readonly #budget: TimeBudget;
  /** RV of bookmarks: the last that was taken from `incoming`. 0 before the first; it survives relists. */
  #lastProcessedResourceVersion = 0;
  #bookmarkTick = false;
  /** While an event is handed out nobody's input is closed: who ends meanwhile waits here. */
  #dispatching = false;
  #watchersToStop: CacheWatcher[] = [];
  readonly #buffer: Audience[] = [];
  /** Audiences with something for their followers: it is handed over when the present turn is over. */
  #pending: Audience[] = [];
  /** No flush before this time of the budget clock, ms. */
  #restUntil = 0;
  /** Events that were handed out since the last flush began. */
  #gathered = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#bookmarks = new BookmarkBuckets(options.clock);
    this.#budget = new TimeBudget(options.budgetClock);
  }

  get incomingLength(): number {
    return this.#incoming.length;
  }

  watchers(): [CacheWatcher, Filing][] {
    return this.#watchers.all();
  }

  /** Queues an event; a promise where the queue is full. */
  offer(event: WatchCacheEvent | ProgressEvent): Promise<void> | undefined {
    if (this.#incoming.closed) return undefined;
    return this.#incoming.trySend(event) ? undefined : this.#offerWaiting(event);
  }

  /**
   * True where a watcher that wants live events above `baseline` may follow its audience: all up to there has been handed
   * out, and nothing is being handed out just now (who had no room for it would miss it).
   */
  mayFollow(baseline: number): boolean {
    return !this.#dispatching && this.#lastProcessedResourceVersion >= baseline;
  }

  /** From now on this watcher is offered events and, if it takes them, bookmarks. */
  register(watcher: CacheWatcher, filing: Filing): void {
    watcher.setAudience(this.#watchers.add(watcher, filing));
    if (watcher.allowWatchBookmarks) this.#bookmarks.add(watcher);
  }

  /** Takes a watcher out and ends it; with `drain` what is in its input is still handed over. */
  forget(watcher: CacheWatcher, drain: boolean): void {
    watcher.setDrainInputBuffer(drain);
    watcher.goApart();
    this.#watchers.delete(watcher);
    this.#stopWatcher(watcher);
  }

  countInitEvents(count: number): void {
    this.#options.metrics.initEvents.value += count;
  }

  /** Ends everybody, without a word. How many there were. */
  terminateAllWatchers(): number {
    const all = this.#watchers.all();
    for (const [watcher] of all) this.forget(watcher, false);
    return all.length;
  }

  /** The loop. Resolves when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#incoming.close(), { once: true });
    const ticking = this.#tick(signal);
    while (!signal.aborted) {
      if (this.#bookmarkTick) this.#dispatchBookmarks();
      // One microtask an event: watchers that wait for it run before the next one is taken.
      const event = await this.#incoming.receive();
      if (event) await this.#dispatch(event);
    }
    await ticking;
  }

  #flushSoon(audience: Audience): void {
    this.#pending.push(audience);
    if (this.#pending.length === 1) void this.#flushNextTurn();
  }

  /** Once a turn: what came in one turn of the event loop goes out together. */
  async #flushNextTurn(): Promise<void> {
    const { clock, budgetClock } = this.#options;
    await clock.turn();
    const rest = this.#restUntil - budgetClock.now();
    const isWorthIt = this.#pending.some((audience) => audience.pendingBytes >= ENOUGH_BYTES);
    if (rest > 0 && !isWorthIt) await budgetClock.sleep(rest);
    const pending = this.#pending;
    const rests = Math.min(this.#gathered - 1, MOST_RESTS);
    this.#pending = [];
    this.#gathered = 0;
    const began = budgetClock.now();
    let sockets = 0;
    for (const audience of pending) sockets += audience.flush();
    const ended = budgetClock.now();
    const pause = Math.min(Math.max(rests * (ended - began), REST_MS.least), REST_MS.most);
    this.#restUntil = sockets < MANY_SOCKETS || rests < 1 ? 0 : ended + pause;
  }

  async #offerWaiting(event: WatchCacheEvent | ProgressEvent): Promise<void> {
    await this.#incoming.send(event);
  }

  /** Upstream's bookmark timer: once a second, and a little later, so that apiservers do not tick together. */
  async #tick(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(BOOKMARK_TICK_MS * (1 + BOOKMARK_TICK_JITTER * random()), signal);
      this.#bookmarkTick = true;
      this.#incoming.cancelReceives();
    }
  }

  #dispatch(event: WatchCacheEvent | ProgressEvent): Promise<void> | undefined {
    const blocked = event instanceof WatchCacheEvent ? this.#dispatchEvent(event) : undefined;
    this.#lastProcessedResourceVersion = event.rv;
    this.#options.metrics.eventsDispatched.value += 1;
    return blocked;
  }

  /** To all whose bookmark is due and who have room: the others wait for their next turn. */
  #dispatchBookmarks(): void {
    this.#bookmarkTick = false;
    const due = this.#bookmarks.popExpired();
    // Before the first event or progress there is no RV to tell: who is due waits for his next turn.
    const rv = this.#lastProcessedResourceVersion;
    const bookmark = rv === 0 ? undefined : new BookmarkEvent(rv);
    for (const watcher of due) {
      if (watcher.stopped) continue;
      if (bookmark) watcher.nonblockingAdd(bookmark);
      // After it was offered: who has got the end of the initial events is due in a minute, and no longer at every tick.
      this.#bookmarks.add(watcher);
    }
  }

  /** A promise where somebody has to be waited for. */
  #dispatchEvent(event: WatchCacheEvent): Promise<void> | undefined {
    this.#dispatching = true;
    this.#gathered += 1;
    this.#buffer.length = 0;
    this.#watchers.collect(this.#options.addressOf(event), this.#buffer);
    const blocked: CacheWatcher[] = [];
    for (const audience of this.#buffer) audience.offer(event, blocked);
    if (blocked.length > 0) return this.#waitForBlocked(event, blocked);
    this.#finishDispatching();
    return undefined;
  }

  async #waitForBlocked(event: WatchCacheEvent, blocked: CacheWatcher[]): Promise<void> {
    // On one thread no socket could write until now: it gets its turn before anybody is judged. The first one may end
    // before any socket was looked at, since it had begun when we came here; the second is a whole one.
    await this.#options.clock.turn();
    await this.#options.clock.turn();
    const slow = blocked.filter((watcher) => !watcher.nonblockingAdd(event));
    if (slow.length > 0) await this.#waitWithinBudget(event, slow);
    this.#finishDispatching();
  }

  /** One timer for all who are slow; when it has fired the rest get no patience at all. */
  async #waitWithinBudget(event: WatchCacheEvent, slow: CacheWatcher[]): Promise<void> {
    const { budgetClock } = this.#options;
    const granted = this.#budget.takeAvailable();
    const started = budgetClock.now();
    let giveUp: (() => void) | undefined;
    let expired = granted <= 0;
    const timer = budgetClock.timer(granted, () => {
      expired = true;
      giveUp?.();
    });
    for (const watcher of slow) {
      if (watcher.nonblockingAdd(event)) continue;
      let sent = false;
      if (!expired) {
        const adding = watcher.add(event);
        giveUp = adding.giveUp;
        sent = await adding.sent;
      }
      if (!sent) this.#terminate(watcher);
    }
    timer.cancel();
    this.#budget.returnUnused(granted - (budgetClock.now() - started));
  }

  #terminate(watcher: CacheWatcher): void {
    this.#options.metrics.terminatedWatchers.value += 1;
    this.#options.onTerminate(watcher);
    this.forget(watcher, watcher.endsGracefully);
  }

  #stopWatcher(watcher: CacheWatcher): void {
    if (this.#dispatching) this.#watchersToStop.push(watcher);
    else watcher.stopNow();
  }

  #finishDispatching(): void {
    this.#dispatching = false;
    const stopping = this.#watchersToStop;
    if (stopping.length === 0) return;
    this.#watchersToStop = [];
    for (const watcher of stopping) watcher.stopNow();
  }
}
