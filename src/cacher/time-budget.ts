import type { Clock } from '../util/clock.ts';

/** Upstream time_budget.go: waiting time that slow watchers get, ms per second … */
const REFRESH_MS_PER_SECOND = 50;
/** … and how much of it may be saved up. */
const MAX_BUDGET_MS = 100;

/**
 * How long a dispatcher may wait for slow watchers, so that they cost the fast ones 5 % at most. Starts at 0: a cache
 * that has just begun forgives nothing. Refilled once a second; what a wait did not need is returned.
 */
export class TimeBudget {
  readonly #clock: Clock;
  #budget = 0;
  #lastRefresh: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastRefresh = clock.now();
  }

  /** Takes all there is, ms. */
  takeAvailable(): number {
    this.#refresh();
    const taken = this.#budget;
    this.#budget = 0;
    return taken;
  }

  /** Gives back what was not used, ms; a wait that took longer than it was granted returns nothing. */
  returnUnused(unused: number): void {
    if (unused > 0) this.#budget = Math.min(this.#budget + unused, MAX_BUDGET_MS);
  }

  /** Upstream ticks once a second; here the ticks that passed are counted when somebody asks. */
  #refresh(): void {
    const ticks = Math.floor((this.#clock.now() - this.#lastRefresh) / 1000);
    if (ticks <= 0) return;
    this.#lastRefresh += ticks * 1000;
    this.#budget = Math.min(this.#budget + ticks * REFRESH_MS_PER_SECOND, MAX_BUDGET_MS);
  }
}
