import type { Clock, Timer } from '../util/clock.ts';
import { Fifo } from '../util/fifo.ts';
import type { Revision, StoreError, StoreEvent, WatchResponse } from './storage.ts';

type Result = IteratorResult<WatchResponse, undefined>;

export interface StoreWatchOptions {
  /** Events below it are not for this watch: it started in the future. */
  startRevision: Revision;
  signal: AbortSignal;
  /** Called once, when the watch takes no more events. */
  onEnd: (watch: StoreWatch) => void;
  /** Progress notifies: how often, by which clock, and the store's revision at that time. */
  progress?: { clock: Clock; everyMs: number; revision: () => Revision };
}

interface Waiter {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * One watch of the store: a queue that the store fills and one reader empties. A reader that lags is not cut off (in
 * life the etcd client buffers without a bound, inside the apiserver); the store bounds what it may hold after a
 * compaction, see `MvccStore`.
 */
export class StoreWatch implements AsyncIterableIterator<WatchResponse, undefined> {
  readonly #options: StoreWatchOptions;
  readonly #queue = new Fifo<WatchResponse>();
  readonly #waiters = new Fifo<Waiter>();
  #queuedBytes = 0;
  #failure: StoreError | undefined;
  #ended = false;
  #timer: Timer | undefined;
  /** etcd `sws.progress`: a tick sends only where no event was sent since the tick before. True for a new watch. */
  #idleSinceTick = true;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
    if (options.signal.aborted) {
      this.#end();
      return;
    }
    options.signal.addEventListener('abort', this.#stop, { once: true });
    this.#armProgress();
  }

  /** Bytes of values that wait for the reader. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Hands on an event of this watch's range. The response is shared between watches. */
  offer(response: WatchResponse & { kind: 'events' }): void {
    if (this.#ended || response.revision < this.#options.startRevision) return;
    this.#idleSinceTick = false;
    this.#push(response);
  }

  /** Ends the watch with an error, which the reader gets after everything that is queued. */
  fail(error: StoreError): void {
    if (this.#ended) return;
    this.#failure = error;
    this.#end();
    this.#answerWaiters();
  }

  /** `fail`, and what is queued is dropped: the reader was too far behind. */
  cutOff(error: StoreError): void {
    this.#dropQueue();
    this.fail(error);
  }

  next(): Promise<Result> {
    const response = this.#take();
    if (response) return Promise.resolve({ done: false, value: response });
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#ended) this.#answerWaiters();
    });
  }

  return(): Promise<Result> {
    this.#stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #stop = (): void => {
    this.#dropQueue();
    this.#end();
    this.#answerWaiters();
  };

  #push(response: WatchResponse): void {
    const waiter = this.#waiters.shift();
    if (waiter) {
      waiter.resolve({ done: false, value: response });
      return;
    }
    this.#queue.push(response);
    this.#queuedBytes += bytesOf(response);
  }

  #take(): WatchResponse | undefined {
    const response = this.#queue.shift();
    if (response) this.#queuedBytes -= bytesOf(response);
    return response;
  }

  #dropQueue(): void {
    this.#queue.clear();
    this.#queuedBytes = 0;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.cancel();
    this.#options.signal.removeEventListener('abort', this.#stop);
    this.#options.onEnd(this);
  }

  /** Nobody waits while something is queued, so who waits at the end gets the error (one of them) or the end. */
  #answerWaiters(): void {
    for (let waiter = this.#waiters.shift(); waiter; waiter = this.#waiters.shift()) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) waiter.reject(failure);
      else waiter.resolve({ done: true, value: undefined });
    }
  }

  /**
   * etcd `serverWatchStream` ticks once an interval, per stream; a watch that had events since the tick before is
   * passed over. So after an event a notify takes one to two intervals (facts/server §3.11).
   */
  #armProgress(): void {
    const progress = this.#options.progress;
    if (!progress) return;
    this.#timer = progress.clock.timer(progress.everyMs, () => {
      this.#armProgress();
      const synced = this.#queue.length === 0;
      if (this.#idleSinceTick && synced) this.#push({ kind: 'progress', revision: progress.revision() });
      this.#idleSinceTick = true;
    });
  }
}

function bytesOf(response: WatchResponse): number {
  if (response.kind === 'progress') return 0;
  return response.events.reduce((sum: number, event: StoreEvent) => sum + (event.kv?.value.byteLength ?? 0), 0);
}
