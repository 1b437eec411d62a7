/** Smallest block: a common event of 3 KB that straddles two reads is then copied once. */
const MIN_BLOCK_BYTES = 4096;

const NOTHING = Buffer.alloc(0);

/**
 * Bytes that wait for the rest of their value. Grows by doubling, so each byte is copied a bounded number of times however
 * small the pieces are, and a reader may use its memory again as soon as `append` has returned.
 */
export class HeldBytes {
  readonly #usualMax: number;
  #block: Buffer = NOTHING;
  #length = 0;

  /** `usualMaxBytes`: no block is made larger than this in advance, only where that many bytes are there. */
  constructor(usualMaxBytes: number) {
    this.#usualMax = usualMaxBytes;
  }

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#block.length) {
      const block = Buffer.allocUnsafeSlow(
        Math.max(length, Math.min(Math.max(MIN_BLOCK_BYTES, length * 2), this.#usualMax)),
      );
      this.#block.copy(block, 0, 0, this.#length);
      this.#block = block;
    }
    this.#block.set(piece, this.#length);
    this.#length = length;
  }

  /** A view on the first bytes, good until the next `append` or `take`. */
  head(bytes: number): Buffer {
    return this.#block.subarray(0, Math.min(bytes, this.#length));
  }

  /** Everything held, which from then on belongs to the caller; nothing is held any more. */
  take(): Buffer {
    const bytes = this.#block.subarray(0, this.#length);
    this.#block = NOTHING;
    this.#length = 0;
    return bytes;
  }
}
