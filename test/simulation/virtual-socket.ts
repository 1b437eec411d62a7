import { Duplex } from 'node:stream';

/**
 * Bytes that lie between two sockets while nobody reads them, as in the kernel's buffers. Real ones hold megabytes; with
 * so little a reader that stops is felt after some hundred small events, and a run stays cheap.
 */
const IN_FLIGHT_BYTES = 64 * 1024;

/** Counts what moves, so that a clock can wait until nothing does. */
export interface Traffic {
  moves: number;
}

/**
 * One end of a TCP connection inside this process. Bytes arrive in order and in a later microtask, never within the call
 * that sent them; a writer waits where the reader is behind; an end that goes away without a word is a FIN to the other one.
 */
export class VirtualSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  connecting = false;
  readonly #traffic: Traffic;
  #peer: VirtualSocket | undefined;
  /** What has come and was not read; null: the other end said that it was all. */
  #arrived: (Buffer | null)[] = [];
  #arrivedBytes = 0;
  #wanted = false;
  #delivering = false;
  /** The other end's writer, which waits for room here. */
  #waiting: ((error?: Error) => void) | undefined;

  constructor(traffic: Traffic) {
    super({ highWaterMark: 16 * 1024, allowHalfOpen: true, emitClose: true });
    this.#traffic = traffic;
  }

  static pair(traffic: Traffic): [VirtualSocket, VirtualSocket] {
    const [a, b] = [new VirtualSocket(traffic), new VirtualSocket(traffic)];
    a.#peer = b;
    b.#peer = a;
    return [a, b];
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    this.#wanted = true;
    this.#deliverSoon();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    const peer = this.#peer;
    if (peer) peer.#arrive(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#arrived = [];
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) queueMicrotask(() => waiting(brokenPipe()));
    if (peer) {
      peer.#arrive(null);
      peer.#peer = undefined;
    }
    done(error);
  }

  #send(chunk: Buffer, done: (error?: Error) => void): void {
    const peer = this.#peer;
    if (!peer) {
      done(brokenPipe());
      return;
    }
    peer.#arrive(chunk);
    if (peer.#arrivedBytes < IN_FLIGHT_BYTES) done();
    else peer.#waiting = done;
  }

  #arrive(chunk: Buffer | null): void {
    if (this.destroyed || this.#arrived.at(-1) === null) return;
    this.#arrived.push(chunk);
    this.#arrivedBytes += chunk?.length ?? 0;
    this.#traffic.moves += 1;
    this.#deliverSoon();
  }

  #deliverSoon(): void {
    if (this.#delivering || !this.#wanted || this.#arrived.length === 0) return;
    this.#delivering = true;
    queueMicrotask(() => {
      this.#delivering = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    while (this.#wanted && this.#arrived.length > 0 && !this.destroyed) {
      const chunk = this.#arrived.shift() as Buffer | null;
      this.#arrivedBytes -= chunk?.length ?? 0;
      this.#traffic.moves += 1;
      // An end is told however full the reader is.
      this.#wanted = chunk !== null && this.push(chunk);
      if (chunk === null) this.push(null);
    }
    const waiting = this.#waiting;
    if (!waiting || this.#arrivedBytes >= IN_FLIGHT_BYTES) return;
    this.#waiting = undefined;
    waiting();
  }
}

function brokenPipe(): Error {
  return Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
}
