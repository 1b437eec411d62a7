import { BEFORE_RV } from './go-order.ts';
import { startsWith } from './serialised-object.ts';

const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [...Buffer.from('"\\{},')] as [number, number, number, number, number];
const HEAD_MEMBERS = ['kind', 'apiVersion'].map(opening);
const METADATA = Buffer.from('"metadata":{');
const META_MEMBERS = BEFORE_RV.map(opening);

/** The beginning of a member whose value is a string, up to the first byte of the value. */
function opening(name: string): Uint8Array {
  return Buffer.from(`"${name}":"`);
}

/**
 * Where `,"resourceVersion":"…"` goes into the bytes of a stored object: behind the members of metadata that Go writes before it.
 * Only the first hundred bytes or so are looked at, nothing is parsed. Undefined where the bytes do not begin as `ObjectCodec` writes
 * them, or metadata has none of those members.
 */
export function splicePoint(value: Uint8Array): number | undefined {
  if (value[0] !== OPEN) return undefined;
  let at = 1;
  for (const member of HEAD_MEMBERS) {
    if (!startsWith(value, member, at)) continue;
    const end = endOfString(value, at + member.length);
    if (value[end] !== COMMA) return undefined;
    at = end + 1;
  }
  if (!startsWith(value, METADATA, at)) return undefined;
  return endOfMembers(value, at + METADATA.length);
}

function endOfMembers(value: Uint8Array, from: number): number | undefined {
  let point: number | undefined;
  let at = from;
  for (const member of META_MEMBERS) {
    if (!startsWith(value, member, at)) continue;
    const end = endOfString(value, at + member.length);
    if (value[end] !== COMMA && value[end] !== CLOSE) return undefined;
    point = end;
    if (value[end] === CLOSE) return point;
    at = end + 1;
  }
  return point;
}

/** Index behind the closing quote; the length of `value` or more where there is none. */
function endOfString(value: Uint8Array, from: number): number {
  let at = from;
  while (at < value.length && value[at] !== QUOTE) at += value[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
