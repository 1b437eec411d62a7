import type { Socket } from 'node:net';
import type { Clock, Timer } from '../util/clock.ts';

/** What a middlebox does to each connection by itself; ms of the clock. Absent: it does not. */
export interface MiddleboxRules {
  /** A connection without a byte in either direction for so long is closed (HAProxy `timeout tunnel`, AWS idle timeout). */
  idleMs?: number;
  /** A connection is closed when it is so old (Envoy `max_connection_duration`). */
  ageMs?: number;
  /** Of the answer to a watch, what comes is kept and handed on together so often: a proxy that buffers or compresses. */
  holdMs?: number;
}

/** A request's head that asks for a watch, as HTTP/1.1 spells it. */
const ASKS_FOR_WATCH = /^GET [^ \r\n]*[?&]watch=/m;

/** Bytes of an answer that are held back; more are handed on at once, as by any proxy whose buffer is full. */
const MAX_HELD = 256 * 1024;

/** One connection through a middlebox: the client's half (`near`), and the one to the apiserver (`far`). */
export class MiddleConnection {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #clock: Clock;
  readonly #rules: MiddleboxRules;
  readonly #timers: { idle?: Timer; age?: Timer; hold?: Timer } = {};
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** It carries a watch, and the head of its answer has passed. */
  #asked = false;
  #holding = false;
  #halving = false;
  #forgotten = false;

  /** `over`: both halves are gone. */
  constructor(sockets: { near: Socket; far: Socket }, clock: Clock, rules: MiddleboxRules, over: () => void) {
    const { near, far } = sockets;
    this.#near = near;
    this.#far = far;
    this.#clock = clock;
    this.#rules = rules;
    near.setNoDelay(true);
    far.setNoDelay(true);
    near.on('data', (bytes: Buffer) => this.#up(bytes));
    far.on('data', (bytes: Buffer) => this.#down(bytes));
    near.on('drain', () => far.resume());
    far.on('drain', () => near.resume());
    far.on('end', () => this.#finish());
    near.on('end', () => far.end());
    // The other half learns how this one ended: a reset stays one.
    far.on('error', () => near.resetAndDestroy());
    near.on('error', () => far.destroy());
    far.on('close', () => this.#finish());
    near.on('close', () => {
      this.#quiet();
      far.destroy();
      over();
    });
    if (rules.ageMs !== undefined) this.#timers.age = clock.timer(rules.ageMs, () => this.close());
    this.#stir();
  }

  /** The client sees a FIN, without the end of the answer. */
  close(): void {
    this.#quiet();
    this.#far.destroy();
    this.#near.end();
  }

  /** The client sees a RST. */
  reset(): void {
    this.#quiet();
    this.#far.destroy();
    this.#near.resetAndDestroy();
  }

  /** The next bytes for the client are cut in the middle, and a FIN follows. */
  halve(): void {
    this.#halving = true;
  }

  /** As a NAT that has lost its entry: both ends believe in the connection, and no packet passes any more. */
  forget(): void {
    this.#quiet();
    this.#forgotten = true;
    this.#near.pause();
    this.#far.pause();
  }

  destroy(): void {
    this.#quiet();
    this.#far.destroy();
    this.#near.destroy();
  }

  #up(bytes: Buffer): void {
    if (this.#forgotten) return;
    this.#stir();
    if (ASKS_FOR_WATCH.test(bytes.toString('latin1'))) this.#asked = true;
    if (!this.#far.write(bytes)) this.#near.pause();
  }

  #down(bytes: Buffer): void {
    if (this.#forgotten) return;
    this.#stir();
    if (this.#halving) {
      this.#near.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      this.close();
    } else if (this.#holding) this.#hold(bytes);
    else {
      // The head of a watch's answer passes: what follows it is what is held.
      this.#holding = this.#asked && this.#rules.holdMs !== undefined;
      if (!this.#near.write(bytes)) this.#far.pause();
    }
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > MAX_HELD) this.#release();
    else this.#timers.hold ??= this.#clock.timer(this.#rules.holdMs ?? 0, () => this.#release());
  }

  #release(): void {
    this.#timers.hold?.cancel();
    delete this.#timers.hold;
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (bytes.length > 0 && !this.#near.write(bytes)) this.#far.pause();
  }

  /** The apiserver is done with the connection. */
  #finish(): void {
    if (this.#forgotten || this.#near.destroyed) return;
    this.#release();
    this.#quiet();
    this.#near.end();
  }

  /** A byte passed: the idle time begins anew. */
  #stir(): void {
    const { idleMs } = this.#rules;
    if (idleMs === undefined) return;
    this.#timers.idle?.cancel();
    this.#timers.idle = this.#clock.timer(idleMs, () => this.close());
  }

  #quiet(): void {
    for (const timer of Object.values(this.#timers)) timer.cancel();
  }
}
