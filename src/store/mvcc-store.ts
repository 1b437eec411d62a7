import type { Clock } from '../util/clock.ts';
import { EventLog } from './event-log.ts';
import { KeyIndex, sizeOf } from './key-index.ts';
import type { KeyValue, RangeResult, Revision, Storage, StoreEvent, WatchResponse, WriteResult } from './storage.ts';
import { StoreError } from './storage.ts';
import { StoreWatch } from './store-watch.ts';
import type { CompactReason, TraceSink } from './trace.ts';

/** kubeadm starts etcd with `--experimental-watch-progress-notify-interval=5s`; etcd's own default is 10 min. */
const PROGRESS_NOTIFY_MS = 5_000;

/** Bytes of keys and values, history included. etcd's default is 2 GiB; a lab in one process lives on less. */
const QUOTA_BYTES = 256 * 1024 * 1024;

/** Share of the quota at which history is given up early, so that writes go on. */
const EARLY_COMPACTION = 0.8;

/** An early compaction must give back at least this share of the quota, or every write would compact for nothing. */
const WORTHWHILE = 0.05;

export interface MvccStoreOptions {
  clock: Clock;
  /** Virtual ms between progress notifies of an idle watch. */
  progressNotifyMs?: number;
  quotaBytes?: number;
  /** An empty etcd is at 1. */
  initialRevision?: Revision;
  trace?: TraceSink;
}

/** What the machine room and the control door show of the store. */
export interface MvccStoreState {
  revision: Revision;
  compactedRevision: Revision;
  bytes: number;
  quotaBytes: number;
  /** Changes that a watch can still be caught up from. */
  historyEvents: number;
  watches: number;
}

interface WatchedRange {
  start: string;
  end: string;
  watches: Set<StoreWatch>;
}

/**
 * The embedded store: etcd's semantics in memory. Every write is one revision and one event; reads at any revision from
 * the compacted one on; a watch from any revision from the compacted one on. All of it is synchronous inside: a method
 * answers with a settled promise, so no operation costs a turn of the event loop.
 *
 * Bounds: history lives until the compactor (compactor.ts) takes it; at 80 % of the quota it is compacted early; beyond
 * the quota a put fails with etcd's text. A compaction harms nobody who is connected, with one exception, which etcd has
 * too: a watch whose unread backlog lies below the compacted revision *and* exceeds the quota is cut off as compacted.
 */
export class MvccStore implements Storage {
  readonly #options: Required<Omit<MvccStoreOptions, 'trace' | 'initialRevision'>>;
  readonly #trace: TraceSink | undefined;
  readonly #index = new KeyIndex();
  readonly #log = new EventLog();
  readonly #ranges = new Map<string, WatchedRange>();
  #revision: Revision;
  /** 0: nothing was ever compacted. */
  #compacted: Revision = 0;

