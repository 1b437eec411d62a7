import { splicePoint } from './splice-point.ts';

/**
 * Bytes of one slab. A slab of many values spares what it costs to make memory for each (more than to copy a value of 3 KB), and is as
 * small as it may be for that: it lives as long as the last value in it.
 */
const SLAB_BYTES = 64 * 1024;
/** Larger values have memory of their own. */
const SHARED_BYTES = SLAB_BYTES / 8;

let slab = Buffer.alloc(0);
let used = 0;

const UNKNOWN = -2;
/** The bytes have no place for a resourceVersion. */
export const NOWHERE = -1;

/** Stored bytes of an object. Where the resourceVersion goes is looked for once, however often they are listed. */
export class ObjectBytes extends Uint8Array {
  #splicePoint = UNKNOWN;

  /** Bytes before the resourceVersion, or NOWHERE. */
  get splicePoint(): number {
    if (this.#splicePoint === UNKNOWN) this.#splicePoint = splicePoint(this) ?? NOWHERE;
    return this.#splicePoint;
  }
}

/** A copy of `bytes` that may be kept. */
export function keptCopy(bytes: Uint8Array): ObjectBytes {
  const { length } = bytes;
  if (length > SHARED_BYTES) return filled(Buffer.allocUnsafeSlow(length), 0, bytes);
  if (used + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  used += length;
  return filled(slab, used - length, bytes);
}

function filled(memory: Buffer<ArrayBuffer>, at: number, bytes: Uint8Array): ObjectBytes {
  const copy = new ObjectBytes(memory.buffer, memory.byteOffset + at, bytes.length);
  copy.set(bytes);
  return copy;
}
