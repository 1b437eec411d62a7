import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { GroupResource } from '../protocol/status.ts';
import * as status from '../protocol/status.ts';
import type { Clock } from '../util/clock.ts';
import { Metrics } from '../util/metrics.ts';
import type { Random } from '../util/random.ts';
import { ObjectCodec } from './object-codec.ts';
import { listObjects } from './object-list.ts';
import { objectRange, singleKey } from './object-range.ts';
import { ObjectWatcher, type ObjectWatchParams } from './object-watcher.ts';
import type { ListParams, ListResult, ResourceStorage, StoredObject, Watcher } from './resource-storage.ts';
import type { Cancellable, RangeResult, Revision, Storage } from './storage.ts';
import {
  checkMinimumResourceVersion,
  interpretListError,
  interpretStoreError,
  parseGroupResource,
  parseResourceVersion,
} from './storage-errors.ts';
import { type StoreCounters, storeCounters } from './store-counters.ts';
import type { StoredState } from './stored-state.ts';
import type { TraceSink } from './trace.ts';
import { wrappedStart } from './wrapped-revision.ts';

export interface ObjectStoreOptions {
  store: Storage;
  clock: Clock;
  random: Random;
  /** Storage keys are PREFIX/NAMESPACE/NAME or PREFIX/NAME; without a slash at its end. */
  resourcePrefix: string;
  namespaced: boolean;
  /** `pods`, `deployments.apps`. */
  groupResource: string;
  trace?: TraceSink;
  metrics?: Metrics;
}

/** What the parts of one resource's storage share. */
export interface StoredResource {
  readonly store: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly resourcePrefix: string;
  readonly namespaced: boolean;
  readonly groupResource: GroupResource;
  readonly codec: ObjectCodec;
  readonly counters: StoreCounters;
}

/**
 * One resource in the store (upstream etcd3/store.go): objects with a resourceVersion that is the revision, lists at a
 * revision with continue tokens, watches, optimistic writes. It is what an uncached resource is served from, and what the
 * Cacher stands on. `create` and `guaranteedUpdate` keep the object they are given: it must not be changed afterwards.
 */
export class ObjectStore implements ResourceStorage {
  readonly resource: StoredResource;
  /** As metrics and traces name it. */
  readonly groupResource: string;
  readonly #trace: TraceSink | undefined;

  constructor(options: ObjectStoreOptions) {
    this.groupResource = options.groupResource;
    this.#trace = options.trace;
    this.resource = {
      store: options.store,
      clock: options.clock,
      random: options.random,
      resourcePrefix: options.resourcePrefix,
      namespaced: options.namespaced,
      groupResource: parseGroupResource(options.groupResource),
      codec: new ObjectCodec(),
      counters: storeCounters(options.metrics ?? new Metrics(), options.groupResource),
    };
  }

  async get(key: string, options: { resourceVersion: string } & Cancellable): Promise<StoredObject> {
    const read = await this.#read(key, options);
    checkMinimumResourceVersion(options.resourceVersion, read.revision);
    const [kv] = read.kvs;
    if (!kv) throw this.#notFound(key);
    return this.resource.codec.decode(kv);
  }

  getList(key: string, params: ListParams): Promise<ListResult> {
    const range = objectRange(key, params.predicate, this.resource, params.continue !== '');
    return listObjects(this.resource, range, params);
  }

  async watch(key: string, params: ObjectWatchParams): Promise<Watcher> {
    const requested = parseResourceVersion(params.resourceVersion);
    const initialEvents = params.sendInitialEvents ?? requested === 0;
    const fromNow = requested === 0 && !initialEvents;
    const from = initialEvents ? requested : wrappedStart(params.resourceVersion, requested);
    const revision = fromNow ? await this.currentRevision(params) : from;
    const watcher = new ObjectWatcher(this.resource, objectRange(key, params.predicate, this.resource), params);
    void watcher.run({ revision, initialEvents, requested: params.resourceVersion });
    return watcher;
  }

