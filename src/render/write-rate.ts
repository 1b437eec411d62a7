/** Seconds that the sparkline shows. */
const SECONDS = 8;

/** Writes per second of the last few seconds, for the machine room's header. Bounded: one number a second. */
export class WriteRate {
  #second = Number.NEGATIVE_INFINITY;
  #counts: number[] = Array.from({ length: SECONDS + 1 }, () => 0);

  /** A write at `at` (ms). */
  add(at: number): void {
    this.#advance(at);
    const index = SECONDS - (this.#second - Math.floor(at / 1000));
    if (index >= 0) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** Writes in each of the last whole seconds before `now`, oldest first. */
  series(now: number): number[] {
    this.#advance(now);
    return this.#counts.slice(0, SECONDS);
  }

  #advance(at: number): void {
    const second = Math.floor(at / 1000);
    const steps = Math.min(SECONDS + 1, Math.max(0, second - this.#second));
    for (let i = 0; i < steps; i++) {
      this.#counts.push(0);
      this.#counts.shift();
    }
    this.#second = Math.max(this.#second, second);
  }
}
