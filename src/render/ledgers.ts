import type { WatchTarget } from '../client/facts.ts';
import type { FeedItem } from './feed.ts';
import { StreamLedger } from './stream-ledger.ts';

/** Targets whose state is followed; `tail` itself takes fewer. */
const MAX_TARGETS = 64;

/** A ledger for each target. One watch cache stands behind all targets of a resource: what one of them asked is told to each. */
export class Ledgers {
  readonly #all = new Map<number, StreamLedger>();

  /** In the order in which the targets were named. */
  get all(): StreamLedger[] {
    return [...this.#all.values()].sort((a, b) => a.target.index - b.target.index);
  }

  /** `target`: whose item it is. */
  take(item: FeedItem, target: WatchTarget): void {
    this.#of(target)?.take(item);
    if (item.kind !== 'probe' || item.answer.kind !== 'window' || target.resource === undefined) return;
    for (const ledger of this.#all.values()) {
      const { resource, group, version, index } = ledger.target;
      const same = resource === target.resource && group === target.group && version === target.version;
      if (same && index !== target.index) ledger.take(item);
    }
  }

  #of(target: WatchTarget): StreamLedger | undefined {
    const known = this.#all.get(target.index);
    if (known || this.#all.size >= MAX_TARGETS) return known;
    const made = new StreamLedger(target);
    this.#all.set(target.index, made);
    return made;
  }
}
