import type { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import type { Predicate, WatcherEvent } from '../../src/store/resource-storage.ts';
import { line } from '../support/lab.ts';

type Offered = WatchCacheEvent | { bookmark: number };

const rvOf = (event: Offered) => ('bookmark' in event ? event.bookmark : event.rv);

/** Upstream's cacheWatcher with the handler that reads from it; see upstream-model.ts. */
export class ModelWatcher {
  readonly bookmarks: boolean;
  readonly lines: string[] = [];
  state: 'waiting' | 'received' | 'sent';
  /** In the index of watchers. */
  filed = true;
  stopped = false;
  drain = false;
  /** The request is over. */
  gone = false;
  /** The handler has seen the end. */
  ended = false;
  /** The socket takes nothing; `closing`: after the next event. */
  full = false;
  closing = false;
  readonly #size: number;
  readonly #predicate: Predicate;
  readonly #owed: number;
  readonly #baseline: number;
  readonly #input: Offered[] = [];
  readonly #result: string[] = [];
  #onTheWay: { text: string; bookmark: boolean } | undefined;
  #done = false;
  #loopOver = false;

  constructor(options: { size: number; predicate: Predicate; bookmarks: boolean; owed: number; baseline: number }) {
    this.#size = options.size;
    this.#predicate = options.predicate;
    this.bookmarks = options.bookmarks;
    this.#owed = options.owed;
    this.#baseline = options.baseline;
    this.state = options.owed > 0 ? 'waiting' : 'sent';
  }

  get queues(): { input: number; result: number } {
    return { input: this.#input.length, result: this.#result.length };
  }

  /** What this client is to be told of an event, where that is news to it. */
  news(event: WatchCacheEvent): WatcherEvent | undefined {
    return event.rv > this.#baseline ? event.deliveryFor(this.#predicate) : undefined;
  }

  add(event: Offered): boolean {
    if ('bookmark' in event && event.bookmark < this.#owed) return false;
    if (this.#input.length >= this.#size) return false;
    this.#input.push(event);
    if ('bookmark' in event && this.state === 'waiting') this.state = 'received';
    this.pump();
    return true;
  }

  stop(): void {
    this.stopped = true;
    if (!this.drain) this.#done = true;
    this.pump();
  }

  pump(): void {
    while (this.#process() || this.#read());
    if (!this.#loopOver || this.full || this.#result.length > 0) return;
    this.ended = true;
  }

  /** One step of the loop between the queues. */
  #process(): boolean {
    if (this.#loopOver) return false;
    if (this.#onTheWay) return this.#sendOnTheWay(this.#onTheWay);
    const event = this.gone ? undefined : this.#input.shift();
    if (event) this.#take(event);
    else if (this.stopped || this.gone) this.#loopOver = true;
    else return false;
    return true;
  }

  #sendOnTheWay({ text, bookmark }: { text: string; bookmark: boolean }): boolean {
    if (this.#done) {
      this.#onTheWay = undefined;
      return true;
    }
    if (this.#result.length >= this.#size) return false;
    this.#result.push(text);
    if (bookmark) this.state = 'sent';
    this.#onTheWay = undefined;
    return true;
  }

  #take(event: Offered): void {
    const bookmark = 'bookmark' in event;
    const owed = bookmark && rvOf(event) === this.#baseline && this.state !== 'sent';
    if ((rvOf(event) <= this.#baseline && !owed) || this.#done) return;
    const delivery = bookmark
      ? { type: 'BOOKMARK' as const, rv: event.bookmark, ...(this.state !== 'sent' && { initialEventsEnd: true }) }
      : event.deliveryFor(this.#predicate);
    if (delivery) this.#onTheWay = { text: line(delivery), bookmark };
  }

  #read(): boolean {
    if (this.full) return false;
    const text = this.#result.shift();
    if (text === undefined) return false;
    this.lines.push(text);
    if (this.closing) {
      this.closing = false;
      this.full = true;
    }
    return true;
  }
}
