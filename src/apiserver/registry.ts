import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { ResourceStorage, StoredObject } from '../store/resource-storage.ts';
import { SerialisedObject } from '../store/serialised-object.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { goStruct } from './go-types.ts';
import { forbidden, notFound } from './refusals.ts';
import { type Resource, storageKey } from './resource.ts';
import { readTyped } from './typed-value.ts';

/** A type and where its objects are. */
export interface Served {
  readonly resource: Resource;
  readonly storage: ResourceStorage;
}

/** What the rules for writing objects need beside the objects (upstream registry/generic/registry.Store). */
export interface Registry {
  readonly clock: Clock;
  readonly random: Random;
  /** Where namespaces are, so that it can be asked whether one exists. */
  readonly namespaces: Served;
}

/** One object of a type, there or not. */
export interface Place {
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly name: string;
}

export const keyOf = ({ served, namespace, name }: Place) => storageKey(served.resource, namespace, name);

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** An object that is answered with but not (or no longer) stored. */
export function asStored(object: KubeObject, rv: number): StoredObject {
  const metadata = readTyped(goStruct('ObjectMeta'), object.metadata, []).value;
  return new SerialisedObject({ ...object, metadata }, rv);
}

/**
 * Refuses what upstream's NamespaceLifecycle admission refuses: writes into a namespace that is not there (404), and new
 * objects in one that is being deleted (403). The error is returned, since an update learns only later whether it creates.
 */
export async function namespaceRefusal(registry: Registry, place: Place): Promise<ApiError | undefined> {
  const { resource } = place.served;
  if (!resource.namespaced || place.namespace === undefined) return undefined;
  const { resource: type, storage } = registry.namespaces;
  try {
    const { object } = await storage.get(storageKey(type, undefined, place.namespace), { resourceVersion: '' });
    const { phase } = (object.status ?? {}) as { phase?: unknown };
    return phase === 'Terminating' ? terminating(place, place.namespace) : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return notFound(type, place.namespace);
    throw error;
  }
}

function terminating({ served: { resource }, name }: Place, namespace: string): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resource, name, why);
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  return new ApiError({ ...status, details: { ...status.details, causes } });
}
