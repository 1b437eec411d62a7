/** The beginning of a body, up to a bound, copied; and how long all of it was. */
export class BoundedBytes {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Bytes seen, kept or not. */
  get size(): number {
    return this.#size;
  }

  /** More came than is kept. */
  get overflown(): boolean {
    return this.#size > this.#kept;
  }

  push(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      this.#size += chunk.length;
      const part = chunk.subarray(0, this.#max - this.#kept);
      if (part.length === 0) continue;
      this.#kept += part.length;
      this.#chunks.push(Buffer.from(part));
    }
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
