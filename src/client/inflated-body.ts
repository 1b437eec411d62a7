import { constants, createGunzip, type Gunzip } from 'node:zlib';

/** Takes what was compressed, and tells the plain pieces in the order of their coming, then the end. */
interface BodyReader {
  data(chunk: Uint8Array): void;
  end(): void;
}

/** True for a body that only gunzip makes readable. */
export function isGzip(contentEncoding: string | undefined): boolean {
  return /^\s*(?:x-)?gzip\s*$/i.test(contentEncoding ?? '');
}

/**
 * A body with Content-Encoding gzip. We ask for `identity`, but a proxy may compress all the same, and who passes `Accept-Encoding`
 * by --header gets what was asked for. Every piece is told as soon as it can be inflated, also where each write is a member of its
 * own; what a compressor holds back comes late, as over any path that buffers. Bytes that are no gzip go on as they are.
 */
export class InflatedBody {
  readonly #to: BodyReader;
  readonly #gunzip: Gunzip;
  /** Given to gunzip, and not yet taken: the socket is read no further than it gets. */
  readonly #waiting: Uint8Array[] = [];
  #broken = false;
  #ended = false;

  constructor(to: BodyReader) {
    this.#to = to;
    // A body that was cut off gives what can be read of it, and no error of its own: how it ended is the transport's to tell.
    this.#gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
    this.#gunzip.on('data', (chunk: Buffer) => to.data(chunk));
    this.#gunzip.once('end', () => this.#finish());
    this.#gunzip.once('error', () => this.#break());
  }

  write(chunk: Uint8Array): void {
    if (this.#broken) {
      this.#to.data(chunk);
      return;
    }
    this.#waiting.push(chunk);
    this.#gunzip.write(chunk, (error) => {
      if (!error) this.#waiting.shift();
    });
  }

  /** Nothing more comes from the transport; `to.end()` follows when everything is inflated. */
  end(): void {
    this.#ended = true;
    if (this.#broken) this.#finish();
    else this.#gunzip.end();
  }

  pause(): void {
    this.#gunzip.pause();
  }

  resume(): void {
    this.#gunzip.resume();
  }

  close(): void {
    this.#gunzip.removeAllListeners('data');
    this.#gunzip.destroy();
  }

  #break(): void {
    this.#broken = true;
    for (const chunk of this.#waiting) this.#to.data(chunk);
    if (this.#ended) this.#finish();
  }

  #finish(): void {
    this.#to.end();
  }
}
