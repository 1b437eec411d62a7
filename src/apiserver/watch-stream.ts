import { once } from 'node:events';
import type { HttpResponse } from './exchange.ts';

/**
 * The response of one watch. `write` waits while the socket is full: that wait is the whole slow-reader path, since the
 * watcher's queues fill up behind it. Node gathers the writes of one turn into one system call.
 */
export class WatchStream {
  readonly #response: HttpResponse;
  readonly #signal: AbortSignal;

  /** `signal`: the watch is over, so nobody waits for the reader any longer. */
  constructor(response: HttpResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
  }

  /** Sends the headers at once, before any event (facts/server §5.1). */
  open(): void {
    this.#response.writeHead(200, { 'Content-Type': 'application/json' });
    this.#response.flushHeaders?.();
  }

  /** Queues one line. The promise, where there is one, resolves when there is room again, or the watch is over. */
  write(line: Uint8Array): Promise<void> | undefined {
    return this.#response.write(line) ? undefined : this.#drained();
  }

  /** The proper end: last chunk, connection stays usable. */
  end(): void {
    this.#response.end();
  }

  async #drained(): Promise<void> {
    if (this.#signal.aborted) return;
    try {
      await once(this.#response, 'drain', { signal: this.#signal });
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }
}
