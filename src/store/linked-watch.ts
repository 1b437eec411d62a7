import { Channel } from '../util/channel.ts';
import type { Revision, Storage, WatchResponse } from './storage.ts';

/** Responses that have arrived and wait for their reader (etcd3/watcher.go `incomingBufSize`); a cut does not take them away. */
const ARRIVED_MAX = 100;

export type WatchRequest = Parameters<Storage['watch']>[0];

/** What a watch needs of the connection that it lies on. */
export interface WatchedConnection {
  readonly store: Storage;
  /** Bytes can pass at this moment. */
  readonly open: boolean;
  /** Resolves when bytes can pass, or the watch is over. */
  whenOpen(signal: AbortSignal): Promise<void>;
}

/**
 * A watch that outlives its connection (etcd clientv3/watch.go): it takes itself up again after the last revision that arrived,
 * without a word to its reader. Only where that revision was compacted meanwhile does the reader get an error.
 */
export class LinkedWatch implements AsyncIterableIterator<WatchResponse, undefined> {
  readonly #connection: WatchedConnection;
  readonly #request: WatchRequest;
  readonly #over: AbortController;
  readonly #arrived = new Channel<WatchResponse>(ARRIVED_MAX);
  /** The first revision that has not arrived; 0: not known, since none was asked for. */
  #next: Revision;
  #failure: unknown;
  #leg: AbortController | undefined;

  /** Starts at the call where the connection is open: what is written afterwards is not missed. */
  constructor(connection: WatchedConnection, request: WatchRequest) {
    this.#connection = connection;
    this.#request = request;
    this.#next = request.startRevision;
    this.#over = new AbortController();
    if (request.signal.aborted) this.#end();
    else request.signal.addEventListener('abort', this.#end, { once: true });
    void this.#follow(connection.open ? this.#openLeg() : undefined);
  }

  /** The connection is lost; what has not arrived yet will be asked for again. */
  breakOff(): void {
    this.#leg?.abort();
  }

  async next(): Promise<IteratorResult<WatchResponse, undefined>> {
    const value = await this.#arrived.receive();
    if (value !== undefined) return { done: false, value };
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<WatchResponse, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #end = (): void => {
    this.#request.signal.removeEventListener('abort', this.#end);
    this.#over.abort();
    this.#leg?.abort();
    this.#arrived.close();
  };

  /** The loop of this watch: one leg a connection. Never rejects. */
  async #follow(first: AsyncIterable<WatchResponse> | undefined): Promise<void> {
    try {
      for (let leg = first; !this.#over.signal.aborted; leg = undefined) {
        if (leg === undefined) {
          await this.#connection.whenOpen(this.#over.signal);
          if (this.#over.signal.aborted) break;
        }
        const ended = await this.#read(leg ?? this.#openLeg());
        if (ended) break;
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#end();
  }

  #openLeg(): AsyncIterable<WatchResponse> {
    this.#leg = new AbortController();
    if (this.#next === 0) void this.#learnStart();
    return this.#connection.store.watch({ ...this.#request, startRevision: this.#next, signal: this.#leg.signal });
  }

  async #learnStart(): Promise<void> {
    const revision = await this.#connection.store.revision();
    this.#next = Math.max(this.#next, revision + 1);
  }

  /** Reads one leg. True: the store itself has ended the watch. */
  async #read(leg: AsyncIterable<WatchResponse>): Promise<boolean> {
    const lost = this.#leg?.signal;
    for await (const response of leg) {
      if (!this.#connection.open) await this.#connection.whenOpen(lost ?? this.#over.signal);
      if (lost?.aborted) return false;
      this.#next = response.revision + 1;
      if (!this.#arrived.trySend(response)) await this.#arrived.send(response);
    }
    return lost?.aborted !== true;
  }
}
