import type { MvccStore } from '../../src/store/mvcc-store.ts';
import { type Storage, StoreError } from '../../src/store/storage.ts';
import type { StoreWatch } from '../../src/store/store-watch.ts';

/**
 * Breaks the link between the cache and the store: its watch fails with an error that is no internal one, and while
 * `broken` reads fail too. Nobody else's watches are touched.
 */
export class Link {
  broken = false;
  readonly #watches: StoreWatch[] = [];

  constructor(store: MvccStore) {
    const { watch, range } = store;
    store.watch = (request) => {
      const opened = watch.call(store, request);
      if (request.progressNotify) this.#watches.push(opened);
      return opened;
    };
    store.range = async (request): ReturnType<Storage['range']> => {
      if (this.broken) throw new StoreError('unavailable', 'etcdserver: no leader');
      return range.call(store, request);
    };
  }

  /** Ends the cache's watch as a compaction would. */
  compactedAway(): void {
    const error = new StoreError('compacted', 'etcdserver: mvcc: required revision has been compacted', 1);
    for (const watch of this.#watches.splice(0)) watch.fail(error);
  }

  /** Ends it with what upstream turns into an internal error. */
  internalError(): void {
    for (const watch of this.#watches.splice(0)) watch.fail(new StoreError('unavailable', 'etcdserver: no leader'));
  }

  /** Ends it without a reason, as an etcd that closes a stream. */
  async closed(): Promise<void> {
    for (const watch of this.#watches.splice(0)) await watch.return();
  }
}
