import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { serviceUnavailable, unrecognisedError } from '../protocol/status.ts';
import { objectRange } from '../store/object-range.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type {
  ListParams,
  ListResult,
  ResourceStorage,
  StoredObject,
  Watcher,
  WatchParams,
} from '../store/resource-storage.ts';
import type { Cancellable } from '../store/storage.ts';
import { parseResourceVersion } from '../store/storage-errors.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import { Metrics } from '../util/metrics.ts';
import type { Random } from '../util/random.ts';
import { CacheReads } from './cache-reads.ts';
import { CacheWatcher } from './cache-watcher.ts';
import { type CacherMetrics, cacherMetrics } from './cacher-metrics.ts';
import type { CacherState } from './cacher-state.ts';
import { type CacherTraceEvent, cacherTrace } from './cacher-trace.ts';
import { CachingLoop } from './caching-loop.ts';
import { Dispatcher } from './dispatcher.ts';
import { newErrWatcher, newImmediateCloseWatcher } from './err-watcher.ts';
import { addressOf, filingOf, type IndexedField } from './filing.ts';
import { ReadyGate } from './ready.ts';
import { WaitingWatches } from './waiting-watches.ts';
import { WatchCache } from './watch-cache.ts';
import { WatchCacheHistory } from './watch-cache-history.ts';

export interface CacherOptions {
  storage: ObjectStore;
  clock: Clock;
  /** Real time, where `clock` runs faster: patience with slow watchers must not shrink with it. Default: `clock`. */
  budgetClock?: Clock;
  random: Random;
  /** Events in the ring: a number pins it, `auto` is upstream's rule. */
  capacity: number | 'auto';
  /** The field that is indexed for watches which demand one value of it (pods: spec.nodeName). */
  indexedField?: IndexedField;
  trace?: TraceSink;
  metrics?: Metrics;
}

/**
 * Who left the gate this close to the deadline is told that it was the deadline, ms: timers and `now()` do not agree to the
 * millisecond, and a client that went by itself reads no answer.
 */
const DEADLINE_TOLERANCE_MS = 1_000;

/** A watch request that passed the ready gate. */
interface AcceptedWatch {
  key: string;
  params: WatchParams;
  /** The RV of the request, 0 for none. */
  requested: number;
  /** The gate's generation when it was accepted. */
  generation: number;
}

/**
 * The watch cache of one resource (upstream cacher.go): watches, and lists that need not be the newest, are answered from
 * memory; writes and consistent reads go to the storage below. Watches never fall back to the storage.
 */
export class Cacher implements ResourceStorage {
  readonly #storage: ObjectStore;
  readonly #options: CacherOptions;
  readonly #metrics: CacherMetrics;
  readonly #ready = new ReadyGate();
  readonly #watchCache: WatchCache;
  readonly #dispatcher: Dispatcher;
  readonly #reads: CacheReads;
  readonly #caching: CachingLoop;
  readonly #tell: (event: CacherTraceEvent) => void;
  readonly #waiting = new WaitingWatches();
  #watcherIds = 0;

