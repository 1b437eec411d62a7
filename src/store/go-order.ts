import type { KubeObject, ObjectMeta } from '../protocol/object.ts';

/** Fields of metadata that Go's encoder writes before resourceVersion; the others it knows come after, in this order. */
export const BEFORE_RV = ['name', 'generateName', 'namespace', 'selfLink', 'uid'] as const;
const AFTER_RV = [
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** Places of the members of metadata; what Go does not know stands behind all it knows. */
const META_PLACES = new Map<string, number>([...BEFORE_RV, ...AFTER_RV].map((name, place) => [name, place]));
const HEAD = ['kind', 'apiVersion', 'metadata'];

/** A copy, two levels deep, with members in Go's order and this resourceVersion (undefined: none). */
export function ordered(object: KubeObject, rv: number | undefined): KubeObject {
  const made: Partial<KubeObject> = {};
  if (object.kind !== undefined) made.kind = object.kind;
  if (object.apiVersion !== undefined) made.apiVersion = object.apiVersion;
  made.metadata = orderedMeta(object.metadata, rv);
  for (const name of Object.keys(object)) if (!HEAD.includes(name)) define(made, name, object[name]);
  return made as KubeObject;
}

export function orderedMeta(meta: ObjectMeta, rv: number | undefined): ObjectMeta {
  const made: Record<string, unknown> = pick(meta, BEFORE_RV);
  if (rv !== undefined) made.resourceVersion = String(rv);
  for (const name of AFTER_RV) if (Object.hasOwn(meta, name)) made[name] = meta[name];
  for (const name of Object.keys(meta)) {
    if (!META_PLACES.has(name) && name !== 'resourceVersion') define(made, name, meta[name]);
  }
  return made;
}

/** Sets a member of any name: to assign to `__proto__` would set no member. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** True where `ordered` without a resourceVersion would change nothing: most writes come from here or from a client of Go's. */
export function isOrdered(object: KubeObject): boolean {
  let at = 0;
  for (const name of Object.keys(object)) {
    const place = HEAD.indexOf(name);
    if (place < 0 ? at < HEAD.length : place < at) return false;
    at = place < 0 ? at : place + 1;
  }
  let last = -1;
  for (const name of Object.keys(object.metadata)) {
    if (name === 'resourceVersion') return false;
    const place = META_PLACES.get(name) ?? META_PLACES.size;
    if (place < last) return false;
    last = place;
  }
  return true;
}

function pick(meta: ObjectMeta, names: readonly string[]): ObjectMeta {
  const picked: ObjectMeta = {};
  for (const name of names) if (Object.hasOwn(meta, name)) picked[name] = meta[name];
  return picked;
}
