import type { Clock } from '../util/clock.ts';

/** Files that are read sooner than this need no progress, ms. */
const QUIET_MS = 1_000;
const EVERY_MS = 250;

/** A line on stderr, on a terminal only, that says how far a long file has been read. It is wiped before anything else is said. */
export class ReadProgress {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #out: NodeJS.WriteStream;
  readonly #total: number | undefined;
  readonly #begun: number;
  #told: number;
  #shown = false;

  /** `total`: bytes, undefined where it is not known. */
  constructor(clock: Pick<Clock, 'now'>, out: NodeJS.WriteStream, total: number | undefined) {
    this.#clock = clock;
    this.#out = out;
    this.#total = total;
    this.#begun = clock.now();
    this.#told = this.#begun + QUIET_MS - EVERY_MS;
  }

  /** So many bytes, and so many kinds of trouble. */
  tell(read: number, kinds: number): void {
    const now = this.#clock.now();
    if (!this.#out.isTTY || now - this.#told < EVERY_MS) return;
    this.#told = now;
    this.#shown = true;
    const of = this.#total === undefined ? '' : ` of ${megabytes(this.#total)}`;
    const found = kinds === 0 ? 'nothing yet' : `${kinds} ${kinds === 1 ? 'kind' : 'kinds'} of trouble`;
    this.#out.write(`\r\x1b[Kkwatch: ${megabytes(read)}${of} MB read, ${found}`);
  }

  wipe(): void {
    if (this.#shown) this.#out.write('\r\x1b[K');
    this.#shown = false;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
