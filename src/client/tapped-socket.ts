import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A socket whose incoming bytes are shown to somebody else as well. node:http2 would read a real socket behind our back. */
export class TappedSocket extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, tap: (bytes: Uint8Array) => void) {
    super();
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      tap(bytes);
      if (!this.push(bytes)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
