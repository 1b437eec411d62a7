import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../protocol/field-error.ts';
import { parseUint64 } from '../protocol/go-strconv.ts';
import type { KubeObject } from '../protocol/object.ts';
import { OBJECT_MODIFIED } from '../protocol/status.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { DryRunStorage } from './dry-run-storage.ts';
import { cleanMeta } from './meta-fields.ts';
import { changedMetaErrors } from './meta-validation.ts';
import { updateErrors } from './object-validation.ts';
import { conflict, invalid, notFound, unrecognised } from './refusals.ts';
import { asStored, keyOf, namespaceRefusal, type Place, type Registry } from './registry.ts';
import { checkNew, fillSystemFields } from './registry-create.ts';
import type { Resource } from './resource.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './strategy.ts';

/** Which part of the object an update may change. */
export type UpdateScope = 'object' | 'status' | 'finalize';

export interface UpdateRequest {
  scope: UpdateScope;
  /** What the client wants, made from what is there. May throw; the object it returns is changed further. */
  propose(current: KubeObject | undefined): KubeObject;
  /** UID that a PUT names. */
  uid?: string | undefined;
  /** A PUT may create, where the type allows it. */
  mayCreate: boolean;
}

/** The last finalizer of a deleted object is gone: delete it instead of writing it. */
class EmptiedFinalizers extends Error {
  readonly object: KubeObject;
  readonly rv: number;

  constructor(object: KubeObject, rv: number) {
    super('the last finalizer is gone');
    this.object = object;
    this.rv = rv;
  }
}

/**
 * PUT and PATCH (upstream Store.Update with rest.BeforeUpdate). Nothing new means no write: the answer has the old
 * resourceVersion (facts/server §4.5). Rejects with 404, 409 (resourceVersion, UID), 422 (what an update cannot change).
 */
export async function updateObject(
  registry: Registry,
  place: Place,
  request: UpdateRequest,
): Promise<{ stored: StoredObject; created: boolean }> {
  const { resource, storage } = place.served;
  const mayCreate = request.mayCreate && resource.strategy.createOnUpdate === true;
  const refusal = mayCreate ? await namespaceRefusal(registry, place) : undefined;
  let created = false;
  try {
    const stored = await storage.guaranteedUpdate(keyOf(place), { ignoreNotFound: true }, (current) => {
      checkUid(place, request.uid, current?.object.metadata.uid ?? '');
      created = current === undefined;
      if (current !== undefined) return changed(resource, request, current);
      if (!mayCreate) throw notFound(resource, place.name);
      if (refusal !== undefined) throw refusal;
      return newObject(registry, place, request.propose(undefined));
    });
    return { stored, created };
  } catch (error) {
    if (!(error instanceof EmptiedFinalizers)) throw error;
    await storage.delete(keyOf(place), () => undefined);
    return { stored: asStored(error.object, error.rv), created: false };
  }
}

function newObject(registry: Registry, place: Place, object: KubeObject): KubeObject {
  const { resource } = place.served;
  fillSystemFields(registry, place.namespace, object);
  prepareForCreate(resource.strategy, object);
  checkNew(resource, object);
  object.metadata = cleanMeta(object.metadata);
  return object;
}

function changed(resource: Resource, request: UpdateRequest, current: StoredObject): KubeObject {
  const old = current.object;
  const object = request.propose(old);
  checkResourceVersion(resource, object, current);
  keepSystemFields(object, old);
  if (request.scope === 'status') prepareForStatusUpdate(resource.strategy, object, old);
  else if (request.scope === 'finalize') prepareForFinalize(resource, object, old);
  else prepareForUpdate(resource.strategy, object, old);
  object.metadata = cleanMeta(object.metadata);
  const errors =
    request.scope === 'object' ? updateErrors(resource, object, old) : changedMetaErrors(object.metadata, old.metadata);
  if (errors.length > 0) throw invalid(resource, old.metadata.name ?? '', errors);
  if (isEnded(object, old, request.scope)) throw new EmptiedFinalizers(object, current.rv);
  return isDeepStrictEqual(object, old) ? old : object;
}

/** Throws 409 where a PUT names a UID that the object does not have (storage.Preconditions.Check). */
function checkUid(place: Place, wanted: string | undefined, uid: string): void {
  if (!wanted || wanted === uid) return;
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
  // Who only tries looks before the store has put its own prefix to the key (registry/dryrun.go).
  const key = place.served.storage instanceof DryRunStorage ? keyOf(place).replace(/^\/registry/, '') : keyOf(place);
  throw conflict(
    place.served.resource,
    place.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** Upstream prints the number, in Go's hexadecimal form, not the text. */
const MISSING_RV: FieldError = {
  field: 'metadata.resourceVersion',
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0x0: must be specified for an update',
};

/** Optimistic locking. The object leaves with the resourceVersion of what it replaces. */
function checkResourceVersion(resource: Resource, { metadata }: KubeObject, current: StoredObject): void {
  const wanted = metadata.resourceVersion ?? '';
  const parsed = parseUint64(wanted === '' ? '0' : wanted);
  if (!parsed.ok) throw unrecognised(parsed.message);
  if (parsed.value === 0n && resource.strategy.needsResourceVersion) {
    throw invalid(resource, metadata.name ?? '', [MISSING_RV]);
  }
  if (parsed.value !== 0n && parsed.value !== BigInt(current.rv))
    throw conflict(resource, metadata.name ?? '', OBJECT_MODIFIED);
  metadata.resourceVersion = String(current.rv);
}

/** What an update can neither set nor take away, however it is asked (rest.BeforeUpdate). */
function keepSystemFields({ metadata }: KubeObject, old: KubeObject): void {
  const before = old.metadata;
  metadata.uid ||= before.uid ?? '';
  if (before.creationTimestamp) metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  }
}

/** …/finalize changes the finalizers in a namespace's spec and nothing else of it. */
function prepareForFinalize({ strategy }: Resource, object: KubeObject, old: KubeObject): void {
  const spec = object.spec;
  prepareForStatusUpdate(strategy, object, old);
  object.spec = spec ?? {};
  if (old.status !== undefined) object.status = old.status;
}

/** Upstream ShouldDeleteDuringUpdate; a namespace also waits for the finalizers in its spec. */
function isEnded(object: KubeObject, old: KubeObject, scope: UpdateScope): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false;
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  if (object.kind !== 'Namespace') return true;
  const { finalizers } = (object.spec ?? {}) as { finalizers?: unknown[] };
  return scope === 'finalize' && (finalizers ?? []).length === 0;
}
