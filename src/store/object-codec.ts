import { goJson } from '../protocol/go-json.ts';
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
 * Written objects that are remembered by their bytes. A write comes back through the cacher's watch within moments, with
 * the very bytes: then nothing is parsed again, and all who show that state share one. Older ones are not worth their memory.
 */
const REMEMBERED = 1024;

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
  readonly #remembered = new Map<Uint8Array, { object: KubeObject; state?: StoredState }>();

  /** The bytes to store. `object` must not be changed afterwards. */
  encode(object: KubeObject): Uint8Array {
    const value = Buffer.from(goJson(ordered(object, undefined)));
    this.#remembered.set(value, { object });
    if (this.#remembered.size > REMEMBERED) this.#forgetOldest();
    return value;
  }

  /** The state that a key had; `rv`: the revision it is shown with, where that is not its own (a DELETED event). */
  decode(kv: Pick<KeyValue, 'value' | 'modRevision'>, rv: number = kv.modRevision): StoredState {
    const known = this.#remembered.get(kv.value);
    if (known?.state?.rv === rv) return known.state;
    const state = new StoredState(ordered(known?.object ?? parse(kv.value), rv), kv.value, rv);
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

/** One state of an object, serialised at most once. */
export class StoredState implements StoredObject {
  readonly object: KubeObject;
  readonly rv: number;
  /** JSON of the object without resourceVersion. */
  readonly #value: Uint8Array;
  #json: Uint8Array | undefined;

  constructor(object: KubeObject, value: Uint8Array, rv: number) {
    this.object = object;
    this.#value = value;
    this.rv = rv;
  }

  get json(): Uint8Array {
    this.#json ??= spliceResourceVersion(this.#value, this.object) ?? Buffer.from(goJson(this.object));
    return this.#json;
  }

  /** The same content under another resourceVersion: the last state of an object that a DELETED event shows. */
  at(rv: number): StoredState {
    return rv === this.rv ? this : new StoredState(ordered(this.object, rv), this.#value, rv);
  }
}

/** The same content under another resourceVersion: the last state that a DELETED event shows. */
export function withResourceVersion(stored: StoredObject, rv: number): StoredObject {
  if (stored.rv === rv) return stored;
  if (stored instanceof StoredState) return stored.at(rv);
  const { object } = stored;
  return new StoredState(ordered(object, rv), Buffer.from(goJson(ordered(object, undefined))), rv);
}

/** A copy, two levels deep, with members in Go's order and this resourceVersion (undefined: none). */
function ordered(object: KubeObject, rv: number | undefined): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  const { resourceVersion: _, ...meta } = metadata;
  const version = rv === undefined ? {} : { resourceVersion: String(rv) };
  return {
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    metadata: { ...pick(meta, BEFORE_RV), ...version, ...pick(meta, AFTER_RV), ...meta },
    ...rest,
  };
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
function spliceResourceVersion(value: Uint8Array, object: KubeObject): Uint8Array | undefined {
  const { kind, apiVersion, metadata } = object;
  const head = goJson({ kind, apiVersion, metadata: pick(metadata, BEFORE_RV) }).slice(0, -2);
  if (head.endsWith('{')) return undefined;
  const bytes = Buffer.from(head);
  if (bytes.compare(value, 0, bytes.length) !== 0) return undefined;
  const version = Buffer.from(`,"resourceVersion":"${metadata.resourceVersion}"`);
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