  constructor(options: MvccStoreOptions) {
    this.#options = {
      clock: options.clock,
      progressNotifyMs: options.progressNotifyMs ?? PROGRESS_NOTIFY_MS,
      quotaBytes: options.quotaBytes ?? QUOTA_BYTES,
    };
    this.#trace = options.trace;
    this.#revision = options.initialRevision ?? 1;
  }

  state(): MvccStoreState {
    let watches = 0;
    for (const range of this.#ranges.values()) watches += range.watches.size;
    return {
      revision: this.#revision,
      compactedRevision: this.#compacted,
      bytes: this.#index.bytes,
      quotaBytes: this.#options.quotaBytes,
      historyEvents: this.#log.length,
      watches,
    };
  }

  async revision(): Promise<Revision> {
    return this.#revision;
  }

  async range(request: { start: string; end: string; revision?: Revision; limit?: number }): Promise<RangeResult> {
    const at = request.revision || this.#revision;
    this.#checkReadable(at);
    if (at === this.#revision && request.end === `${request.start}\0`) return this.#present(request.start);
    const limit = request.limit || Number.POSITIVE_INFINITY;
    const kvs: KeyValue[] = [];
    let count = 0;
    this.#index.forRange(request.start, request.end, at, (kv) => {
      if (count < limit) kvs.push(kv);
      count += 1;
    });
    return { kvs, more: count > kvs.length, count, revision: this.#revision };
  }

  async put(key: string, value: Uint8Array, expect?: Revision): Promise<WriteResult> {
    const current = this.#index.current(key);
    if (expect !== undefined && expect !== (current?.modRevision ?? 0)) {
      return { ok: false, current, revision: this.#revision };
    }
    this.#makeRoom(sizeOf({ key, value }));
    const revision = this.#revision + 1;
    const kv: KeyValue = { key, value, createRevision: current?.createRevision ?? revision, modRevision: revision };
    this.#index.put(kv);
    this.#commit({ type: 'put', key, revision, kv, prevKv: current });
    return { ok: true, revision };
  }

  async delete(key: string, expect?: Revision): Promise<WriteResult> {
    const current = this.#index.current(key);
    if (!current || (expect !== undefined && expect !== current.modRevision)) {
      return { ok: false, current, revision: this.#revision };
    }
    const revision = this.#revision + 1;
    this.#index.tombstone(key, revision);
    this.#commit({ type: 'delete', key, revision, kv: undefined, prevKv: current });
    return { ok: true, revision };
  }

  /** Starts at the call, not at the first `next()`: what is written in between is not missed. */
  watch(request: {
    start: string;
    end: string;
    startRevision: Revision;
    progressNotify?: boolean;
    signal: AbortSignal;
  }): StoreWatch {
    const { clock, progressNotifyMs } = this.#options;
    const rangeId = JSON.stringify([request.start, request.end]);
    const from = request.startRevision || this.#revision + 1;
    const watch = new StoreWatch({
      startRevision: from,
      signal: request.signal,
      onEnd: (ended) => this.#forget(rangeId, ended),
      ...(request.progressNotify && {
        progress: { clock, everyMs: progressNotifyMs, revision: () => this.#revision },
      }),
    });
    if (from < this.#compacted) {
      watch.fail(this.#compactedError());
      return watch;
    }
    for (const event of this.#log.since(from)) {
      if (inRange(event.key, request)) watch.offer(asResponse(this.#withoutLostPrevious(event)));
    }
    if (!request.signal.aborted) this.#remember(rangeId, request, watch);
    return watch;
  }

  async compact(revision: Revision, why: CompactReason = 'asked'): Promise<void> {
    if (revision <= this.#compacted) throw this.#compactedError();
    this.#checkReadable(revision);
    this.#compactTo(revision, why);
  }

  /** The range of one key at the present revision: what every write begins with. */
  #present(key: string): RangeResult {
    const kv = this.#index.current(key);
    return { kvs: kv ? [kv] : [], more: false, count: kv ? 1 : 0, revision: this.#revision };
  }

  #checkReadable(revision: Revision): void {
    if (revision < this.#compacted) throw this.#compactedError();
    if (revision > this.#revision) {
      throw new StoreError('future-revision', 'etcdserver: mvcc: required revision is a future revision');
    }
  }

  #compactedError(): StoreError {
    const text = 'etcdserver: mvcc: required revision has been compacted';
    return new StoreError('compacted', text, this.#compacted);
  }

  #commit(event: StoreEvent): void {
    this.#revision = event.revision;
    this.#log.append(event);
    const response = asResponse(event);
    for (const range of this.#ranges.values()) {
      if (!inRange(event.key, range)) continue;
      for (const watch of range.watches) watch.offer(response);
    }
  }

  /**
   * etcd's boundary (facts/server §4.1): compacted at C, the event of C itself can still be watched, but what was before
   * it is gone.
   */
  #withoutLostPrevious(event: StoreEvent): StoreEvent {
    if (event.revision !== this.#compacted || !event.prevKv) return event;
    return { ...event, prevKv: undefined, prevCompacted: true };
  }

  #compactTo(revision: Revision, why: CompactReason): void {
    for (const event of this.#log.dropBefore(revision)) this.#index.compact(event.key, revision);
    const boundary = this.#log.oldest;
    if (boundary?.revision === revision) this.#index.compact(boundary.key, revision);
    this.#compacted = revision;
    this.#trace?.({ what: 'compact', at: this.#options.clock.now(), rv: revision, why });
    this.#cutOffHoarders();
  }

  /**
   * What is above the compacted revision is in the store anyway, and so within the quota. A backlog that exceeds it reaches
   * below, where it is held by nothing but its watch.
   */
  #cutOffHoarders(): void {
    for (const range of [...this.#ranges.values()]) {
      for (const watch of [...range.watches]) {
        if (watch.queuedBytes > this.#options.quotaBytes) watch.cutOff(this.#compactedError());
      }
    }
  }

  /** Compacts early where a write of `bytes` would pass 80 % of the quota, and refuses it where it would pass 100 %. */
  #makeRoom(bytes: number): void {
    const quota = this.#options.quotaBytes;
    const wanted = this.#index.bytes + bytes;
    const reclaimable = this.#index.bytes - this.#index.liveBytes;
    if (wanted > quota * EARLY_COMPACTION && reclaimable > quota * WORTHWHILE) this.#compactTo(this.#revision, 'quota');
    if (this.#index.bytes + bytes > quota) {
      throw new StoreError('no-space', 'etcdserver: mvcc: database space exceeded');
    }
  }

  #remember(id: string, range: { start: string; end: string }, watch: StoreWatch): void {
    const known = this.#ranges.get(id);
    if (known) known.watches.add(watch);
    else this.#ranges.set(id, { start: range.start, end: range.end, watches: new Set([watch]) });
  }

  #forget(id: string, watch: StoreWatch): void {
    const range = this.#ranges.get(id);
    range?.watches.delete(watch);
    if (range?.watches.size === 0) this.#ranges.delete(id);
  }
}

function inRange(key: string, range: { start: string; end: string }): boolean {
  return key >= range.start && key < range.end;
}

function asResponse(event: StoreEvent): WatchResponse & { kind: 'events' } {
  return { kind: 'events', revision: event.revision, events: [event] };
}
