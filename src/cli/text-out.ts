import type { Writable } from 'node:stream';
import type { Clock } from '../util/clock.ts';

/** Characters gathered before they are written at once, without waiting for the turn's end. */
const BATCH = 32 * 1024;
/**
 * Characters that wait for a reader who does not keep up, at most: what more there is is left out and counted. Some 100,000
 * records, so that it takes a reader who has stopped, and small beside the memory of any machine.
 */
const MAX_WAITING = 32 * 1024 * 1024;

/**
 * Lines for a pipe, gathered and written once a turn of the event loop: a burst of events costs one write, and a lone
 * event is out at once. Where the reader of the pipe cannot keep up, `onPressure(true)` is called until it can again; what
 * is gathered meanwhile is what was on its way already, and bounded.
 */
export class TextOut {
  readonly #stream: Writable;
  readonly #clock: Pick<Clock, 'turn'>;
  readonly #onPressure: (full: boolean) => void;
  #pending = '';
  #scheduled = false;
  #full = false;
  #leftOut = 0;

  constructor(stream: Writable, clock: Pick<Clock, 'turn'>, onPressure: (full: boolean) => void) {
    this.#stream = stream;
    this.#clock = clock;
    this.#onPressure = onPressure;
  }

  /** Lines that were left out since nobody read. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** One line, without its newline. `always`: it is written whatever waits already. */
  line(text: string, always = false): void {
    if (!always && this.#pending.length + this.#stream.writableLength > MAX_WAITING) {
      this.#leftOut += 1;
      return;
    }
    this.#pending += `${text}\n`;
    if (this.#pending.length >= BATCH) this.#write();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      void this.#clock.turn().then(() => {
        this.#scheduled = false;
        this.#write();
      });
    }
  }

  /** Resolves when everything has been handed to the system. */
  async flush(): Promise<void> {
    this.#write();
    await new Promise<void>((resolve) => {
      this.#stream.write('', () => resolve());
    });
  }

  #write(): void {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    if (this.#stream.write(text) || this.#full) return;
    this.#full = true;
    this.#onPressure(true);
    this.#stream.once('drain', () => {
      this.#full = false;
      this.#onPressure(false);
    });
  }
}
