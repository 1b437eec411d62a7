import { NOWHERE, valueEnd } from './json-bytes.ts';
import type { EventFields, WatchEventType } from './watch-event.ts';

/**
 * The two orders in which apiservers write an event, both without blanks: Go's struct order (built-in types),
 * `{"type":…,"object":{"kind":…,"apiVersion":…,"metadata":{"name":…,…`, and the sorted order of unstructured objects (custom
 * resources), `{"type":…,"object":{"apiVersion":…,"kind":…,"metadata":{"annotations":…,…`. Inside metadata any order will do.
 */
const BEFORE_TYPE = Buffer.from('{"type":"');
const BEFORE_OBJECT = Buffer.from(',"object":{"');
const KIND = Buffer.from('kind":"');
const THEN_API_VERSION = Buffer.from(',"apiVersion":"');
const API_VERSION = Buffer.from('apiVersion":"');
const THEN_KIND = Buffer.from(',"kind":"');
const BEFORE_METADATA = Buffer.from(',"metadata":{');

const TYPES: readonly { text: WatchEventType; bytes: Buffer }[] = (
  ['MODIFIED', 'ADDED', 'DELETED', 'BOOKMARK'] as const
).map((text) => ({ text, bytes: Buffer.from(`${text}"`) }));

const NAME = Buffer.from('name');
const NAMESPACE = Buffer.from('namespace');
const UID = Buffer.from('uid');
const RESOURCE_VERSION = Buffer.from('resourceVersion');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Not written as expected: the frame must be parsed. Every position is 0 or more. */
const UNKNOWN = -1;

/**
 * The fields of a frame in one of the known orders that ends in `}}`, or undefined for any other. Nothing behind metadata
 * is looked at, nor, once all four fields of metadata are there, the rest of it (field-scan.ts says what that is worth).
 */
export function scanKnownOrder(frame: Uint8Array): EventFields | undefined {
  const end = frame.length;
  if (frame[end - 1] !== CLOSE_OBJECT || frame[end - 2] !== CLOSE_OBJECT) return undefined;
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, end);
  let at = after(bytes, 0, BEFORE_TYPE);
  if (at === UNKNOWN) return undefined;
  for (const type of TYPES) {
    const behind = after(bytes, at, type.bytes);
    if (behind === UNKNOWN) continue;
    at = after(bytes, behind, BEFORE_OBJECT);
    return at === UNKNOWN ? undefined : new KnownOrderReader(bytes, at, { type: type.text }).read();
  }
  return undefined;
}

/** The position behind `expected`, if it stands at `at`. */
function after(bytes: Buffer, at: number, expected: Buffer): number {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return UNKNOWN;
  return at + expected.length;
}

class KnownOrderReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #fields: EventFields;

  constructor(bytes: Buffer, at: number, fields: EventFields) {
    this.#bytes = bytes;
    this.#at = at;
    this.#fields = fields;
  }

  read(): EventFields | undefined {
    if (this.#skip(KIND)) {
      if (!this.#kind() || !this.#skip(THEN_API_VERSION) || !this.#apiVersion()) return undefined;
    } else if (!this.#skip(API_VERSION) || !this.#apiVersion() || !this.#skip(THEN_KIND) || !this.#kind()) {
      return undefined;
    }
    return this.#skip(BEFORE_METADATA) && this.#metadata() ? this.#fields : undefined;
  }

  #kind(): boolean {
    const kind = this.#text();
    if (kind !== undefined) this.#fields.kind = kind;
    return kind !== undefined;
  }

  #apiVersion(): boolean {
    const apiVersion = this.#text();
    if (apiVersion !== undefined) this.#fields.apiVersion = apiVersion;
    return apiVersion !== undefined;
  }

  #skip(expected: Buffer): boolean {
    const at = after(this.#bytes, this.#at, expected);
    if (at !== UNKNOWN) this.#at = at;
    return at !== UNKNOWN;
  }

  /** From behind the opening brace to the closing one, or until all four are known. */
  #metadata(): boolean {
    if (this.#bytes[this.#at] === CLOSE_OBJECT) return this.#goesOn(this.#at + 1);
    const fields = this.#fields;
    for (;;) {
      if (!this.#member()) return false;
      const byte = this.#bytes[this.#at++];
      if (byte === CLOSE_OBJECT) return this.#goesOn(this.#at);
      if (byte !== COMMA) return false;
      const all = fields.rv !== undefined && fields.uid !== undefined && fields.name !== undefined;
      if (all && fields.namespace !== undefined) return true;
    }
  }

  /** Behind metadata: another key of the object, or both closing braces of the frame. */
  #goesOn(at: number): boolean {
    const byte = this.#bytes[at];
    return byte === COMMA || (byte === CLOSE_OBJECT && at === this.#bytes.length - 2);
  }

  /** One `"key":value`. */
  #member(): boolean {
    const bytes = this.#bytes;
    const key = this.#at + 1;
    if (bytes[this.#at] !== QUOTE) return false;
    let keyEnd = key;
    while (keyEnd < bytes.length && bytes[keyEnd] !== QUOTE && bytes[keyEnd] !== BACKSLASH) keyEnd++;
    // A key with an escape could be any of the four in disguise.
    if (bytes[keyEnd] !== QUOTE || bytes[keyEnd + 1] !== COLON) return false;
    const field = this.#fieldNamed(key, keyEnd);
    this.#at = keyEnd + 2;
    if (field === undefined) {
      this.#at = valueEnd(bytes, this.#at);
      return this.#at !== NOWHERE;
    }
    if (bytes[this.#at] !== QUOTE) return false;
    this.#at++;
    const text = this.#text();
    if (text === undefined) return false;
    this.#fields[field] = text;
    return true;
  }

  #fieldNamed(from: number, to: number): 'name' | 'namespace' | 'uid' | 'rv' | undefined {
    switch (to - from) {
      case NAME.length:
        return after(this.#bytes, from, NAME) === to ? 'name' : undefined;
      case NAMESPACE.length:
        return after(this.#bytes, from, NAMESPACE) === to ? 'namespace' : undefined;
      case UID.length:
        return after(this.#bytes, from, UID) === to ? 'uid' : undefined;
      case RESOURCE_VERSION.length:
        return after(this.#bytes, from, RESOURCE_VERSION) === to ? 'rv' : undefined;
      default:
        return undefined;
    }
  }

  /** The string whose first byte is at the position; goes behind its closing quote. */
  #text(): string | undefined {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return bytes.toString('latin1', from, at);
      }
      // Escapes, control characters and all beyond ASCII are for JSON.parse.
      if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return undefined;
    }
    return undefined;
  }
}
