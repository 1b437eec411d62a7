import { onStall } from '../util/stall-timer.ts';
import type { Exchange } from './exchange.ts';

/** How long a client may take none of an answer before its connection is given up, ms, real time: upstream's `--request-timeout`. */
const STALLED_MS = 60_000;

/**
 * Bytes of answers that clients have not taken yet: beyond the first limit reads are refused until they have, beyond the second writes
 * too, whose answers are small (upstream counts seats instead, and a list may take ten).
 */
const MAX_BYTES = { read: 256 * 1024 * 1024, write: 512 * 1024 * 1024 };

/** An answer of so many bytes is always sent: the refusal would be as long. */
const SMALL_BYTES = 64 * 1024;

/** Whole answers that are on their way to clients. One that nobody reads keeps its bytes in memory, so they are counted. */
export class PendingAnswers {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** May another request begin? */
  admits(method: string): boolean {
    return this.#bytes <= (method === 'GET' ? MAX_BYTES.read : MAX_BYTES.write);
  }

  /** May this answer go out? The first one always; many that were asked for at once would else be held all together. */
  hasRoom(bytes: number, method: string): boolean {
    if (bytes <= SMALL_BYTES || this.#bytes === 0) return true;
    return this.#bytes + bytes <= (method === 'GET' ? MAX_BYTES.read : MAX_BYTES.write);
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
