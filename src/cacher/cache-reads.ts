import { ApiError } from '../protocol/api-error.ts';
import { notFound, serviceUnavailable } from '../protocol/status.ts';
import { type ObjectRange, objectRange } from '../store/object-range.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { acceptsAll, matches } from '../store/predicate.ts';
import type { ListParams, ListResult, Predicate, StoredObject } from '../store/resource-storage.ts';
import { parseResourceVersion } from '../store/storage-errors.ts';
import type { CacherMetrics } from './cacher-metrics.ts';
import type { IndexedField } from './filing.ts';
import type { ReadyGate } from './ready.ts';
import type { WatchCache } from './watch-cache.ts';

export interface CacheReadsOptions {
  storage: ObjectStore;
  ready: ReadyGate;
  cache: WatchCache;
  metrics: CacherMetrics;
  /** The field by which lists find their objects, where the type has one. */
  indexedField: IndexedField | undefined;
}

/**
 * Gets and lists of a cached resource (upstream cacher.go Get, GetList; the table of facts/server §2.2): who asks for the
 * newest state, a page, an exact RV or a continuation is served by the storage, everybody else from memory.
 */
export class CacheReads {
  readonly #storage: ObjectStore;
  readonly #ready: ReadyGate;
  readonly #cache: WatchCache;
  readonly #metrics: CacherMetrics;
  readonly #indexedField: IndexedField | undefined;

  constructor(options: CacheReadsOptions) {
    this.#storage = options.storage;
    this.#ready = options.ready;
    this.#cache = options.cache;
    this.#metrics = options.metrics;
    this.#indexedField = options.indexedField;
  }

  async get(key: string, options: { resourceVersion: string; signal?: AbortSignal }): Promise<StoredObject> {
    const { resourceVersion, signal } = options;
    if (resourceVersion === '') return this.#storage.get(key, options);
    const rv = parseResourceVersion(resourceVersion);
    if (rv === 0 && !this.#ready.check()) return this.#storage.get(key, options);
    await this.#waitUntilReady(signal);
    const found = await this.#cache.waitUntilFreshAndGet(resourceVersion, key);
    if (found) return found;
    throw new ApiError(notFound(this.#storage.resource.groupResource, key.slice(key.lastIndexOf('/') + 1)));
  }

  async getList(key: string, params: ListParams): Promise<ListResult> {
    if (shouldDelegateList(params)) return this.#storage.getList(key, params);
    const rv = parseResourceVersion(params.resourceVersion);
    if (rv === 0 && !this.#ready.check()) return this.#storage.getList(key, params);
    await this.#waitUntilReady(params.signal);
    const range = objectRange(key, params.predicate, this.#storage.resource);
    const read = await this.#cache.waitUntilFreshAndList(params.resourceVersion, range);
    const all = acceptsAll(params.predicate);
    const items = all ? read.objects : read.objects.filter((object) => matches(params.predicate, object));
    this.#count(range, params.predicate, read.objects.length, items.length);
    return { items, resourceVersion: String(read.rv) };
  }

  /**
   * Counts a list as upstream reads it: one key, or all objects of the resource, whatever namespace was asked for; pods alone
   * are indexed, by their node and by their namespace, and the first index that fits is used (cacher.go listItems).
   */
  #count(range: ObjectRange, { field }: Predicate, inRange: number, returned: number): void {
    const { resourcePrefix } = this.#storage.resource;
    const indexed = this.#indexedField;
    const value = indexed && field.requiresExactMatch(indexed.name);
    if (!range.recursive) this.#metrics.countList('', inRange, returned);
    else if (indexed && value !== undefined) {
      const fetched = this.#cache.count(({ content }) => indexed.valueOf(content) === value);
      this.#metrics.countList(`f:${indexed.name}`, fetched, returned);
    } else if (indexed && range.key !== `${resourcePrefix}/`) {
      this.#metrics.countList('f:metadata.namespace', inRange, returned);
    } else this.#metrics.countList('', this.#cache.size, returned);
  }

  /** An RV was demanded, so the storage may not answer in the cache's place. */
  async #waitUntilReady(signal: AbortSignal | undefined): Promise<void> {
    const generation = await this.#ready.waitAndReadGeneration(signal);
    if (generation === 'stopped') throw new ApiError(serviceUnavailable('apiserver cacher is stopped'));
    if (generation === 'aborted') throw new ApiError(serviceUnavailable('context deadline exceeded'));
  }
}

/** cacher.go shouldDelegateList with the gates of 1.30.3. A limit at RV 0 is ignored to spare etcd. */
function shouldDelegateList({ resourceVersion, resourceVersionMatch, limit, continue: token }: ListParams): boolean {
  const consistentRead = resourceVersion === '';
  const hasLimit = limit > 0 && resourceVersion !== '0';
  return consistentRead || token !== '' || hasLimit || resourceVersionMatch === 'Exact';
}
