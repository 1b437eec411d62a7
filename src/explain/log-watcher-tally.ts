/** Times of one watcher's latest records: the third within a few minutes is one too many. */
const RECENT = 3;
/** What comes within this is one moment, told by several layers of a program, ms. */
const ONE_MOMENT_MS = 500;

/** The same RV refused so often, over at least so long, is a client that does not list again. */
const LOOP_COUNT = 3;
const LOOP_MS = 2_000;
/** Without times, or all within one, so often. */
const LOOP_COUNT_UNTIMED = 5;

/** What one watcher met of one class: counted, and looked at for loops. Times are ms, undefined where the log has none. */
export class WatcherTally {
  count = 0;
  /** The RV that was refused most often in a row, and how often. */
  loop: { rv: string; count: number; ms: number } | undefined;
  /** Shortest stretch of time with three records in it, each of a moment of its own. */
  closestMs = Number.POSITIVE_INFINITY;
  readonly #recent: number[] = [];
  #rv: string | undefined;
  #rvCount = 0;
  #rvFrom: number | undefined;
  #form: 'list' | 'both' | 'none' = 'none';
  #last: number | undefined;

  /**
   * Takes a record, and says whether it counts. `failed to list` and `Failed to watch` within a second are one failure told twice.
   * `rv`: the one that was refused.
   */
  take(ms: number | undefined, form: 'list' | 'both' | 'none', rv: string | undefined): boolean {
    if (this.#isTwin(ms, form)) {
      this.#form = 'none';
      return false;
    }
    this.#form = form;
    this.#last = ms;
    this.count += 1;
    this.#takeTime(ms);
    if (rv !== undefined) this.#takeRv(rv, ms);
    return true;
  }

  /** It asks for the same RV again and again. */
  get loops(): boolean {
    if (!this.loop) return false;
    const { count, ms } = this.loop;
    return ms >= LOOP_MS ? count >= LOOP_COUNT : ms === 0 && count >= LOOP_COUNT_UNTIMED;
  }

  #isTwin(ms: number | undefined, form: 'list' | 'both' | 'none'): boolean {
    if (form === 'none' || this.#form === 'none' || form === this.#form) return false;
    return ms === undefined || this.#last === undefined || Math.abs(ms - this.#last) <= 1000;
  }

  #takeTime(ms: number | undefined): void {
    const last = this.#recent.at(-1);
    if (ms === undefined || (last !== undefined && Math.abs(ms - last) < ONE_MOMENT_MS)) return;
    this.#recent.push(ms);
    if (this.#recent.length > RECENT) this.#recent.shift();
    if (this.#recent.length === RECENT)
      this.closestMs = Math.min(this.closestMs, Math.abs(ms - (this.#recent[0] as number)));
  }

  #takeRv(rv: string, ms: number | undefined): void {
    if (rv !== this.#rv) {
      this.#rv = Buffer.from(rv).toString();
      this.#rvCount = 0;
      this.#rvFrom = ms;
    }
    this.#rvCount += 1;
    if (this.#rvCount > (this.loop?.count ?? 1)) {
      this.loop = { rv: this.#rv as string, count: this.#rvCount, ms: Math.abs((ms ?? 0) - (this.#rvFrom ?? ms ?? 0)) };
    }
  }
}
