import type { KubeObject } from '../protocol/object.ts';
import type { ListParams, ResourceStorage, StoredObject, WatchParams } from '../store/resource-storage.ts';
import type { Served } from './registry.ts';
import type { Resource } from './resource.ts';
import type { Serving } from './serving.ts';

/**
 * A storage as one request sees it: what still waits for the store when the request ends is not done any more, as Go's context
 * takes it back. Without it a write that its client was told to have failed would come through when the store is there again.
 */
class RequestStorage implements ResourceStorage {
  readonly #storage: ResourceStorage;
  readonly #signal: AbortSignal;

  constructor(storage: ResourceStorage, signal: AbortSignal) {
    this.#storage = storage;
    this.#signal = signal;
  }

  get(key: string, options: { resourceVersion: string }): Promise<StoredObject> {
    return this.#storage.get(key, { ...options, signal: this.#signal });
  }

  getList(key: string, params: ListParams) {
    return this.#storage.getList(key, { ...params, signal: this.#signal });
  }

  watch(key: string, params: WatchParams) {
    return this.#storage.watch(key, params);
  }

  create(key: string, object: KubeObject): Promise<StoredObject> {
    return this.#storage.create(key, object, { signal: this.#signal });
  }

  guaranteedUpdate(
    key: string,
    options: { ignoreNotFound?: boolean },
    tryUpdate: (current: StoredObject | undefined) => KubeObject,
  ): Promise<StoredObject> {
    return this.#storage.guaranteedUpdate(key, { ...options, signal: this.#signal }, tryUpdate);
  }

  delete(key: string, validate: (current: StoredObject) => void): Promise<StoredObject> {
    return this.#storage.delete(key, validate, { signal: this.#signal });
  }
}

/** An apiserver as one request sees it: all its storages end with `signal`. */
export function servingUntil(signal: AbortSignal, serving: Serving): Serving {
  const until = ({ resource, storage }: Served) => ({ resource, storage: new RequestStorage(storage, signal) });
  return {
    ...serving,
    namespaces: until(serving.namespaces),
    served(resource: Resource) {
      const served = serving.served(resource);
      return served && until(served);
    },
  };
}
