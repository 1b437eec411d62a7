/** DER: every value is a tag, its length, its content. What a certificate needs of it, each function one type. */

function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length), bytes, content]);
}

export const sequence = (...items: Uint8Array[]) => tlv(0x30, Buffer.concat(items));
export const set = (...items: Uint8Array[]) => tlv(0x31, Buffer.concat(items));
export const octetString = (content: Uint8Array) => tlv(0x04, content);
export const utf8String = (text: string) => tlv(0x0c, Buffer.from(text));
export const derTrue = () => tlv(0x01, Buffer.of(0xff));

/** A whole number that is not negative, as its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  // A leading bit of 1 would make it negative.
  return tlv(0x02, (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), short]) : short);
}

/** `unused`: bits at the end of the last byte that do not count. */
export const bitString = (content: Uint8Array, unused = 0) => tlv(0x03, Buffer.concat([Buffer.of(unused), content]));

/** `1.2.840.10045.4.3.2` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** `at`: ms since 1970. Two digits for the year up to 2049, as X.509 demands (RFC 5280 §4.1.2.5). */
export function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return Number(text.slice(0, 4)) < 2050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text));
}

/** `[n]` around a whole value. */
export const explicit = (number: number, content: Uint8Array) => tlv(0xa0 | number, content);

/** `[n]` in place of a primitive value's own tag. */
export const implicit = (number: number, content: Uint8Array) => tlv(0x80 | number, content);
