/**
 * Go's number parsing and quoting, as far as they stand in an apiserver's answers: a query such as `limit=abc` comes back
 * in the words of Go's `strconv`, and clients and people match on them (facts/server §1.4).
 */

const NAMED_ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols, and of all spaces only U+0020. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function quoteRune(rune: string): string {
  const named = NAMED_ESCAPES[rune];
  if (named !== undefined) return named;
  if (PRINTABLE.test(rune)) return rune;
  const code = rune.codePointAt(0)!;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** `strconv.Quote`, which is also Go's `%q` of a string. */
export function goQuote(text: string): string {
  return `"${Array.from(text, quoteRune).join('')}"`;
}

/** `strconv.Quote` between single quotes, as encoding/json names an offending character. */
export function goQuoteCharacter(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return `'"'`;
  return `'${goQuote(character).slice(1, -1)}'`;
}

/** A whole number, or Go's error text for why it is none. */
export type ParsedNumber = { ok: true; value: bigint } | { ok: false; message: string };

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Longest run of digits worth turning into a number: any longer one without leading zeros is out of range anyway. */
const MAX_DIGITS = 20;

function parseDecimal(text: string, fn: string, form: RegExp, min: bigint, max: bigint): ParsedNumber {
  const refuse = (why: string): ParsedNumber => ({
    ok: false,
    message: `strconv.${fn}: parsing ${goQuote(text)}: ${why}`,
  });
  const match = form.exec(text);
  if (match === null) return refuse('invalid syntax');
  const digits = match[2]!.replace(/^0+(?=\d)/, '');
  if (digits.length > MAX_DIGITS) return refuse('value out of range');
  const value = match[1] === '-' ? -BigInt(digits) : BigInt(digits);
  return value < min || value > max ? refuse('value out of range') : { ok: true, value };
}

/** `strconv.ParseInt(text, 10, 64)`: a sign is allowed, blanks and an empty text are not. */
export function parseInt64(text: string): ParsedNumber {
  return parseDecimal(text, 'ParseInt', /^([+-]?)([0-9]+)$/, INT64_MIN, INT64_MAX);
}

/** `strconv.ParseUint(text, 10, 64)`: digits only, without any sign. */
export function parseUint64(text: string): ParsedNumber {
  return parseDecimal(text, 'ParseUint', /^()([0-9]+)$/, 0n, UINT64_MAX);
}
