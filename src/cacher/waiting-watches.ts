import type { WatchParams } from '../store/resource-storage.ts';
import type { WaitingWatchState } from './cacher-state.ts';

/** Watch requests that have no answer yet, for the machine room: as many as there are requests, none longer than they live. */
export class WaitingWatches {
  readonly #entries = new Set<WaitingWatchState>();

  /** The outcome of `work`; until it settles the watch is listed. */
  async during<T>(params: WatchParams, waitsFor: WaitingWatchState['waitsFor'], work: Promise<T>): Promise<T> {
    const entry = { auditId: params.auditId, requestedRv: params.resourceVersion, waitsFor };
    this.#entries.add(entry);
    try {
      return await work;
    } finally {
      this.#entries.delete(entry);
    }
  }

  /** Oldest first. */
  state(): WaitingWatchState[] {
    return [...this.#entries];
  }
}
