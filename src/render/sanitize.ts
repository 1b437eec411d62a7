/**
 * Text from a cluster is hostile: a pod's name, a Status message or an annotation may hold anything that JSON can
 * carry. Before it reaches a terminal, whatever could move the cursor, recolour, hide or reorder text is turned into an
 * escape that can be read: `\x1b`, `\u202e`, `\u{e0041}`. Nothing is dropped, so that an attack is seen instead of
 * being hidden.
 */

/**
 * Controls (C0, DEL, C1), format characters (bidi overrides and isolates, BOM, tags), lone surrogates, line and
 * paragraph separators, code points that Unicode has not assigned (their width is anybody's guess), and whatever
 * Unicode lets a terminal draw as nothing (`DI`: zero-width, soft hyphen, fillers, joiners, variation selectors).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}\p{DI}]/gu;

/** Two marks on one letter are Vietnamese; a tower of them paints over the rows above. */
const MARK_TOWER = /(\p{M}{2})(\p{M}+)/gu;

/** Only these could be harmful; nearly every name is spared the Unicode tables. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Characters that one field may take on a screen or in a line; what is longer is cut and says so with `…`. */
const MAX_FIELD = 2_000;

/** `text` made safe for a terminal: one line, no control character, at most `max` characters of the input. */
export function sanitize(text: string, max = MAX_FIELD): string {
  const cut = text.length > max ? `${cutAt(text, max)}…` : text;
  if (PLAIN.test(cut)) return cut;
  return cut.replace(UNSAFE, visible).replace(MARK_TOWER, (_, base: string, rest: string) => base + allVisible(rest));
}

/**
 * Like `sanitize`, for text of several lines: its newlines and tabs keep their meaning, everything else is one line's
 * matter.
 */
export function sanitizeLines(text: string, maxLines: number): string[] {
  const lines = text.split(/\r\n|\n/, maxLines + 1);
  const safe = lines.slice(0, maxLines).map((line) => sanitize(line.replaceAll('\t', '  ')));
  if (lines.length > maxLines) safe.push(`… more than ${maxLines} lines`);
  return safe;
}

/**
 * The same care for JSON: `json` is the output of `JSON.stringify`, which escapes C0 and lone surrogates only. What it
 * leaves (DEL, C1, bidi, zero-width, U+2028) becomes `\uXXXX`: another spelling of the same value, harmless in a
 * terminal.
 */
export function escapeJson(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${hex(found.charCodeAt(i), 4)}`).join(''),
  );
}

function visible(found: string): string {
  const code = found.codePointAt(0)!;
  if (code === 0x0a) return '\\n';
  if (code === 0x0d) return '\\r';
  if (code === 0x09) return '\\t';
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`;
}

function allVisible(text: string): string {
  return Array.from(text, visible).join('');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** The first `max` code units, never ending in half a character. */
function cutAt(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
