import type { Clock } from '../util/clock.ts';

/** Writes that come in time, one after the other: a burst, or the trickle of a cluster's life. */
export interface WriteSource {
  /** When its next write is due, ms since the agenda's beginning; undefined: it has no more. */
  due(): number | undefined;
  write(): Promise<void>;
  /** A write was refused: it is taken out, the others go on. */
  failed(error: unknown): void;
  /** It has no more, or the agenda is over. */
  done?(): void;
}

/**
 * While writes come as fast as they can, every so many of them give the sockets a turn of the event loop: in a cluster the
 * writers and the watchers do not share a thread.
 */
const WRITES_PER_TURN = 4;

/**
 * Does the writes of several sources in the order in which they are due; of equal ones the source that was added first comes
 * first. One loop and not one a source: so the same script gives every write the same revision, however late a timer comes.
 */
export class WriteAgenda {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #sources: WriteSource[] = [];
  #origin: number;
  #wake = new AbortController();
  /** Those who wait until everything that is due before a time has been written. */
  #waiting: { until: number; go: () => void }[] = [];

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#origin = clock.now();
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  /** Times count from now on. Only before the first source. */
  begin(): void {
    this.#origin = this.#clock.now();
  }

  /** ms since its beginning. Sources compare such times, which are the same in every run, and not the clock's. */
  now(): number {
    return this.#clock.now() - this.#origin;
  }

  add(source: WriteSource): void {
    this.#sources.push(source);
    this.#wake.abort();
  }

  /**
   * Resolves when everything has been written that is due before `until`, or all is over. Its time stands still meanwhile: a
   * machine that cannot write as fast as a burst wants makes what comes after it later, and never something else.
   */
  async caughtUp(until: number): Promise<void> {
    if (this.#signal.aborted || !this.#isBehind(until)) return;
    const since = Math.max(this.now(), until);
    await new Promise<void>((go) => this.#waiting.push({ until, go }));
    this.#origin += Math.max(this.now() - since, 0);
  }

  #isBehind(until: number): boolean {
    const next = this.#earliest();
    return next !== undefined && next.due < until;
  }

  #tellThoseWaiting(): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ until }) => this.#signal.aborted || !this.#isBehind(until));
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one));
    for (const { go } of ready) go();
  }

  /** Writes until `signal` aborts. */
  async run(): Promise<void> {
    let atOnce = 0;
    while (!this.#signal.aborted) {
      this.#wake = new AbortController();
      this.#tellThoseWaiting();
      const next = this.#earliest();
      const wait = next === undefined ? Number.POSITIVE_INFINITY : next.due - this.now();
      if (wait > 0) {
        atOnce = 0;
        await this.#sleep(wait);
        continue;
      }
      if (atOnce++ % WRITES_PER_TURN === 0) await this.#clock.turn();
      if (!this.#signal.aborted && next !== undefined) await this.#write(next.source);
    }
    for (const source of this.#sources.splice(0)) source.done?.();
    this.#tellThoseWaiting();
  }

  async #write(source: WriteSource): Promise<void> {
    try {
      await source.write();
    } catch (error) {
      this.#sources.splice(this.#sources.indexOf(source), 1);
      source.failed(error);
      source.done?.();
    }
  }

  /** Takes out the sources that have no more. */
  #earliest(): { source: WriteSource; due: number } | undefined {
    let earliest: { source: WriteSource; due: number } | undefined;
    for (const source of [...this.#sources]) {
      const due = source.due();
      if (due === undefined) {
        this.#sources.splice(this.#sources.indexOf(source), 1);
        source.done?.();
      } else if (earliest === undefined || due < earliest.due) {
        earliest = { source, due };
      }
    }
    return earliest;
  }

  /** Until then, until a source is added, or until all is over. Without any source: as long as a timer can be set. */
  async #sleep(ms: number): Promise<void> {
    await this.#clock.sleep(Math.min(ms, LONGEST_SLEEP_MS), this.#wake.signal);
  }
}

const LONGEST_SLEEP_MS = 3_600_000;

/** `count` writes spread evenly over `durationMs` from `start` on; a late one does not move the rest. */
export function burstOf(
  burst: { count: number; durationMs: number; start: number },
  on: { write: () => Promise<void>; failed: (error: unknown) => void; done: () => void },
): WriteSource {
  let written = 0;
  return {
    ...on,
    due: () => (written < burst.count ? burst.start + (burst.durationMs * written) / burst.count : undefined),
    write() {
      written += 1;
      return on.write();
    },
  };
}

/** `perSecond` writes for ever, the first half a period after `start`: what a script does on the second has its own moment. */
export function trickleOf(
  perSecond: number,
  start: number,
  on: { write: () => Promise<void>; failed: (error: unknown) => void },
): WriteSource {
  const period = 1000 / perSecond;
  let nth = 0;
  return {
    ...on,
    due: () => start + period * (nth + 0.5),
    write() {
      nth += 1;
      return on.write();
    },
  };
}
