import { Fifo } from './fifo.ts';

/** A sender that waits for room. `settle(false)`: it gave up, or the channel was closed. */
interface WaitingSender<T> {
  value: T;
  settle(sent: boolean): void;
}

/**
 * A bounded channel with Go's semantics, on one thread: a send waits while the buffer is full, a receive waits while it
 * is empty, a closed channel hands out what it still holds and then `undefined`. Capacity 0 hands over directly.
 * Values are delivered in the order of sending, waiting senders included. `undefined` is no value.
 *
 * Where Go would `select`, the two `cancel` methods play the other case: who waits gives up.
 */
export class Channel<T> {
  readonly capacity: number;
  /** These are made when there is something in them: a channel that is always empty is small. */
  #buffer: Fifo<T> | undefined;
  #senders: Fifo<WaitingSender<T>> | undefined;
  #receivers: Fifo<(value: T | undefined) => void> | undefined;
  /** The first of them; nearly always the only one. */
  #receiver: ((value: T | undefined) => void) | undefined;
  #closed = false;

  constructor(capacity: number) {
    if (!(Number.isInteger(capacity) && capacity >= 0)) throw new RangeError(`channel capacity ${capacity}`);
    this.capacity = capacity;
  }

  /** Values in the buffer (Go `len(ch)`); waiting senders do not count. */
  get length(): number {
    return this.#buffer?.length ?? 0;
  }

  /** How many wait in `receive`. */
  get receivers(): number {
    return (this.#receiver ? 1 : 0) + (this.#receivers?.length ?? 0);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends without waiting; false where there is no room. Throws on a closed channel, as Go panics. */
  trySend(value: T): boolean {
    if (this.#closed) throw new Error('send on closed channel');
    const receiver = this.#nextReceiver();
    if (receiver) {
      receiver(value);
      return true;
    }
    if (this.length >= this.capacity) return false;
    this.#buffered(value);
    return true;
  }

  /**
   * Sends, waiting for room. Resolves to false where it was not sent: `cancelSends` or `close` came first. Await it
   * only after `trySend` refused, and a send with room costs no microtask.
   */
  send(value: T): Promise<boolean> {
    if (this.trySend(value)) return Promise.resolve(true);
    const senders = this.#senders ?? new Fifo();
    this.#senders = senders;
    return new Promise((settle) => senders.push({ value, settle }));
  }

  /** The next value if one is there, else undefined. */
  tryReceive(): T | undefined {
    const value = this.#buffer?.shift();
    const sender = this.#senders?.shift();
    if (!sender) return value;
    sender.settle(true);
    if (value === undefined) return sender.value;
    this.#buffered(sender.value);
    return value;
  }

  /** The next value, or undefined once the channel is closed and empty, or after `cancelReceives`. */
  receive(): Promise<T | undefined> {
    const value = this.tryReceive();
    if (value !== undefined || this.#closed) return Promise.resolve(value);
    return new Promise((resolve) => this.#wait(resolve));
  }

  /** Everybody who waits in `send` gives up: their sends resolve to false. */
  cancelSends(): void {
    for (let sender = this.#senders?.shift(); sender; sender = this.#senders?.shift()) sender.settle(false);
  }

  /** Everybody who waits in `receive` gets undefined. */
  cancelReceives(): void {
    for (let receiver = this.#nextReceiver(); receiver; receiver = this.#nextReceiver()) receiver(undefined);
  }

  /** No more sends. What is in the buffer can still be received. Closing twice is allowed. */
  close(): void {
    this.#closed = true;
    this.cancelSends();
    this.cancelReceives();
  }

  #buffered(value: T): void {
    this.#buffer ??= new Fifo();
    this.#buffer.push(value);
  }

  #wait(receiver: (value: T | undefined) => void): void {
    if (!this.#receiver) {
      this.#receiver = receiver;
      return;
    }
    this.#receivers ??= new Fifo();
    this.#receivers.push(receiver);
  }

  #nextReceiver(): ((value: T | undefined) => void) | undefined {
    const receiver = this.#receiver;
    this.#receiver = this.#receivers?.shift();
    return receiver;
  }
}
