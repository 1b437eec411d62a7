import type { Clock, Timer } from '../util/clock.ts';
import { Condition } from '../util/condition.ts';
import type { Random } from '../util/random.ts';
import { nextAttempt } from './dial-backoff.ts';
import { LinkedWatch, type WatchedConnection, type WatchRequest } from './linked-watch.ts';
import type { Cancellable, RangeRequest, RangeResult, Revision, Storage, WriteResult } from './storage.ts';
import { StoreError } from './storage.ts';
import type { CompactReason } from './trace.ts';

/**
 * What lies between a client and the store. `refused`: connections were reset and new ones are turned away. `reset`: each new
 * one is accepted, and broken off at its first request. `silent`: connections stay, no byte passes.
 */
export type Wire = 'connected' | 'refused' | 'reset' | 'silent';

/** Requests that wait on one connection at a time; in life memory is the bound. */
const HELD_MAX = 10_000;

/** etcd clientv3/watch.go `maxBackoff`, ms: how long a broken watch waits at most before it is tried on a connection that stands. */
const RETRY_MS = 100;

/**
 * How long a client believes in a silent connection, ms: 40 s after the last byte (etcd3.go `keepaliveTime` 30 s and
 * `keepaliveTimeout` 10 s), which was a progress notify at most 5 s before the silence began.
 */
const KEEPALIVE_MS = 37_500;

/** gRPC's words for a request that was on a connection which broke; an apiserver passes them on raw. */
const UNAVAILABLE = 'rpc error: code = Unavailable desc = ';
const RESET_TEXT = `${UNAVAILABLE}error reading from server: EOF`;
const KEEPALIVE_TEXT = `${UNAVAILABLE}keepalive ping failed to receive ACK within timeout`;

/**
 * One client of the store with one connection, as each storage of an apiserver has one (etcd clientv3 with WaitForReady):
 *
 *     connected   requests are answered
 *     refused     requests wait until there is a connection again, or until their own end; it is tried with back-off
 *     reset       requests fail at once
 *     silent      requests wait; after 37.5 s the connection is given up, and what was on it fails
 *
 * Watches hear nothing of all that: they take themselves up again (LinkedWatch).
 */
export class StoreConnection implements Storage, WatchedConnection {
  readonly store: Storage;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #changed = new Condition();
  readonly #watches = new Set<LinkedWatch>();
  #wire: Wire = 'connected';
  /** The client believes that it has a connection. */
  #up = true;
  /** When the connection was lost, ms, and in which words what was on it failed. */
  #lostAt = 0;
  #lossText = RESET_TEXT;
  /** The next attempt to connect, or in silence the moment when the client gives up. */
  #timer: Timer | undefined;
  #closed = false;

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
    this.#timer?.cancel();
    if (wire === 'refused' || wire === 'reset') this.#lose(RESET_TEXT);
    else if (wire === 'connected') this.#comeBack(before);
    else if (this.#up) this.#timer = this.#clock.timer(KEEPALIVE_MS, () => this.#lose(KEEPALIVE_TEXT));
    this.#changed.broadcast();
  }

  /** A new process: it has no memory of failed attempts. */
  renew(): void {
    this.#lostAt = this.#clock.now();
    if (this.#wire !== 'connected' || this.#up) return;
    this.#timer?.cancel();
    this.#connect();
  }

  /** For good: nobody waits any longer. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#changed.broadcast();
  }

  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.open && !signal.aborted && !this.#closed) await this.#changed.wait(signal);
  }

  async revision(options: Cancellable = {}): Promise<Revision> {
    if (!this.open) await this.#pass(options);
    return this.store.revision();
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    if (!this.open) await this.#pass(request);
    return this.store.range(request);
  }

  async put(key: string, value: Uint8Array, expect?: Revision, options: Cancellable = {}): Promise<WriteResult> {
    if (!this.open) await this.#pass(options);
    return this.store.put(key, value, expect);
  }

  async delete(key: string, expect?: Revision, options: Cancellable = {}): Promise<WriteResult> {
    if (!this.open) await this.#pass(options);
    return this.store.delete(key, expect);
  }

  async compact(revision: Revision, why?: CompactReason): Promise<void> {
    if (!this.open) await this.#pass({});
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

  /** Waits until a request can pass. Throws where it cannot, or where it ended before; then it was not done. */
  async #pass({ signal }: Cancellable): Promise<void> {
    if (this.#changed.size >= HELD_MAX) throw new StoreError('unavailable', 'too many requests wait for the store');
    while (!this.open) {
      if (this.#wire === 'reset') throw new StoreError('unavailable', RESET_TEXT);
      const wasSent = this.#up;
      await this.#changed.wait(signal);
      if (signal?.aborted || this.#closed) throw new StoreError('unavailable', 'context canceled');
      if (wasSent && !this.#up) throw new StoreError('unavailable', this.#lossText);
    }
  }

  #lose(text: string): void {
    this.#up = false;
    this.#lostAt = this.#clock.now();
    this.#lossText = text;
    for (const watch of this.#watches) watch.breakOff();
    this.#changed.broadcast();
  }

  #comeBack(from: Wire): void {
    if (this.#up) return;
    const now = this.#clock.now();
    const at = from === 'refused' ? nextAttempt(this.#lostAt, now, this.#random) : now + RETRY_MS * this.#random();
    this.#timer = this.#clock.timer(at - now, () => this.#connect());
  }

  #connect(): void {
    this.#up = true;
    this.#changed.broadcast();
  }
}
