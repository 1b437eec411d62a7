import type { Clock } from '../util/clock.ts';

/** Upstream time_budget.go: waiting time that slow watchers get, ms per second … */
const REFRESH_MS_PER_SECOND = 50;
/** … and how much of it may be saved up. */
const MAX_BUDGET_MS = 100;

/**
 * How long a dispatcher may wait for slow watchers, so that they cost the fast ones 5 % at most. Starts at 0: a cache
 * that has just begun forgives nothing. It grows steadily with time; what a wait did not need is returned.
 */
export class TimeBudget {
  readonly #clock: Clock;
  #budget = 0;
  #lastTaken: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastTaken = clock.now();
  }

  /** Takes all there is, ms: what was returned, and what has come in since it was last taken. */
  takeAvailable(): number {
    const now = this.#clock.now();
    const accrued = (Math.max(now - this.#lastTaken, 0) / 1000) * REFRESH_MS_PER_SECOND;
    this.#lastTaken = now;
    const taken = Math.min(this.#budget + accrued, MAX_BUDGET_MS);
    this.#budget = 0;
    return taken;
  }

  /** Gives back what was not used, ms; a wait that took longer than it was granted returns nothing. */
  returnUnused(unused: number): void {
    if (unused > 0) this.#budget = Math.min(this.#budget + unused, MAX_BUDGET_MS);
  }
}
