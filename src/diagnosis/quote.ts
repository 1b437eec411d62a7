/**
 * Words of a server inside our own sentences. A Status message, a header or an error text may hold anything that JSON can
 * carry; what could move a cursor, hide or reorder text is spelled out, so that a finding is plain text in every face.
 */

/** C0, DEL, C1, format characters (bidi, zero-width, tags), lone surrogates, line and paragraph separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A colour or cursor sequence of a terminal (CSI, as in a coloured log): noise in a quotation, dropped as a whole. */
const CSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** Nearly no text has any of it (but ASCII, and the typography of our own sentences), and is spared the Unicode tables. */
const ODD = /[^\x20-\x7e’…–×≥≤]| {2}/;

/** What a quotation may take in a sentence; what is longer ends with `…`. */
export const MAX_QUOTE = 160;

/** A body of 64 KiB need not be read to quote its first words. */
const READ_PER_CHARACTER = 8;

/** `text` as one safe line of at most `max` characters. */
export function quote(text: string, max: number = MAX_QUOTE): string {
  if (text.length <= max && !ODD.test(text)) return text.trim();
  const head = text.length > max * READ_PER_CHARACTER ? `${text.slice(0, max * READ_PER_CHARACTER)}…` : text;
  return clip(head.replace(CSI, '').replace(/\s+/g, ' ').trim().replace(UNSAFE, escaped), max);
}

/** At most `max` characters (code points, as people and the contract count them); the last is `…` where something is cut. */
export function clip(text: string, max: number): string {
  if (fits(text, max)) return text;
  const points = Array.from(text);
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** At most `max` characters; counts them only where it has to. */
export function fits(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max);
}

/** True where `quote` would spell something out or where a line break is left. */
export function hasControl(text: string): boolean {
  return text.search(UNSAFE) >= 0;
}

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
