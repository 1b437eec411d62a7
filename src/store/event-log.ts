import { Fifo } from '../util/fifo.ts';
import type { Revision, StoreEvent } from './storage.ts';

/**
 * All changes since the compacted revision, in revision order: what a watch that starts in the past is caught up from.
 * Bounded by the store's history bounds (compactor and quota): a compaction takes off its old end.
 */
export class EventLog {
  readonly #events = new Fifo<StoreEvent>();

  get length(): number {
    return this.#events.length;
  }

  get oldest(): StoreEvent | undefined {
    return this.#events.peek();
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
  }

  /** Events of revision `from` and later. */
  since(from: Revision): StoreEvent[] {
    return this.#events.slice(this.#indexOf(from));
  }

  /** Takes off every event before `revision`, oldest first. The event of `revision` itself stays (facts/server §4.1). */
  *dropBefore(revision: Revision): Generator<StoreEvent> {
    for (let oldest = this.#events.peek(); oldest && oldest.revision < revision; oldest = this.#events.peek()) {
      this.#events.shift();
      yield oldest;
    }
  }

  /** Index of the first event at or after `revision`. */
  #indexOf(revision: Revision): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events.at(middle)!.revision < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
