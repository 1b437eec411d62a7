import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { alreadyExists } from '../protocol/status.ts';
import type { ListParams, ResourceStorage, StoredObject, WatchParams } from '../store/resource-storage.ts';
import { asStored } from './registry.ts';

/**
 * A storage whose writes are checked as always, and not done (`dryRun=All`; upstream DryRunnableStorage). What is answered
 * has the resourceVersion of what is there, or none.
 */
export class DryRunStorage implements ResourceStorage {
  readonly #storage: ResourceStorage;

  constructor(storage: ResourceStorage) {
    this.#storage = storage;
  }

  get(key: string, options: { resourceVersion: string }): Promise<StoredObject> {
    return this.#storage.get(key, options);
  }

  getList(key: string, params: ListParams) {
    return this.#storage.getList(key, params);
  }

  watch(key: string, params: WatchParams) {
    return this.#storage.watch(key, params);
  }

  async create(key: string, object: KubeObject): Promise<StoredObject> {
    if ((await this.#find(key)) === undefined) return asStored(object, 0);
    // The caller says it in full; what counts is the reason.
    throw new ApiError(alreadyExists({ group: '', resource: '' }, object.metadata.name ?? ''));
  }

  async guaranteedUpdate(
    key: string,
    options: { ignoreNotFound?: boolean },
    tryUpdate: (current: StoredObject | undefined) => KubeObject,
  ): Promise<StoredObject> {
    const current = options.ignoreNotFound ? await this.#find(key) : await this.#read(key);
    return asStored(tryUpdate(current), current?.rv ?? 0);
  }

  async delete(key: string, validate: (current: StoredObject) => void): Promise<StoredObject> {
    const current = await this.#read(key);
    validate(current);
    return current;
  }

  #read(key: string): Promise<StoredObject> {
    return this.#storage.get(key, { resourceVersion: '' });
  }

  async #find(key: string): Promise<StoredObject | undefined> {
    try {
      return await this.#read(key);
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404) return undefined;
      throw error;
    }
  }
}
