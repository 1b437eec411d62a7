/** HTTP/2 by hand, for clients that no library would let misbehave so (RFC 9113 §4.1). */

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Identifier and value of each setting (RFC 9113 §6.5.2); 4 is the initial window. */
export function settings(...pairs: [number, number][]): Buffer {
  const payload = Buffer.alloc(pairs.length * 6);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

/** Four bytes, big-endian: an error code, a window's increment. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A header that no table knows, in plain letters (RFC 7541 §6.2.2). Both at most 126 bytes long. */
const literal = (name: string, value: string) =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);

/** The header block of a GET: indexed `:method GET` and `:scheme http`, then the path and whom it is addressed to. */
export function getBlock(path: string, authority = 'localhost', extra: [string, string][] = []): Buffer {
  const rest = extra.map(([name, value]) => literal(name, value));
  return Buffer.concat([Buffer.of(0x82, 0x86), literal(':path', path), literal(':authority', authority), ...rest]);
}

/** The frames of a connection's bytes so far, as far as they are whole. */
export function parseFrames(bytes: Buffer): { type: number; flags: number; stream: number; payload: Buffer }[] {
  const found = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (at + 9 + length > bytes.length) break;
    found.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return found;
}
