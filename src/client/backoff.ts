import type { Random } from '../util/random.ts';

/** First delay before jitter, ms, and its growth (client-go v0.30 `NewReflectorWithOptions`; facts/client §1.2). */
const BASE_MS = 800;
const FACTOR = 2;
/** Highest delay before jitter, ms; with jitter a wait of 30 to 60 s. */
const CAP_MS = 30_000;
/** Without a failure for so long, the next one begins anew at BASE_MS (same source). */
const RESET_AFTER_MS = 120_000;

/**
 * Watch requests of one target in `PACE_WINDOW_MS`, whatever the reason: a server that ends each stream at once must not
 * be hammered, however healthy each answer looks.
 */
const PACE_LIMIT = 6;
const PACE_WINDOW_MS = 30_000;

/**
 * How long to wait before the next request: client-go's exponential sequence with jitter (each wait is uniform in [d, 2d)),
 * below it a hard pace. `at`: ms of any steady clock.
 */
export class Backoff {
  readonly #random: Random;
  #step = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastGoneAt = Number.NEGATIVE_INFINITY;
  /** Times of the last watch requests, oldest first; at most PACE_LIMIT. */
  readonly #requests: number[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Waits since the last reset; 0 before the first. */
  get attempt(): number {
    return this.#step;
  }

  /** The next wait, ms, after a failure at `at`. */
  next(at: number): number {
    if (at - this.#lastAt > RESET_AFTER_MS) this.#step = 0;
    const delay = Math.min(BASE_MS * FACTOR ** this.#step, CAP_MS);
    this.#step += 1;
    this.#lastAt = at;
    return delay * (1 + this.#random());
  }

  /**
   * The wait before the LIST that a 410 at `at` asks for: 0 where it is the first within RESET_AFTER_MS, however often other
   * things failed before it (a 410 is an answer: the server is there); else as `next`. It counts as a failure either way.
   */
  nextAfterGone(at: number): number {
    const first = at - this.#lastGoneAt > RESET_AFTER_MS;
    this.#lastGoneAt = at;
    const delay = this.next(at);
    return first ? 0 : delay;
  }

  /** A watch request goes out. */
  noteRequest(at: number): void {
    this.#requests.push(at);
    if (this.#requests.length > PACE_LIMIT) this.#requests.shift();
  }

  /** The least wait, ms, that keeps the pace. */
  paceDelay(at: number): number {
    if (this.#requests.length < PACE_LIMIT) return 0;
    return Math.max(0, (this.#requests[0] as number) + PACE_WINDOW_MS - at);
  }

  /** Somebody asked for the next request by hand: the pace begins anew. */
  resetPace(): void {
    this.#requests.length = 0;
  }
}
