import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleepOn, type Timer } from './clock.ts';

/** What the clock knows of the event loop that it runs on. */
export interface LoopView {
  /** Real ms, never falling. */
  real(): number;
  /** Of these, the ms that the loop has slept, waiting for something to happen. */
  idle(): number;
  /** I/O events (a readable socket, a new connection) that the loop has handled so far. */
  ioEvents(): number;
  /** Calls `run` after one full turn of the loop: whatever was ready on a socket has been handled. */
  soon(run: () => void): void;
  /** Calls `run` about so many real ms from now. Returns what cancels it. */
  after(ms: number, run: () => void): () => void;
}

interface Pending {
  due: number;
  fire: () => void;
}

/**
 * Sockets that are busy for so long without a pause, real ms, no longer hold the clock: a client from outside may stream for
 * ever. What one step of a script sets off is over within some tens of ms.
 */
const BUSY_MAX_MS = 1000;

/** What a number of ms since 1970 can still hold. */
const LEAST_STEP_MS = 0.001;

/** Timers of Node come up to 2 ms late; what that is worth, times the speed, is caught up. More is a machine that was busy. */
const CATCH_UP_REAL_MS = 4;

/**
 * A clock that runs faster than real time without outrunning the sockets. Where a plain scaled clock runs ×100, a request that
 * takes 10 ms of work costs a second, and what was to follow it has happened before it. Here virtual time passes fast while
 * the process has nothing to do, and like real time while it works; it stops at each timer that is due until that has
 * fired, and no timer fires before a turn of the loop has passed in which no socket had anything to say. So the order of what
 * happens is that of ×1, whatever the speed; a speed that the machine cannot hold makes the run slower, never different.
 */
export class PacedClock implements Clock {
  /** Times faster than real time, while there is nothing to do. */
  readonly speed: number;
  readonly #loop: LoopView;
  /** Ordered by due time; of equal ones the first set comes first. */
  readonly #pending: Pending[] = [];
  #now: number;
  /** The last reading. */
  #told = Number.NEGATIVE_INFINITY;
  /** Time that passed while a timer was due and had not fired: the next timers come that much sooner. */
  #owed = 0;
  #seen: { real: number; idle: number };
  #ioEvents = 0;
  /** Real time since which no turn was quiet. */
  #busySince: number | undefined;
  /** Turns that somebody waits for: work goes on. */
  #turning = 0;
  #armed: 'soon' | 'firing' | { cancel: () => void; due: number } | undefined;

  constructor(speed: number, startAt: number = Date.now(), loop: LoopView = nodeLoop()) {
    this.speed = speed;
    this.#loop = loop;
    this.#now = startAt;
    this.#seen = { real: loop.real(), idle: loop.idle() };
  }

  /** Two readings are never the same: what happens later is later, also while a timer that is due holds the time. */
  now(): number {
    this.#advance();
    if (this.#now <= this.#told) this.#now = this.#told + LEAST_STEP_MS;
    this.#told = this.#now;
    return this.#now;
  }

  timer(ms: number, fire: () => void): Timer {
    const pending = { due: this.now() + Math.max(ms || 0, 0), fire };
    const at = this.#pending.findLastIndex(({ due }) => due <= pending.due) + 1;
    this.#pending.splice(at, 0, pending);
    this.#arm();
    return {
      cancel: () => {
        const index = this.#pending.indexOf(pending);
        if (index >= 0) this.#pending.splice(index, 1);
        this.#arm();
      },
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  async turn(): Promise<void> {
    this.#turning += 1;
    await nextTurn();
    this.#turning -= 1;
  }

  #advance(): void {
    const real = this.#loop.real();
    const idle = this.#loop.idle();
    const slept = Math.min(Math.max(idle - this.#seen.idle, 0), real - this.#seen.real);
    const passed = real - this.#seen.real + slept * (this.speed - 1);
    this.#seen = { real, idle };
    const until = Math.max(this.#now, this.#pending[0]?.due ?? Number.POSITIVE_INFINITY);
    this.#owed = Math.min(this.#owed + Math.max(this.#now + passed - until, 0), CATCH_UP_REAL_MS * this.speed);
    this.#now = Math.min(this.#now + passed, until);
  }

  /** Sees to it that somebody looks when the next timer is due. */
  #arm(): void {
    const next = this.#pending[0];
    if (this.#armed === 'soon' || this.#armed === 'firing') return;
    if (this.#armed !== undefined) {
      if (this.#armed.due === next?.due) return;
      this.#armed.cancel();
      this.#armed = undefined;
    }
    if (next === undefined) return;
    const wait = (next.due - this.#now - this.#owed) / this.speed;
    if (wait <= 0) this.#lookSoon();
    else {
      const cancel = this.#loop.after(Math.ceil(wait), () => {
        this.#armed = undefined;
        this.#lookSoon();
      });
      this.#armed = { cancel, due: next.due };
    }
  }

  #lookSoon(): void {
    this.#armed = 'soon';
    this.#loop.soon(() => this.#look());
  }

  #look(): void {
    this.#advance();
    this.#armed = undefined;
    const next = this.#pending[0];
    const quiet = this.#isQuiet();
    if (next === undefined || next.due > this.#now + this.#owed) this.#arm();
    else if (quiet) this.#fireAt(next.due);
    else this.#lookSoon();
  }

  /** Nothing came by any socket since the last look, and nobody is at work; or that has gone on for too long. */
  #isQuiet(): boolean {
    const events = this.#loop.ioEvents();
    const busy = events !== this.#ioEvents || this.#turning > 0;
    this.#ioEvents = events;
    if (!busy) {
      this.#busySince = undefined;
      return true;
    }
    this.#busySince ??= this.#loop.real();
    return this.#loop.real() - this.#busySince > BUSY_MAX_MS;
  }

  #fireAt(due: number): void {
    this.#owed -= Math.max(due - this.#now, 0);
    this.#now = Math.max(this.#now, due);
    this.#armed = 'firing';
    try {
      while (this.#pending[0] !== undefined && this.#pending[0].due <= due) this.#pending.shift()?.fire();
    } finally {
      this.#armed = undefined;
      this.#lookSoon();
    }
  }
}

/** The loop of this thread. */
function nodeLoop(): LoopView {
  return {
    real: () => performance.now(),
    idle: () => performance.eventLoopUtilization().idle,
    ioEvents: () => performance.nodeTiming.uvMetricsInfo.events,
    soon: (run) => {
      setImmediate(run);
    },
    after: (ms, run) => {
      const handle = setTimeout(run, ms);
      return () => clearTimeout(handle);
    },
  };
}
