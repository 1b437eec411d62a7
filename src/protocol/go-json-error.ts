import { goQuoteCharacter } from './go-strconv.ts';
import { JsonScanner, UNFINISHED } from './json-scanner.ts';

/**
 * Go's words for a text that is no JSON from its first character on, and for one that stops too early. Other mistakes are
 * told as this runtime tells them, `error`.
 */
export function goSyntaxError(bytes: Uint8Array, error: unknown): string {
  const at = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  const first = bytes[at];
  if (first === undefined) return 'unexpected end of JSON input';
  const character = String.fromCharCode(first);
  if (!/["[{\-0-9tfn]/.test(character)) {
    return `invalid character ${goQuoteCharacter(character)} looking for beginning of value`;
  }
  const unfinished = character === '{' && new JsonScanner().feed(bytes, at) === UNFINISHED;
  if (unfinished) return 'unexpected end of JSON input';
  return error instanceof Error ? error.message : String(error);
}