  /** Upstream GetCurrentResourceVersionFromStorage: the revision of an empty list. */
  async currentRevision(options?: Cancellable): Promise<Revision> {
    try {
      return await this.resource.store.revision(options);
    } catch (error) {
      throw interpretStoreError(error);
    }
  }

  async create(key: string, object: KubeObject, options: Cancellable = {}): Promise<StoredObject> {
    if (object.metadata.resourceVersion) {
      throw new ApiError(status.unrecognisedError('resourceVersion should not be set on objects to be created'));
    }
    const value = this.resource.codec.encode(object);
    const result = await this.#put(key, value, 0, options);
    if (result.ok) return this.#written('create', key, value, result.revision);
    const current = result.current && this.resource.codec.decode(result.current);
    const deleting = current?.object.metadata.deletionTimestamp !== undefined;
    throw new ApiError(status.alreadyExists(this.resource.groupResource, nameOf(key), deleting));
  }

  async guaranteedUpdate(
    key: string,
    options: { ignoreNotFound?: boolean } & Cancellable,
    tryUpdate: (current: StoredObject | undefined) => KubeObject,
  ): Promise<StoredObject> {
    let [current] = (await this.#read(key, options)).kvs;
    for (;;) {
      if (!current && !options.ignoreNotFound) throw this.#notFound(key);
      const state = current && this.resource.codec.decode(current);
      const value = this.resource.codec.encode(tryUpdate(state), current?.value);
      // Nothing new: no write, no revision, no event (facts/server §4.5).
      if (current && state && Buffer.compare(value, current.value) === 0) return state;
      const result = await this.#put(key, value, current?.modRevision ?? 0, options);
      if (result.ok) return this.#written(current ? 'update' : 'create', key, value, result.revision);
      current = result.current;
    }
  }

  async delete(
    key: string,
    validate: (current: StoredObject) => void,
    options: Cancellable = {},
  ): Promise<StoredObject> {
    let [current] = (await this.#read(key, options)).kvs;
    for (;;) {
      if (!current) throw this.#notFound(key);
      const state = this.resource.codec.decode(current);
      validate(state);
      const result = await this.#delete(key, current.modRevision, options);
      if (result.ok) {
        this.#tell('delete', key, result.revision);
        return state.at(result.revision);
      }
      current = result.current;
    }
  }

  async #read(key: string, { signal }: Cancellable): Promise<RangeResult> {
    const { key: start, end } = singleKey(key);
    try {
      return await this.resource.store.range({ start, end, signal });
    } catch (error) {
      throw interpretListError(error);
    }
  }

  async #put(key: string, value: Uint8Array, expect: Revision, options: Cancellable) {
    try {
      return await this.resource.store.put(key, value, expect, options);
    } catch (error) {
      throw interpretStoreError(error);
    }
  }

  async #delete(key: string, expect: Revision, options: Cancellable) {
    try {
      return await this.resource.store.delete(key, expect, options);
    } catch (error) {
      throw interpretStoreError(error);
    }
  }

  #written(verb: 'create' | 'update', key: string, value: Uint8Array, rv: Revision): StoredState {
    this.#tell(verb, key, rv);
    return this.resource.codec.decode({ value, modRevision: rv });
  }

  #tell(verb: 'create' | 'update' | 'delete', key: string, rv: Revision): void {
    this.#trace?.({ what: 'write', at: this.resource.clock.now(), resource: this.groupResource, verb, key, rv });
  }

  #notFound(key: string): ApiError {
    return new ApiError(status.notFound(this.resource.groupResource, nameOf(key)));
  }
}

/** The last segment of a storage key. */
function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** Exported for the cacher, whose keys must be the store's. */
export function keyOfObject(resourcePrefix: string, object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${resourcePrefix}/${namespace}/${name}` : `${resourcePrefix}/${name}`;
}
