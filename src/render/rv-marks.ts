import { compareRv, revisionsApart } from '../protocol/resource-version.ts';

/** Pairs of (RV, arrival) that are remembered to tell how old the window's floor is. Thinned out when full. */
const MAX_MARKS = 256;
/** The write rate is that of the last so long, ms: long enough for a bookmark where nothing else comes. */
const RATE_MS = 75_000;
/** From less than this no rate is made, ms. */
const LEAST_RATE_MS = 5_000;

/** Where an RV stood when it passed by. */
export interface RvMark {
  rv: string;
  at: number;
}

/** When which RV was the present one, as our own stream told; bounded, coarser the older it is. */
export class RvMarks {
  readonly #marks: RvMark[] = [];

  get newest(): RvMark | undefined {
    return this.#marks.at(-1);
  }

  add(rv: string, at: number): void {
    this.#marks.push({ rv, at });
    if (this.#marks.length <= MAX_MARKS) return;
    // Every second of the older half goes: recent history stays fine, old history gets coarse, none is lost.
    for (let i = MAX_MARKS / 2 - 1; i > 0; i -= 2) this.#marks.splice(i, 1);
  }

  /**
   * How long before `when` `rv` was the present one: not longer than `atMostMs` (absent: it was before we began to look) and at
   * least `atLeastMs`. undefined: nothing above it has come yet, or there is no order.
   */
  ageOf(rv: string, when: number): { atLeastMs: number; atMostMs?: number } | undefined {
    let earliest: number | undefined;
    for (const mark of this.#marks) {
      const order = compareRv(mark.rv, rv);
      if (order === undefined) return undefined;
      if (order > 0) {
        const atLeastMs = Math.max(0, when - mark.at);
        return earliest === undefined ? { atLeastMs } : { atLeastMs, atMostMs: Math.max(atLeastMs, when - earliest) };
      }
      earliest = mark.at;
    }
    return undefined;
  }

  /** Revisions a second, of all resources together, lately; undefined where too little was seen. */
  perSecond(now: number): number | undefined {
    const last = this.newest;
    const base = this.#marks.findLast(({ at }) => at <= now - RATE_MS) ?? this.#marks[0];
    if (!last || !base || last === base || now - base.at < LEAST_RATE_MS) return undefined;
    const apart = revisionsApart(base.rv, last.rv);
    return apart === undefined || apart < 0 ? undefined : apart / ((now - base.at) / 1000);
  }
}
