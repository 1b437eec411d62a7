import { setImmediate as nextTurn } from 'node:timers/promises';

/** A pending timer. `cancel()` may be called at any time, also after it fired. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as an argument. Nothing else in `src/` reads the wall clock or sets a timer.
 * All values are milliseconds; `now()` counts from the Unix epoch and may be virtual.
 */
export interface Clock {
  now(): number;
  /** Calls `fire` once, `ms` (of this clock) from now. Negative and NaN count as 0. */
  timer(ms: number, fire: () => void): Timer;
  /** Resolves after `ms` of this clock, or at once when `signal` aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * One full turn of the event loop, never scaled: sockets get to write. Owed before a watcher that is blocked is
   * judged slow (a loop that spins on microtasks fills every queue before any socket may move).
   */
  turn(): Promise<void>;
}

/** Calls `then` after one full turn of the event loop: what has already arrived at a socket was read by then. */
export function afterTurn(then: () => void): void {
  setImmediate(then);
}

/** Node keeps a timer's delay in 32 bits; longer ones would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** `clock.sleep` for any clock, built from its `timer`. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = () => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.timer(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A timer of Node's, in several steps where its delay is too long for one. */
class SystemTimer implements Timer {
  #handle: NodeJS.Timeout;

  constructor(ms: number, fire: () => void) {
    this.#handle = ms <= MAX_DELAY_MS ? setTimeout(fire, ms) : setTimeout(() => this.#continue(ms, fire), MAX_DELAY_MS);
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  #continue(ms: number, fire: () => void): void {
    this.#handle = new SystemTimer(ms - MAX_DELAY_MS, fire).#handle;
  }
}

/**
 * The real clock, or one that runs `speed` times faster. A scaled clock runs at ×1 until `start()`: start-up time of
 * a process is not worth `speed` times as much (contract §4, KWATCH_CLOCK_SPEED). Timers set before `start()` keep
 * the delay they were given at ×1.
 */
export class SystemClock implements Clock {
  readonly #speed: number;
  #rate = 1;
  #realStart = 0;
  #virtualStart = 0;

  constructor(speed = 1) {
    this.#speed = speed;
  }

  /** From now on this clock runs at its speed. Later calls do nothing. */
  start(): void {
    if (this.#rate === this.#speed) return;
    this.#realStart = performance.now();
    this.#virtualStart = Date.now();
    this.#rate = this.#speed;
  }

  /** Times faster than real time; 1 until `start()`. */
  get speed(): number {
    return this.#rate;
  }

  now(): number {
    if (this.#rate === 1) return Date.now();
    return this.#virtualStart + (performance.now() - this.#realStart) * this.#rate;
  }

  timer(ms: number, fire: () => void): Timer {
    return new SystemTimer(Math.max(ms || 0, 0) / this.#rate, fire);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  async turn(): Promise<void> {
    await nextTurn();
  }
}
