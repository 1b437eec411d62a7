import type { KubeObject, ObjectMeta } from '../protocol/object.ts';
import { deleted, type Status } from '../protocol/status.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import type { DeleteOptions } from './delete-options.ts';
import { deletedMeta, finalizersFor, planDeletion } from './deletion-plan.ts';
import { cleanMeta } from './meta-fields.ts';
import { conflict } from './refusals.ts';
import { keyOf, type Place, type Registry, timestamp } from './registry.ts';
import type { Resource } from './resource.ts';
import { section } from './strategy.ts';

/** How a DELETE ended. `gone`: the object is no more. */
export interface Deletion {
  gone: boolean;
  /** What is answered with: the object, or for types that do not return it a Status. */
  answer: StoredObject | Status;
}

/** A DELETE found, while writing, that there is nothing to write. */
class NothingToWrite extends Error {
  readonly what: 'delete now' | 'already deleting';

  constructor(what: NothingToWrite['what']) {
    super(what);
    this.what = what;
  }
}

/**
 * Deletes an object, or begins to (upstream Store.Delete): finalizers and grace periods turn it into an update first.
 * Rejects with 404, or 409 where a precondition does not hold.
 */
export async function deleteObject(registry: Registry, place: Place, options: DeleteOptions): Promise<Deletion> {
  const { resource, storage } = place.served;
  const found = await storage.get(keyOf(place), { resourceVersion: '' });
  checkPreconditions(resource, found.object, options);
  if (resource.name === 'namespaces') {
    const kept = await keepNamespace(registry, place, found, options);
    if (kept !== undefined) return { gone: false, answer: kept };
  }
  const first = planDeletion(resource, found.object, options, registry.clock.now());
  if (first.do === 'leave') return { gone: false, answer: answerOf(place, found) };
  if (first.do === 'delete') return end(place, options);
  try {
    const marked = await mark(registry, place, options);
    if (first.waits) return { gone: false, answer: marked };
  } catch (error) {
    if (!(error instanceof NothingToWrite)) throw error;
    if (error.what === 'already deleting') return { gone: false, answer: answerOf(place, found) };
  }
  return end(place, { preconditions: options.preconditions?.uid ? { uid: options.preconditions.uid } : undefined });
}

/** Writes the deletionTimestamp, grace period and finalizers that the plan asks for. */
function mark(registry: Registry, place: Place, options: DeleteOptions): Promise<StoredObject> {
  const { resource, storage } = place.served;
  return storage.guaranteedUpdate(keyOf(place), {}, (current) => {
    const { object } = current as StoredObject;
    checkPreconditions(resource, object, options);
    const plan = planDeletion(resource, object, options, registry.clock.now());
    if (plan.do === 'leave') throw new NothingToWrite('already deleting');
    if (plan.do === 'delete') throw new NothingToWrite('delete now');
    return plan.object;
  });
}

async function end(place: Place, options: DeleteOptions): Promise<Deletion> {
  const { resource, storage } = place.served;
  const last = await storage.delete(keyOf(place), ({ object }) => checkPreconditions(resource, object, options));
  return { gone: true, answer: answerOf(place, last) };
}

function answerOf({ served: { resource }, name }: Place, last: StoredObject): StoredObject | Status {
  if (resource.strategy.returnsDeletedObject) return last;
  return deleted({ group: resource.group, resource: resource.name }, name, last.object.metadata.uid ?? '');
}

/** Throws 409 with the *kind* in it, unlike every other conflict (rest.BeforeDelete). */
function checkPreconditions(resource: Resource, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  if (resource.name === 'namespaces') {
    checkNamespacePreconditions(resource, metadata, preconditions);
    return;
  }
  const type = { group: resource.group, name: resource.kind };
  const refuse = (what: string, wanted: string, found: string, perhaps: string) =>
    conflict(
      type,
      metadata.name ?? '',
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${perhaps}`,
    );
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    throw refuse('UID', uid, metadata.uid ?? '', 'deleted and then recreated');
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion ?? '', 'modified');
  }
}

/** A namespace's own storage checks them itself, and says it in the words of the store (namespace/storage REST.Delete). */
function checkNamespacePreconditions(
  resource: Resource,
  { name = '', uid = '', resourceVersion = '' }: ObjectMeta,
  wanted: DeleteOptions['preconditions'],
): void {
  const refuse = (what: string, asked: string, found: string) =>
    conflict(
      resource,
      name,
      `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`,
    );
  if (wanted?.uid !== undefined && wanted.uid !== uid) throw refuse('UID', wanted.uid, uid);
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw refuse('ResourceVersion', wanted.resourceVersion, resourceVersion);
  }
}

/**
 * A namespace is first marked as Terminating; it goes only when the finalizers in its spec are gone, and taking those away is
 * the work of a controller that does not run here (registry/core/namespace/storage). Undefined: nothing holds it back.
 */
async function keepNamespace(
  registry: Registry,
  place: Place,
  found: StoredObject,
  options: DeleteOptions,
): Promise<StoredObject | undefined> {
  if (found.object.metadata.deletionTimestamp === undefined) {
    return place.served.storage.guaranteedUpdate(keyOf(place), {}, (current) => {
      const object = structuredClone((current as StoredObject).object);
      const metadata = { ...object.metadata, finalizers: finalizersFor(place.served.resource, object, options) };
      object.metadata = cleanMeta(deletedMeta(metadata, timestamp(registry.clock.now()), undefined));
      section(object, 'status').phase = 'Terminating';
      return object;
    });
  }
  const { finalizers } = (found.object.spec ?? {}) as { finalizers?: unknown[] };
  return (finalizers ?? []).length > 0 ? found : undefined;
}
