import { goJson } from '../protocol/go-json.ts';
import type { KubeObject } from '../protocol/object.ts';
import { ordered } from './go-order.ts';
import type { StoredObject } from './resource-storage.ts';
import { SerialisedObject, startsWith } from './serialised-object.ts';
import { splicePoint } from './splice-point.ts';

/** Decoding failed: the store holds bytes that are no object. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/** Bytes of the answer that stand before and after the resourceVersion; `version` between them. */
interface Spliced {
  point: number;
  version: string;
}

const NOT_SPLICED: Spliced = { point: 0, version: '' };

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
  #spliced: Spliced | undefined;
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
    if (content === undefined && this.#splice() === NOT_SPLICED) this.#content = parse(value);
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
    const { version } = this.#splice();
    return version === '' ? this.#serialised().jsonLength : this.#value.length + version.length;
  }

  beginsWith(bytes: Uint8Array): boolean {
    const { point } = this.#splice();
    return bytes.length <= point ? startsWith(this.#value, bytes) : this.#serialised().beginsWith(bytes);
  }

  copyJson(into: Buffer, at: number, from = 0): number {
    const { point, version } = this.#splice();
    if (from > point || version === '') return this.#serialised().copyJson(into, at, from);
    const value = this.#value;
    const head = point - from;
    into.set(from === 0 ? value : value.subarray(from), at + version.length);
    into.copyWithin(at, at + version.length, at + version.length + head);
    into.write(version, at + head, 'latin1');
    return at + version.length + value.length - from;
  }

  /** The same content under another resourceVersion: the last state of an object that a DELETED event shows. */
  at(rv: number): StoredState {
    return rv === this.rv ? this : new StoredState(this.#content, this.#value, rv);
  }

  #splice(): Spliced {
    if (this.#spliced) return this.#spliced;
    const point = splicePoint(this.#value);
    this.#spliced = point === undefined ? NOT_SPLICED : { point, version: `,"resourceVersion":"${this.rv}"` };
    return this.#spliced;
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
