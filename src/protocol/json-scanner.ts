/** Deepest nesting that is followed; Go's encoding/json refuses more than this too (scanner.go: maxNestingDepth). */
const MAX_DEPTH = 10_000;

/** `feed` has used all bytes, and the object is not at its end. */
export const UNFINISHED = -1;
/** `feed` met a byte that cannot stand there. */
export const BROKEN = -2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON_SIGN = 0x3a;
const NEWLINE = 0x0a;

// What may come next.
const START = 0;
const KEY_OR_CLOSE = 1;
const KEY = 2;
const COLON = 3;
const VALUE = 4;
const VALUE_OR_CLOSE = 5;
const COMMA_OR_CLOSE = 6;
const IN_KEY = 7;
const IN_TEXT = 8;
const IN_SCALAR = 9;

/** Bytes of numbers and of `true`, `false`, `null`. */
const SCALAR_BYTES = new Uint8Array(256);
for (const byte of Buffer.from('+-.0123456789Eaeflnrstu')) SCALAR_BYTES[byte] = 1;

/**
 * Finds the end of a JSON object in bytes that come in pieces: nesting, strings, and the order of keys, colons, values and
 * commas. It does not look into scalars and escapes (`nul`, `1.2.3` and `\x` pass), so what it refuses is no JSON, and what
 * it passes is for JSON.parse to judge. Each byte is looked at once.
 */
export class JsonScanner {
  /** 1: object, 0: array; index 0 is the outermost. */
  readonly #open = new Uint8Array(MAX_DEPTH);
  #depth = 0;
  #expect = START;
  #escaped = false;
  #seen = 0;
  #lastNewline = -1;

  /** Offset in the object of its last line end so far, or -1. */
  get lastNewline(): number {
    return this.#lastNewline;
  }

  /** Begins a new object. */
  reset(): void {
    this.#depth = 0;
    this.#expect = START;
    this.#escaped = false;
    this.#seen = 0;
    this.#lastNewline = -1;
  }

  /** Goes on at `from`. The index behind the object's last byte, UNFINISHED or BROKEN. */
  feed(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#expect === IN_KEY || this.#expect === IN_TEXT) at = this.#string(bytes, at);
      else if (this.#expect === IN_SCALAR) at = this.#scalar(bytes, at);
      else {
        const byte = bytes[at]!;
        if (byte === NEWLINE) this.#lastNewline = this.#seen + at - from;
        else if (!this.#accepts(byte)) at = BROKEN;
        else if (this.#depth === 0) return at + 1;
        if (at !== BROKEN) at++;
      }
      if (at === BROKEN) return BROKEN;
    }
    this.#seen += bytes.length - from;
    return UNFINISHED;
  }

  /** One byte outside strings and scalars, no line end. */
  #accepts(byte: number): boolean {
    if (byte === 0x20 || byte === 0x0d || byte === 0x09) return true;
    switch (this.#expect) {
      case START:
        return byte === OPEN_OBJECT && this.#enter(1);
      case KEY_OR_CLOSE:
        return byte === CLOSE_OBJECT ? this.#leave(1) : this.#key(byte);
      case KEY:
        return this.#key(byte);
      case COLON:
        this.#expect = VALUE;
        return byte === COLON_SIGN;
      case VALUE_OR_CLOSE:
        return byte === CLOSE_ARRAY ? this.#leave(0) : this.#value(byte);
      case VALUE:
        return this.#value(byte);
      default:
        return this.#separator(byte);
    }
  }

  #key(byte: number): boolean {
    this.#expect = IN_KEY;
    return byte === QUOTE;
  }

  #value(byte: number): boolean {
    if (byte === OPEN_OBJECT) return this.#enter(1);
    if (byte === OPEN_ARRAY) return this.#enter(0);
    this.#expect = byte === QUOTE ? IN_TEXT : IN_SCALAR;
    return byte === QUOTE || SCALAR_BYTES[byte] === 1;
  }

  #separator(byte: number): boolean {
    if (byte === CLOSE_OBJECT) return this.#leave(1);
    if (byte === CLOSE_ARRAY) return this.#leave(0);
    this.#expect = this.#open[this.#depth - 1] === 1 ? KEY : VALUE;
    return byte === COMMA;
  }

  #enter(kind: 0 | 1): boolean {
    if (this.#depth === MAX_DEPTH) return false;
    this.#open[this.#depth++] = kind;
    this.#expect = kind === 1 ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    return true;
  }

  #leave(kind: 0 | 1): boolean {
    if (this.#open[this.#depth - 1] !== kind) return false;
    this.#depth--;
    this.#expect = COMMA_OR_CLOSE;
    return true;
  }

  /** Inside a string. The index behind its quote or the end of the bytes; control characters break it. */
  #string(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#escaped) {
      if (bytes[at]! < 0x20) return BROKEN;
      this.#escaped = false;
      at++;
    }
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#expect = this.#expect === IN_KEY ? COLON : COMMA_OR_CLOSE;
        return at + 1;
      }
      if (byte < 0x20) return BROKEN;
      if (byte === BACKSLASH) {
        this.#escaped = true;
        return at + 1;
      }
    }
    return at;
  }

  /** Inside a number or a literal: it ends before the first byte of another kind. */
  #scalar(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && SCALAR_BYTES[bytes[at]!] === 1) at++;
    if (at < bytes.length) this.#expect = COMMA_OR_CLOSE;
    return at;
  }
}
