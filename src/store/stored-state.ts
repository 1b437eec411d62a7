import { goJson } from '../protocol/go-json.ts';
import type { KubeObject } from '../protocol/object.ts';
import { ordered } from './go-order.ts';
import { NOWHERE, ObjectBytes } from './object-bytes.ts';
import type { StoredObject } from './resource-storage.ts';
import { SerialisedObject, startsWith } from './serialised-object.ts';
import { splicePoint } from './splice-point.ts';
import { copyFrom, versionMemberLength, writeVersionMember } from './version-member.ts';

/** Decoding failed: the store holds bytes that are no object. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/**
 * One state of an object: the stored bytes, and what is made of them only for who asks. Who sends it whole needs nothing but the bytes
 * with the resourceVersion between them (`jsonLength`, `copyJson`); selectors need the parsed content; a Table needs it in order.
 */
export class StoredState implements StoredObject {
  readonly rv: number;
  /** JSON of the object without resourceVersion, in Go's order. */
  readonly #value: Uint8Array;
  #content: KubeObject | undefined;
  #object: KubeObject | undefined;
  /** Bytes of `#value` before the resourceVersion, or NOWHERE. */
  readonly #splicePoint: number;
  /** Where the bytes cannot be spliced: the object serialised once more. */
  #whole: SerialisedObject | undefined;

  /**
   * `content`: what `value` says, where that is known; undefined: it is parsed when it is asked for, if `value` begins as an object
   * does. Throws DecodeError where it is none.
   */
  constructor(content: KubeObject | undefined, value: Uint8Array, rv: number) {
    this.#value = value;
    this.rv = rv;
    this.#content = content;
    this.#splicePoint = value instanceof ObjectBytes ? value.splicePoint : (splicePoint(value) ?? NOWHERE);
    if (content === undefined && this.#splicePoint === NOWHERE) this.#content = parse(value);
  }

  get content(): KubeObject {
    this.#content ??= parse(this.#value);
    return this.#content;
  }

  get object(): KubeObject {
    this.#object ??= ordered(this.content, this.rv);
    return this.#object;
  }

  get json(): Uint8Array {
    const json = Buffer.allocUnsafeSlow(this.jsonLength);
    this.copyJson(json, 0);
    return json;
  }

  get jsonLength(): number {
    return this.#splicePoint === NOWHERE
      ? this.#serialised().jsonLength
      : this.#value.length + versionMemberLength(this.rv);
  }

  beginsWith(bytes: Uint8Array): boolean {
    const isBefore = bytes.length <= this.#splicePoint;
    return isBefore ? startsWith(this.#value, bytes) : this.#serialised().beginsWith(bytes);
  }

  copyJson(into: Buffer, at: number, from = 0): number {
    const point = this.#splicePoint;
    if (from > point) return this.#serialised().copyJson(into, at, from);
    const head = point - from;
    const tail = at + versionMemberLength(this.rv);
    copyFrom(this.#value, from, into, tail);
    into.copyWithin(at, tail, tail + head);
    writeVersionMember(this.rv, into, at + head);
    return tail + this.#value.length - from;
  }

  /** The same content under another resourceVersion: the last state of an object that a DELETED event shows. */
  at(rv: number): StoredState {
    return rv === this.rv ? this : new StoredState(this.#content, this.#value, rv);
  }

  #serialised(): SerialisedObject {
    this.#whole ??= new SerialisedObject(this.object, this.rv);
    return this.#whole;
  }
}

/** The same content under another resourceVersion: the last state that a DELETED event shows. */
export function withResourceVersion(stored: StoredObject, rv: number): StoredObject {
  if (stored.rv === rv) return stored;
  if (stored instanceof StoredState) return stored.at(rv);
  const { object } = stored;
  return new StoredState(object, Buffer.from(goJson(ordered(object, undefined))), rv);
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
