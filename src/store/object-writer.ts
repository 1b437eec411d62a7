import { escapedAsGo, goJsonBytes, mayNeedEscape } from '../protocol/go-json.ts';
import type { KubeObject } from '../protocol/object.ts';
import { keptCopy } from './object-bytes.ts';

/** Most parts of an object that are remembered; built-in types have less than ten. */
const PARTS_MAX = 32;
/** Objects up to about this many bytes are written here, one after the other. */
const scratch = Buffer.allocUnsafeSlow(1 << 20);
/** Most bytes that a UTF-16 code unit takes: `\u2028`, where Go escapes it. */
const BYTES_PER_UNIT = 6;
/** Text up to this many characters is copied in a loop, which is cheaper than a call out of JavaScript. */
const SHORT = 48;

/** Names of members as they are written, `"name":`. Built-in types have some dozens in the two levels looked at here. */
const NAMES_MAX = 512;
const names = new Map<string, string>();

/** A written object, and where its parts stand in the bytes: members of it and of its metadata that are objects themselves. */
export class WrittenObject {
  readonly value: Uint8Array;
  readonly #parts: readonly object[];
  readonly #places: readonly number[];

  /** `places`: begin and end of each part. */
  constructor(value: Uint8Array, parts: readonly object[], places: readonly number[]) {
    this.value = value;
    this.#parts = parts;
    this.#places = places;
  }

  /** Copies the bytes of a part to `at` in `into`. Where they end; undefined: it is none of this object's, or has no room. */
  copyPart(part: object, into: Buffer, at: number): number | undefined {
    const index = this.#parts.indexOf(part);
    if (index < 0) return undefined;
    const from = this.#places[2 * index]!;
    const to = this.#places[2 * index + 1]!;
    if (at + to - from > into.length) return undefined;
    into.set(this.value.subarray(from, to), at);
    return at + to - from;
  }
}

/**
 * Serialises an object as `goJson` would. Parts that are the very objects of `previous` are not serialised again but copied from its
 * bytes: a change of a status leaves the rest as it was, and that is most of an object.
 */
export function writeObject(object: KubeObject, previous: WrittenObject | undefined): WrittenObject {
  const writer = new ObjectWriter(previous);
  const length = writer.write(object);
  if (length === undefined) return new WrittenObject(goJsonBytes(object), [], []);
  return new WrittenObject(keptCopy(scratch.subarray(0, length)), writer.parts, writer.places);
}

/** Writes one object into `scratch`. */
class ObjectWriter {
  readonly parts: object[] = [];
  /** Begin and end of each part, bytes. */
  readonly places: number[] = [];
  readonly #previous: WrittenObject | undefined;
  #at = 0;
  /** There was no room. */
  #full = false;

  constructor(previous: WrittenObject | undefined) {
    this.#previous = previous;
  }

  /** Bytes that were written; undefined where the object is too large. */
  write(object: KubeObject): number | undefined {
    this.#members(object, true);
    return this.#full ? undefined : this.#at;
  }

  /** `whole`: the object itself, whose metadata is looked into as well. */
  #members(object: object, whole: boolean): void {
    let separator = '{';
    for (const name of Object.keys(object)) {
      const value = (object as Record<string, unknown>)[name];
      if (value === undefined) continue;
      this.#text(separator);
      this.#text(written(name));
      if (whole && name === 'metadata' && isRecord(value)) this.#members(value, false);
      else this.#value(value);
      separator = ',';
    }
    this.#text(separator === '{' ? '{}' : '}');
  }

  #value(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      this.#text(JSON.stringify(value));
      return;
    }
    const from = this.#at;
    const copied = this.#previous?.copyPart(value, scratch, from);
    if (copied === undefined) this.#text(JSON.stringify(value));
    else this.#at = copied;
    if (this.parts.length === PARTS_MAX) return;
    this.parts.push(value);
    this.places.push(from, this.#at);
  }

  #text(text: string): void {
    if (this.#at + text.length * BYTES_PER_UNIT > scratch.length) this.#full = true;
    if (this.#full) return;
    if (text.length <= SHORT && this.#plain(text)) return;
    const end = this.#at + scratch.write(text, this.#at);
    if (mayNeedEscape(scratch.subarray(this.#at, end))) this.#at += scratch.write(escapedAsGo(text), this.#at);
    else this.#at = end;
  }

  /** False where a character is no ASCII, or one that Go escapes. */
  #plain(text: string): boolean {
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code >= 0x80 || code === 0x3c || code === 0x3e || code === 0x26) return false;
      scratch[this.#at + i] = code;
    }
    this.#at += text.length;
    return true;
  }
}

function written(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const made = `${JSON.stringify(name)}:`;
  if (names.size < NAMES_MAX) names.set(name, made);
  return made;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
