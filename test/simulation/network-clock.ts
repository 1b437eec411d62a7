import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleepOn, type Timer } from '../../src/util/clock.ts';
import type { Traffic } from './virtual-socket.ts';

/** Turns of the event loop in which nothing moved, before time may go on: undici looks at an idle socket for one turn. */
const QUIET_TURNS = 2;
/** A run that never comes to rest is a fault. */
const MAX_TURNS = 100_000;

interface Pending {
  at: number;
  seq: number;
  fire: () => void;
}

/**
 * The one clock of a simulation, server and clients alike. It jumps from timer to timer, and stands still while a byte is on
 * its way, or somebody waits for a turn of the event loop: no silence is ever measured that nobody made.
 */
export class NetworkClock implements Clock {
  readonly #traffic: Traffic;
  readonly #pending = new Set<Pending>();
  #now: number;
  #seq = 0;
  #turning = 0;

  constructor(traffic: Traffic, now = Date.UTC(2026, 0, 1)) {
    this.#traffic = traffic;
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  timer(ms: number, fire: () => void): Timer {
    const pending: Pending = { at: this.#now + Math.max(ms || 0, 0), seq: this.#seq++, fire };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  async turn(): Promise<void> {
    this.#turning += 1;
    await nextTurn();
    this.#turning -= 1;
  }

  /** Lets time go by until `ms` have passed, or `until` resolves. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let due = this.#next(); due !== undefined && due.at <= end; due = this.#next()) {
      this.#now = Math.max(this.#now, due.at);
      this.#pending.delete(due);
      due.fire();
      await this.settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Lets time go by until `work` is done, and returns what it gave. Rejects where nothing is left that could do it. */
  async until<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    work.then(done, done);
    await this.settle();
    while (!settled) {
      const due = this.#next();
      if (due === undefined) throw new Error('the simulation waits for something that never comes');
      this.#now = Math.max(this.#now, due.at);
      this.#pending.delete(due);
      due.fire();
      await this.settle();
    }
    return work;
  }

  /** Everything that is already decided happens; no time passes. */
  async settle(): Promise<void> {
    for (let quiet = 0, turns = 0; quiet < QUIET_TURNS || this.#turning > 0; turns += 1) {
      if (turns > MAX_TURNS) throw new Error('the simulation never comes to rest');
      const { moves } = this.#traffic;
      await nextTurn();
      quiet = this.#traffic.moves === moves ? quiet + 1 : 0;
    }
  }

  #next(): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (!next || pending.at < next.at || (pending.at === next.at && pending.seq < next.seq)) next = pending;
    }
    return next;
  }
}
