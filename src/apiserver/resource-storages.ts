import { Cacher } from '../cacher/cacher.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { Storage } from '../store/storage.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import type { Metrics } from '../util/metrics.ts';
import type { Random } from '../util/random.ts';
import type { Served } from './registry.ts';
import { groupResource, type Resource, selectableField } from './resource.ts';

export interface ResourceStorageOptions {
  store: Storage;
  /** The store as one resource's storage reaches it; default: `store`. */
  storeOf?(resource: string): Storage;
  clock: Clock;
  /** Real time, where `clock` runs faster: patience with slow watchers must not shrink with it. */
  budgetClock?: Clock;
  random: Random;
  cacheSize: number | 'auto';
  trace?: TraceSink;
  metrics: Metrics;
}

/** Where the objects of each type are: the store itself, or for cached types the watch cache around it. */
export interface ResourceStorages {
  readonly served: ReadonlyMap<Resource, Served>;
  /** By group resource (`pods`, `deployments.apps`). */
  readonly cachers: ReadonlyMap<string, Cacher>;
}

/** Builds the storage of every type that has one (upstream options.StorageFactoryRestOptionsFactory). Nothing runs yet. */
export function resourceStorages(resources: readonly Resource[], options: ResourceStorageOptions): ResourceStorages {
  const served = new Map<Resource, Served>();
  const cachers = new Map<string, Cacher>();
  for (const resource of resources) {
    if (resource.prefix === undefined) continue;
    const storage = objectStore(resource, resource.prefix, options);
    if (!resource.cached) {
      served.set(resource, { resource, storage });
      continue;
    }
    const cacher = cacherOf(resource, storage, options);
    cachers.set(groupResource(resource), cacher);
    served.set(resource, { resource, storage: cacher });
  }
  return { served, cachers };
}

function objectStore(resource: Resource, resourcePrefix: string, options: ResourceStorageOptions): ObjectStore {
  const { clock, random, metrics, trace } = options;
  const name = groupResource(resource);
  return new ObjectStore({
    store: options.storeOf?.(name) ?? options.store,
    clock,
    random,
    metrics,
    resourcePrefix,
    namespaced: resource.namespaced,
    groupResource: name,
    ...(trace === undefined ? {} : { trace }),
  });
}

function cacherOf(resource: Resource, storage: ObjectStore, options: ResourceStorageOptions): Cacher {
  const { clock, budgetClock, random, cacheSize, trace, metrics } = options;
  const { trigger } = resource;
  return new Cacher({
    storage,
    clock,
    random,
    capacity: cacheSize,
    metrics,
    ...(budgetClock === undefined ? {} : { budgetClock }),
    ...(trace === undefined ? {} : { trace }),
    ...(trigger === undefined
      ? {}
      : { indexedField: { name: trigger, valueOf: (object) => selectableField(resource, object, trigger) } }),
  });
}
