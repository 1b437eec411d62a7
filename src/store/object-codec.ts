import { goJson, goJsonBytes } from '../protocol/go-json.ts';
import type { KubeObject, ObjectMeta } from '../protocol/object.ts';
import type { StoredObject } from './resource-storage.ts';
import type { KeyValue } from './storage.ts';

/** Fields of metadata that Go's encoder writes before resourceVersion; the others it knows come after, in this order. */
const BEFORE_RV = ['name', 'generateName', 'namespace', 'selfLink', 'uid'] as const;
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

/**
 * Written objects that are remembered by their bytes, in the whole process. A write comes back through the cacher's watch within
 * moments, with the very bytes: then nothing is parsed again, and all who show that state share one, also the caches of
 * several apiservers over one store. Older ones are not worth their memory.
 */
const REMEMBERED = 1024;
type RememberedWrites = Map<Uint8Array, { object: KubeObject; state?: StoredState }>;
const WRITES_OF_THIS_PROCESS: RememberedWrites = new Map();

/** Decoding failed: the store holds bytes that are no object. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/**
 * Between objects and the bytes in the store. Stored is JSON without resourceVersion, since that is the revision; members
 * stand in the order in which Go encodes a built-in type, so what is sent looks as clients know it.
 */
export class ObjectCodec {
  readonly #remembered: RememberedWrites;

  /** `remembered`: written objects by their bytes; by default shared by all codecs of the process. */
  constructor(remembered: RememberedWrites = WRITES_OF_THIS_PROCESS) {
    this.#remembered = remembered;
  }

  /** The bytes to store. `object` must not be changed afterwards. */
  encode(object: KubeObject): Uint8Array {
    const value = goJsonBytes(isOrdered(object) ? object : ordered(object, undefined));
    this.#remembered.set(value, { object });
    if (this.#remembered.size > REMEMBERED) this.#forgetOldest();
    return value;
  }

  /** The state that a key had; `rv`: the revision it is shown with, where that is not its own (a DELETED event). */
  decode(kv: Pick<KeyValue, 'value' | 'modRevision'>, rv: number = kv.modRevision): StoredState {
    const known = this.#remembered.get(kv.value);
    if (known?.state?.rv === rv) return known.state;
    const state = new StoredState(known?.object ?? parse(kv.value), kv.value, rv);
    if (known && rv === kv.modRevision) known.state = state;
    return state;
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

/** One state of an object, serialised at most once, and brought into order only for who looks at it whole. */
export class StoredState implements StoredObject {
  readonly content: KubeObject;
  readonly rv: number;
  /** JSON of the object without resourceVersion. */
  readonly #value: Uint8Array;
  #object: KubeObject | undefined;
  #json: Uint8Array | undefined;

  /** `value`: JSON of `content` without resourceVersion, in Go's order. */
  constructor(content: KubeObject, value: Uint8Array, rv: number) {
    this.content = content;
    this.#value = value;
    this.rv = rv;
  }

  get object(): KubeObject {
    this.#object ??= ordered(this.content, this.rv);
    return this.#object;
  }

  get json(): Uint8Array {
    this.#json ??= spliceResourceVersion(this.#value, this.content, this.rv) ?? Buffer.from(goJson(this.object));
    return this.#json;
  }

  /** The same content under another resourceVersion: the last state of an object that a DELETED event shows. */
  at(rv: number): StoredState {
    return rv === this.rv ? this : new StoredState(this.content, this.#value, rv);
  }
}

/** The same content under another resourceVersion: the last state that a DELETED event shows. */
export function withResourceVersion(stored: StoredObject, rv: number): StoredObject {
  if (stored.rv === rv) return stored;
  if (stored instanceof StoredState) return stored.at(rv);
  const { object } = stored;
  return new StoredState(object, Buffer.from(goJson(ordered(object, undefined))), rv);
}

/** A copy, two levels deep, with members in Go's order and this resourceVersion (undefined: none). */
function ordered(object: KubeObject, rv: number | undefined): KubeObject {
  const made: Partial<KubeObject> = {};
  if (object.kind !== undefined) made.kind = object.kind;
  if (object.apiVersion !== undefined) made.apiVersion = object.apiVersion;
  made.metadata = orderedMeta(object.metadata, rv);
  for (const name of Object.keys(object)) if (!HEAD.includes(name)) define(made, name, object[name]);
  return made as KubeObject;
}

function orderedMeta(meta: ObjectMeta, rv: number | undefined): ObjectMeta {
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

/** Places of the members of metadata; what Go does not know stands behind all it knows. */
const META_PLACES = new Map<string, number>([...BEFORE_RV, ...AFTER_RV].map((name, place) => [name, place]));
const HEAD = ['kind', 'apiVersion', 'metadata'];

/** True where `ordered` without a resourceVersion would change nothing: most writes come from here or from a client of Go's. */
function isOrdered(object: KubeObject): boolean {
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

/**
 * The stored bytes with the resourceVersion put in its place: a copy instead of a second serialisation. Undefined where
 * the bytes do not begin as `encode` writes them.
 */
function spliceResourceVersion(value: Uint8Array, object: KubeObject, rv: number): Uint8Array | undefined {
  const { kind, apiVersion, metadata } = object;
  const head = goJson({ kind, apiVersion, metadata: pick(metadata, BEFORE_RV) }).slice(0, -2);
  if (head.endsWith('{')) return undefined;
  const bytes = Buffer.from(head);
  if (bytes.compare(value, 0, bytes.length) !== 0) return undefined;
  const version = Buffer.from(`,"resourceVersion":"${rv}"`);
  return Buffer.concat([bytes, version, value.subarray(bytes.length)]);
}

const utf8 = new TextDecoder();

function parse(value: Uint8Array): KubeObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(value));
  } catch (error) {
    throw new DecodeError(error instanceof Error ? error.message : String(error));
  }
  if (!isRecord(parsed) || !isRecord(parsed.metadata)) throw new DecodeError('stored value is no object with metadata');
  return parsed as unknown as KubeObject;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
