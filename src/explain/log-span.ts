import { type LogTime, type TimeScale, YEARLESS_YEAR } from './log-time.ts';

const DAY_MS = 86_400_000;
const HALF_YEAR_MS = 183 * DAY_MS;
const YEAR_MS = (YEARLESS_YEAR % 4 === 0 ? 366 : 365) * DAY_MS;
const SCALES: readonly TimeScale[] = ['utc', 'local', 'yearless', 'clock'];

/** The first and the last of many times, kept apart by what they say: a log may mix programs. */
export class LogSpan {
  readonly #of = new Map<TimeScale, { first: number; last: number; count: number }>();

  take(time: LogTime | undefined): void {
    if (!time) return;
    const known = this.#of.get(time.scale);
    if (!known) {
      this.#of.set(time.scale, { first: time.ms, last: time.ms, count: 1 });
      return;
    }
    known.count += 1;
    const ms = time.scale === 'yearless' ? sameYear(time.ms, known.last) : time.ms;
    if (ms < known.first) known.first = ms;
    if (ms > known.last) known.last = ms;
  }

  /** By the scale that most times had; between equals, the one that says more. */
  ends(): { first: LogTime; last: LogTime } | undefined {
    const scales = SCALES.filter((scale) => this.#of.has(scale));
    const scale = scales.reduce<TimeScale | undefined>(
      (best, each) => (this.#more(each, best) ? each : best),
      undefined,
    );
    const known = scale && this.#of.get(scale);
    return scale && known && { first: { ms: known.first, scale }, last: { ms: known.last, scale } };
  }

  #more(scale: TimeScale, than: TimeScale | undefined): boolean {
    return than === undefined || (this.#of.get(scale)?.count ?? 0) > (this.#of.get(than)?.count ?? 0);
  }
}

/** A time without a year, near to `other`: a log that runs over New Year goes on. */
export function sameYear(ms: number, other: number): number {
  const years = Math.round((other - ms) / YEAR_MS);
  return Math.abs(other - ms) > HALF_YEAR_MS ? ms + years * YEAR_MS : ms;
}