  constructor(options: CacherOptions) {
    const { storage, clock, trace } = options;
    const { resourcePrefix } = storage.resource;
    this.#options = options;
    this.#storage = storage;
    this.#tell = cacherTrace(storage.groupResource, clock, trace);
    this.#metrics = cacherMetrics(options.metrics ?? new Metrics(), storage.groupResource, resourcePrefix);
    const history = new WatchCacheHistory(options.capacity, (from, to) => this.#resized(from, to));
    this.#metrics.capacity.value = history.capacity;
    this.#watchCache = new WatchCache({ clock, history, resourcePrefix, metrics: this.#metrics });
    this.#reads = new CacheReads({
      storage,
      ready: this.#ready,
      cache: this.#watchCache,
      metrics: this.#metrics,
      indexedField: options.indexedField,
    });
    this.#dispatcher = new Dispatcher({
      clock,
      budgetClock: options.budgetClock ?? clock,
      random: options.random,
      metrics: this.#metrics,
      addressOf: (event) => addressOf(event, options.indexedField),
      onTerminate: (watcher) => this.#terminated(watcher),
    });
    this.#caching = new CachingLoop({
      storage,
      clock,
      ready: this.#ready,
      cache: this.#watchCache,
      dispatcher: this.#dispatcher,
      metrics: this.#metrics,
      tell: this.#tell,
    });
  }

  /** Fills the cache and keeps it filled until `signal` aborts; then the gate is shut for good and all watches end. */
  async start(signal: AbortSignal): Promise<void> {
    // A signal of its own: many caches share the server's, and Node warns of more than ten listeners on one.
    const own = AbortSignal.any([signal]);
    if (own.aborted) this.#stop();
    else own.addEventListener('abort', () => this.#stop(), { once: true });
    await Promise.all([this.#dispatcher.run(own), this.#caching.run(own)]);
  }

  /** True while the cache answers. */
  get ready(): boolean {
    return this.#ready.check();
  }

  state(): CacherState {
    const { history } = this.#watchCache;
    return {
      groupResource: this.#storage.groupResource,
      ready: this.#ready.check(),
      generation: this.#ready.generation,
      capacity: history.capacity,
      pinned: history.pinned,
      size: history.size,
      oldest: history.oldest?.rv,
      newest: history.newest?.rv,
      floor: this.#watchCache.floor,
      resourceVersion: this.#watchCache.resourceVersion,
      listResourceVersion: this.#watchCache.listResourceVersion,
      incoming: this.#dispatcher.incomingLength,
      watchers: this.#dispatcher.watchers().map(([watcher, { scope }]) => ({ ...watcher.state(), scope })),
      waiting: this.#waiting.state(),
    };
  }

  /** The lab's: pins the ring to so many events. Throws a RangeError where no ring can be that large. */
  setRingCapacity(capacity: number): void {
    this.#watchCache.history.setCapacity(capacity);
  }

  get(key: string, options: { resourceVersion: string; signal?: AbortSignal }): Promise<StoredObject> {
    return this.#reads.get(key, options);
  }

  getList(key: string, params: ListParams): Promise<ListResult> {
    return this.#reads.getList(key, params);
  }

  create(key: string, object: KubeObject, options?: Cancellable): Promise<StoredObject> {
    return this.#storage.create(key, object, options);
  }

  guaranteedUpdate(
    key: string,
    options: { ignoreNotFound?: boolean } & Cancellable,
    tryUpdate: (current: StoredObject | undefined) => KubeObject,
  ): Promise<StoredObject> {
    return this.#storage.guaranteedUpdate(key, options, tryUpdate);
  }

  delete(key: string, validate: (current: StoredObject) => void, options?: Cancellable): Promise<StoredObject> {
    return this.#storage.delete(key, validate, options);
  }

  /** In upstream's order (facts/server §3.6): until the gate is passed a failure rejects, after it the stream carries it. */
  async watch(key: string, params: WatchParams): Promise<Watcher> {
    const requested = parseResourceVersion(params.resourceVersion);
    const generation = await this.#waiting.during(params, 'ready', this.#ready.waitAndReadGeneration(params.signal));
    if (generation === 'stopped') throw new ApiError(serviceUnavailable('apiserver cacher is stopped'));
    if (generation === 'aborted') throw new ApiError(serviceUnavailable(this.#contextError(params)));
    try {
      return await this.#startWatch({ key, params, requested, generation });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return newErrWatcher(error);
    }
  }

  async #startWatch(accepted: AcceptedWatch): Promise<Watcher> {
    const { params, requested } = accepted;
    // Upstream 1.30.3 sizes the queues before it waits for anything.
    const channelSize = this.#channelSize(params);
    const consistent = params.resourceVersion === '' && params.sendInitialEvents !== undefined;
    const required = consistent ? await this.#currentRevision(params) : requested;
    if (params.sendInitialEvents) {
      const rv = consistent ? String(required) : params.resourceVersion;
      await this.#waiting.during(params, 'freshness', this.#watchCache.waitUntilFreshAndBlock(rv));
    }
    return this.#register(accepted, channelSize, required);
  }

  async #currentRevision(params: WatchParams): Promise<number> {
    try {
      return await this.#storage.currentRevision(params);
    } catch (error) {
      // The storage cannot tell why its caller went.
      throw params.signal.aborted ? new ApiError(unrecognisedError(this.#contextError(params))) : error;
    }
  }

  /** Under upstream's locks, so without an `await`: history is read and the watcher filed at one point of time. */
  #register({ key, params, requested, generation }: AcceptedWatch, channelSize: number, required: number): Watcher {
    const interval = this.#watchCache.getAllEventsSince(required, params.sendInitialEvents);
    if (this.#ready.checkAndReadGeneration() !== generation) return newImmediateCloseWatcher();
    this.#watcherIds += 1;
    const watcher = new CacheWatcher({
      id: this.#watcherIds,
      auditId: params.auditId,
      requestedRv: params.resourceVersion,
      channelSize,
      keyPrefix: objectRange(key, params.predicate, this.#storage.resource).key,
      predicate: params.predicate,
      allowWatchBookmarks: params.allowWatchBookmarks,
      deadline: params.deadline,
      signal: params.signal,
      owner: this.#dispatcher,
      onInitialized: params.onInitialized,
    });
    if (params.sendInitialEvents && params.allowWatchBookmarks) {
      const anyAge = params.resourceVersion !== '' && requested === 0;
      watcher.setBookmarkAfterResourceVersion(anyAge ? this.#watchCache.resourceVersion : required);
    }
    this.#dispatcher.register(watcher, filingOf(params, this.#options.indexedField));
    watcher.start(interval, required);
    return watcher;
  }

  #channelSize(params: WatchParams): number {
    const { indexedField } = this.#options;
    const triggerUsed = filingOf(params, indexedField).triggerValue !== undefined;
    return this.#watchCache.suggestedWatchChannelSize(indexedField !== undefined, triggerUsed);
  }

  /** Go's words for how a request's context ended. */
  #contextError(params: WatchParams): string {
    const expired = this.#options.clock.now() >= params.deadline - DEADLINE_TOLERANCE_MS;
    return expired ? 'context deadline exceeded' : 'context canceled';
  }

  #resized(from: number, to: number): void {
    this.#metrics.capacity.value = to;
    (to > from ? this.#metrics.capacityIncreases : this.#metrics.capacityDecreases).value += 1;
    this.#tell({ what: 'resize', from, to });
  }

  /** Of a client that is gone already nobody can say that the server closed it. */
  #terminated(watcher: CacheWatcher): void {
    if (watcher.abandoned) return;
    const { id, auditId } = watcher.state();
    this.#tell({ what: 'terminate', watcher: id, ...(auditId !== undefined && { auditId }) });
  }

  #stop(): void {
    this.#ready.stop();
    this.#dispatcher.terminateAllWatchers();
  }
}
