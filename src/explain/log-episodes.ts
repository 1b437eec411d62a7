/** A stretch of a log in which something happened without a pause of a minute. */
export interface Episode {
  from: number;
  to: number;
  count: number;
}

/** A longer silence ends an episode, ms: client-go's longest back-off is 60 s. */
const PAUSE_MS = 90_000;
/** Episodes that are kept; later ones lengthen the last. */
const MAX_EPISODES = 500;
/** Moments that a rhythm is looked for in. */
const MAX_MOMENTS = 64;
/** What comes within this is one moment, ms. */
const ONE_MOMENT_MS = 1_000;
/** The shortest timer that is known to cut watches is 10 s (facts/client §7.4); back-off is quicker, ms. */
const LEAST_RHYTHM_MS = 10_000;

/** When a kind of record came: in episodes, each a stretch without a longer pause. Times of one scale, ms. */
export class Episodes {
  readonly all: Episode[] = [];
  /** More than are kept: how long one lasted is not known any more. */
  full = false;
  /** The first moments. */
  readonly #moments: number[] = [];

  take(ms: number): void {
    const moment = this.#moments.at(-1);
    if (this.#moments.length < MAX_MOMENTS && (moment === undefined || Math.abs(ms - moment) >= ONE_MOMENT_MS))
      this.#moments.push(ms);
    const last = this.all.at(-1);
    // Files that were put one after the other may go back in time.
    const near = last && ms <= last.to + PAUSE_MS && ms >= last.from - PAUSE_MS;
    if (last && (near || this.all.length >= MAX_EPISODES)) {
      if (!near) this.full = true;
      last.from = Math.min(last.from, ms);
      last.to = Math.max(last.to, ms);
      last.count += 1;
    } else this.all.push({ from: ms, to: ms, count: 1 });
  }

  longestMs(): number {
    if (this.full) return 0;
    return this.all.reduce((longest, { from, to }) => Math.max(longest, to - from), 0);
  }

  /** How far apart the moments are, where that is a rhythm: at least four steps within a tenth of each other. */
  rhythmMs(): number | undefined {
    const moments = [...this.#moments].sort((a, b) => a - b);
    const steps = moments.slice(1).map((at, index) => at - (moments[index] as number));
    if (steps.length < 4) return undefined;
    const sorted = [...steps].sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1] as number;
    const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
    return middle >= LEAST_RHYTHM_MS && most - least <= middle / 10 ? middle : undefined;
  }
}
