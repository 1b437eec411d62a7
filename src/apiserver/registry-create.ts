import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { cleanMeta } from './meta-fields.ts';
import { creationErrors } from './object-validation.ts';
import { alreadyExists, invalid, unrecognised } from './refusals.ts';
import { keyOf, namespaceRefusal, type Place, type Registry, timestamp } from './registry.ts';
import type { Resource } from './resource.ts';
import { prepareForCreate } from './strategy.ts';
import { nameSuffix, uuid } from './uuid.ts';

/** Characters of `generateName` that are kept, so that name and suffix stay within 63 (apiserver storage/names). */
const GENERATED_BASE_MAX = 58;

/**
 * Creates an object (upstream Store.Create with rest.BeforeCreate). The object is the request's own and is changed.
 * Rejects with 404 or 403 (namespace), 422 (name), 500 (it has a resourceVersion), 409 (it is there).
 */
export async function createObject(registry: Registry, place: Place, object: KubeObject): Promise<StoredObject> {
  const { resource, storage } = place.served;
  const { metadata } = object;
  if (!metadata.name && metadata.generateName) {
    metadata.name = metadata.generateName.slice(0, GENERATED_BASE_MAX) + nameSuffix(registry.random);
  }
  const name = metadata.name ?? '';
  const refusal = await namespaceRefusal(registry, { ...place, name });
  if (refusal !== undefined) throw refusal;
  const { resourceVersion } = metadata;
  fillSystemFields(registry, place.namespace, object);
  prepareForCreate(resource.strategy, object);
  checkNew(resource, object);
  if (isSet(resourceVersion)) throw unrecognised('resourceVersion should not be set on objects to be created');
  object.metadata = cleanMeta(object.metadata);
  const key = keyOf({ ...place, name: object.metadata.name ?? '' });
  try {
    return await storage.create(key, object);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
    throw alreadyExists(resource, name, await isBeingDeleted(place, key));
  }
}

/** Fields of metadata that only the server gives (rest.FillObjectMetaSystemFields). */
export function fillSystemFields(registry: Registry, namespace: string | undefined, object: KubeObject): void {
  const { metadata } = object;
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  if (namespace === undefined) delete metadata.namespace;
  else metadata.namespace = namespace;
  metadata.uid = uuid(registry.random);
  metadata.creationTimestamp = timestamp(registry.clock.now());
}

/** Throws 422 with all that is wrong with a new object. */
export function checkNew(resource: Resource, object: KubeObject): void {
  const errors = creationErrors(resource, object);
  if (errors.length > 0) throw invalid(resource, object.metadata.name ?? '', errors);
}

/** A resourceVersion that cannot be read counts as none here (etcd3/store.go Create). */
const isSet = (resourceVersion: string | undefined) =>
  /^\d+$/.test(resourceVersion ?? '') && !/^0+$/.test(resourceVersion!);

async function isBeingDeleted({ served }: Place, key: string): Promise<boolean> {
  try {
    const { object } = await served.storage.get(key, { resourceVersion: '' });
    return object.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
