import { onStall } from '../util/stall-timer.ts';
import type { Exchange } from './exchange.ts';

/** How long a client may take none of an answer before its connection is given up, ms, real time: upstream's `--request-timeout`. */
const STALLED_MS = 60_000;

/** Whole answers that are on their way to clients. One that nobody reads keeps its bytes in memory, so they are counted. */
export class PendingAnswers {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer that is about to go out until it is there, or the client is gone. */
  add(bytes: number, { response, signal }: Pick<Exchange, 'response' | 'signal'>): void {
    // Nobody is there to take it, and 'close' has been.
    if (signal.aborted) return;
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
    onStall(response, STALLED_MS, () => response.destroy());
  }
}
