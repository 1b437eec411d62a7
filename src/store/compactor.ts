import type { Clock } from '../util/clock.ts';
import type { Cancellable, Revision, Storage } from './storage.ts';
import { StoreError } from './storage.ts';

/** Where the apiservers agree on who compacts. Outside `/registry`, so no list shows it (facts/server §4.3). */
export const COMPACT_REV_KEY = 'compact_rev_key';

/** kube-apiserver `--etcd-compaction-interval`. */
export const COMPACTION_INTERVAL_MS = 5 * 60_000;

/**
 * The apiserver's compactor (upstream etcd3/compact.go): each interval it compacts to the revision that it remembered
 * *one interval ago*, so that history lives between one and two intervals. The key's version is a logical clock:
 * of several apiservers only the one that still knows it wins the round; the others adopt what they find. Each won round
 * is a write, so it bumps the store's revision by one.
 */
export class Compactor {
  readonly #store: Storage;
  readonly #clock: Clock;
  readonly #everyMs: number;
  /** modRevision of the key as last seen; upstream counts its version, which moves in the same steps. 0: not there yet. */
  #logicalTime: Revision = 0;
  /** The revision to compact to in the next round that is won; 0 before the first. */
  #remembered: Revision = 0;

  constructor(options: { store: Storage; clock: Clock; everyMs?: number }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#everyMs = options.everyMs ?? COMPACTION_INTERVAL_MS;
  }

  /** One round an interval, until `signal` aborts. A round that fails is repeated one interval later, as upstream. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(this.#everyMs, signal);
      if (signal.aborted) return;
      try {
        await this.round({ signal });
      } catch (error) {
        // The store is away, full, or somebody else has compacted further: the next round meets a new state.
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  /** One round. Exported for the tests, which play several apiservers. */
  async round(options: Cancellable = {}): Promise<void> {
    const value = new TextEncoder().encode(String(this.#remembered));
    const written = await this.#store.put(COMPACT_REV_KEY, value, this.#logicalTime, options);
    const target = this.#remembered;
    this.#remembered = written.revision;
    if (!written.ok) {
      this.#logicalTime = written.current?.modRevision ?? 0;
      return;
    }
    this.#logicalTime = written.revision;
    if (target !== 0) await this.#store.compact(target, 'interval');
  }
}
