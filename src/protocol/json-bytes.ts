/** Steps over parts of JSON text in bytes. They trust that it *is* JSON: on other input they end somewhere, or nowhere. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** What a step returns where the bytes end before what it looks for. */
export const NOWHERE = -1;

/** From here on a native search for the quote is faster than looking at each byte. */
const SHORT_STRING_BYTES = 32;

/** The closing quote of the string whose first byte is at `from`. */
export function stringEnd(bytes: Buffer, from: number): number {
  const soon = Math.min(from + SHORT_STRING_BYTES, bytes.length);
  let at = from;
  while (at < soon) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return distantStringEnd(bytes, at);
}

/** The same by native search; `from` is not behind a backslash that counts. */
function distantStringEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return NOWHERE;
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** The position behind the value whose first byte is at `from`; NOWHERE too where a blank stands there. */
export function valueEnd(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) {
    const quote = stringEnd(bytes, from + 1);
    return quote === NOWHERE ? NOWHERE : quote + 1;
  }
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? containerEnd(bytes, from) : scalarEnd(bytes, from);
}

/** Brackets differ from braces in one bit only, and which of them closes which is not looked at. */
const BRACE_BIT = 0x20;

function containerEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1);
      if (at === NOWHERE) return NOWHERE;
    } else if ((byte | BRACE_BIT) === OPEN_OBJECT) depth++;
    else if ((byte | BRACE_BIT) === CLOSE_OBJECT && --depth === 0) return at + 1;
  }
  return NOWHERE;
}

/** A number or a literal, which ends at a comma or a bracket; a blank is where the caller expected none. */
function scalarEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return at;
    if (byte <= SPACE || byte === OPEN_OBJECT || byte === OPEN_ARRAY || byte === QUOTE) return NOWHERE;
  }
  return NOWHERE;
}
