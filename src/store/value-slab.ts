/**
 * Bytes of one slab. A slab of many values spares what it costs to make memory for each (more than to copy a value of 3 KB), and is as
 * small as it may be for that: it lives as long as the last value in it.
 */
const SLAB_BYTES = 64 * 1024;
/** Larger values have memory of their own. */
const SHARED_BYTES = SLAB_BYTES / 8;

let slab = Buffer.alloc(0);
let used = 0;

/** A copy of `bytes` that may be kept. */
export function keptCopy(bytes: Uint8Array): Uint8Array {
  if (bytes.length > SHARED_BYTES) return ownCopy(bytes);
  if (used + bytes.length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const copy = slab.subarray(used, used + bytes.length);
  copy.set(bytes);
  used += bytes.length;
  return copy;
}

function ownCopy(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
