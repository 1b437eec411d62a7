import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Timer } from '../../src/util/clock.ts';
import { sleepOn } from '../../src/util/clock.ts';

/** A loop that takes turns for ever must not stop the clock. */
const MAX_SETTLE_TURNS = 1_000;

interface Pending {
  at: number;
  seq: number;
  fire: () => void;
}

/**
 * Time that moves only when a test says so. `advance` fires what is due in the order of its time (then of its setting),
 * and lets every reaction in between run to its end, so that a run repeats exactly.
 */
export class FakeClock implements Clock {
  #now: number;
  #seq = 0;
  /** Who waits for a turn right now. */
  #turning = 0;
  readonly #pending = new Set<Pending>();

  constructor(now = Date.UTC(2026, 0, 1)) {
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

  /** A turn of the real event loop: all that is already decided runs; no time passes on this clock. */
  async turn(): Promise<void> {
    this.#turning += 1;
    await nextTurn();
    this.#turning -= 1;
  }

  /** Timers that have not fired yet. */
  get timers(): number {
    return this.#pending.size;
  }

  /** Moves time on by `ms`. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await this.#settle();
    for (let due = this.#nextDue(until); due; due = this.#nextDue(until)) {
      this.#now = Math.max(this.#now, due.at);
      this.#pending.delete(due);
      due.fire();
      await this.#settle();
    }
    this.#now = until;
    await this.#settle();
  }

  /** Time may not move while somebody is between two turns: he would find it later than it was when he began to wait. */
  async #settle(): Promise<void> {
    await nextTurn();
    for (let turns = 0; this.#turning > 0 && turns < MAX_SETTLE_TURNS; turns += 1) await nextTurn();
  }

  #nextDue(until: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.at > until) continue;
      if (!next || pending.at < next.at || (pending.at === next.at && pending.seq < next.seq)) next = pending;
    }
    return next;
  }
}
