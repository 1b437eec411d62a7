import { ApiError } from '../protocol/api-error.ts';
import { rawInternalError } from '../protocol/status.ts';
import type { Watcher, WatcherEvent } from '../store/resource-storage.ts';
import { ExpiredError } from '../store/storage-errors.ts';

/**
 * Upstream newErrWatcher: once a watch is accepted, a failure is one ERROR event and the end, never an HTTP status. What
 * is no API error goes out raw, as a 500.
 */
export function newErrWatcher(error: unknown): Watcher {
  return new FinishedWatcher([errorEvent(error)]);
}

/** Upstream newImmediateCloseWatcher: accepted, and over without a word. */
export function newImmediateCloseWatcher(): Watcher {
  return new FinishedWatcher([]);
}

function errorEvent(error: unknown): WatcherEvent {
  if (error instanceof ExpiredError) return { type: 'ERROR', status: error.status, cause: error.refusal };
  if (error instanceof ApiError && error.status.reason !== undefined) return { type: 'ERROR', status: error.status };
  if (error instanceof Error) return { type: 'ERROR', status: rawInternalError(error.message) };
  throw error;
}

/** A watcher whose events are all known. */
class FinishedWatcher implements Watcher {
  readonly #events: WatcherEvent[];

  constructor(events: WatcherEvent[]) {
    this.#events = events;
  }

  async next(): Promise<WatcherEvent | undefined> {
    return this.poll();
  }

  poll(): WatcherEvent | undefined {
    return this.#events.shift();
  }

  stop(): void {
    this.#events.length = 0;
  }
}
