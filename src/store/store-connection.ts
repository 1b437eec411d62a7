import type { Clock, Timer } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { nextAttempt } from './dial-backoff.ts';
import { LinkedWatch, type WatchedConnection, type WatchRequest } from './linked-watch.ts';
import type { RangeResult, Revision, Storage, WriteResult } from './storage.ts';
import { StoreError } from './storage.ts';
import type { CompactReason } from './trace.ts';

/**
 * What lies between a client and the store. `refused`: connections were reset and new ones are turned away. `reset`: each new
 * one is accepted, and broken off at its first request. `silent`: connections stay, no byte passes.
 */
export type Wire = 'connected' | 'refused' | 'reset' | 'silent';

/** Requests that wait on one connection at a time; in life memory is the bound. */
const HELD_MAX = 10_000;

/** etcd clientv3/watch.go `maxBackoff`, ms: how long a broken watch or request waits at most before it is tried on a connection that stands. */
const RETRY_MS = 100;

/**
 * One client of the store with one connection, as each storage of an apiserver has one (etcd clientv3, WaitForReady): a request
 * that finds no connection waits until there is one, or until its own end. Nothing fails, and nothing is lost.
 */
export class StoreConnection implements Storage, WatchedConnection {
  readonly store: Storage;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #held = new Set<() => void>();
  readonly #watches = new Set<LinkedWatch>();
  #wire: Wire = 'connected';
  #up = true;
  /** When the connection was lost, ms. */
  #lostAt = 0;
  #timer: Timer | undefined;

  constructor(options: { store: Storage; clock: Clock; random: Random }) {
    this.store = options.store;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  get open(): boolean {
    return this.#up && this.#wire === 'connected';
  }

  /** Changes what lies between. Back on the line, the client is there again at its next attempt. */
  set(wire: Wire): void {
    const before = this.#wire;
    if (wire === before) return;
    this.#wire = wire;
    if (wire === 'refused' || wire === 'reset') this.#lose();
    else if (wire === 'connected') this.#comeBack(before);
  }

  /** A new process: it has no memory of failed attempts. */
  renew(): void {
    this.#lostAt = this.#clock.now();
    if (this.#wire === 'connected') this.#connect();
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#timer?.cancel();
    this.#release();
  }

  whenOpen(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!this.open && !signal.aborted) return;
        this.#held.delete(check);
        signal.removeEventListener('abort', check);
        resolve();
      };
      this.#held.add(check);
      signal.addEventListener('abort', check, { once: true });
      check();
    });
  }

  async revision(): Promise<Revision> {
    if (!this.open) await this.#pass();
    return this.store.revision();
  }

  async range(request: Parameters<Storage['range']>[0]): Promise<RangeResult> {
    if (!this.open) await this.#pass();
    return this.store.range(request);
  }

  async put(key: string, value: Uint8Array, expect?: Revision): Promise<WriteResult> {
    if (!this.open) await this.#pass();
    return this.store.put(key, value, expect);
  }

  async delete(key: string, expect?: Revision): Promise<WriteResult> {
    if (!this.open) await this.#pass();
    return this.store.delete(key, expect);
  }

  async compact(revision: Revision, why?: CompactReason): Promise<void> {
    if (!this.open) await this.#pass();
    return this.store.compact(revision, why);
  }

  watch(request: WatchRequest): LinkedWatch {
    const watch = new LinkedWatch(this, request);
    if (!request.signal.aborted) {
      this.#watches.add(watch);
      request.signal.addEventListener('abort', () => this.#watches.delete(watch), { once: true });
    }
    return watch;
  }

  async #pass(): Promise<void> {
    if (this.#held.size >= HELD_MAX) throw new StoreError('unavailable', 'too many requests wait for the store');
    await this.whenOpen(new AbortController().signal);
  }

  #lose(): void {
    this.#timer?.cancel();
    this.#up = false;
    this.#lostAt = this.#clock.now();
    for (const watch of this.#watches) watch.breakOff();
  }

  #comeBack(from: Wire): void {
    if (this.#up) {
      this.#release();
      return;
    }
    const now = this.#clock.now();
    const at = from === 'refused' ? nextAttempt(this.#lostAt, now, this.#random) : now + RETRY_MS * this.#random();
    this.#timer?.cancel();
    this.#timer = this.#clock.timer(at - now, () => this.#connect());
  }

  #connect(): void {
    if (this.#wire !== 'connected') return;
    this.#up = true;
    this.#release();
  }

  #release(): void {
    for (const check of [...this.#held]) check();
  }
}
