import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** One read at most, bytes: all connections share one buffer, so that reading costs as little as Node can make it. */
const READ_BYTES = 256 * 1024;
/** Bytes at the end of each read that are looked at for the mark; it is the last thing of its line. */
const TAIL = 64;
/** A burst that takes longer than this has lost watchers, ms. */
const GIVE_UP_MS = 60_000;

export interface ReaderOptions {
  port: number;
  path: string;
  watchers: number;
  tls?: boolean;
  headers?: Record<string, string>;
}

/**
 * N watchers on connections of their own, read as cheaply as possible: bytes are counted, and each connection is looked at only for
 * the mark that ends a burst. The bench must measure the server, not its client.
 */
export class Reader {
  bytes = 0;
  closed = 0;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  readonly #sockets: Socket[] = [];
  #mark = Buffer.alloc(0);
  #missing = 0;
  #done: () => void = () => {};

  /** Opens all watches; resolves when each has its headers. */
  async open({ port, path, watchers, tls, headers = {} }: ReaderOptions): Promise<void> {
    const head = ['Host: 127.0.0.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    const request = `GET ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`;
    for (let n = 0; n < watchers; n++) await this.#connect(port, request, tls === true);
  }

  /** Resolves when every connection has read the mark of a burst that `start` begins; the ms it took. */
  async burst(mark: string, start: () => void): Promise<number> {
    this.#mark = Buffer.from(mark);
    this.#missing = this.#sockets.length;
    const arrived = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    const began = performance.now();
    start();
    let late: NodeJS.Timeout | undefined;
    await Promise.race([
      arrived,
      new Promise<never>((_resolve, reject) => {
        const say = () =>
          reject(new Error(`${this.#missing} watchers did not get ${mark}; ${this.closed} were closed`));
        late = setTimeout(say, GIVE_UP_MS);
      }),
    ]);
    clearTimeout(late);
    return performance.now() - began;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(port: number, request: string, tls: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let opened = false;
      let tail = Buffer.alloc(0);
      let seen = '';
      const callback = (length: number, buffer: Uint8Array): boolean => {
        this.bytes += length;
        if (!opened) {
          opened = true;
          resolve();
        }
        const end = Buffer.from(buffer.buffer, buffer.byteOffset + Math.max(0, length - TAIL), Math.min(length, TAIL));
        const window = length < TAIL ? Buffer.concat([tail, end]) : end;
        const mark = this.#mark;
        const known = mark.length > 0 && seen === mark.toString('latin1');
        if (mark.length > 0 && !known && window.includes(mark)) {
          seen = mark.toString('latin1');
          this.#missing -= 1;
          if (this.#missing === 0) this.#done();
        }
        tail = Buffer.from(window.subarray(-TAIL));
        return true;
      };
      const onread = { buffer: this.#buffer, callback };
      const address = { port, host: '127.0.0.1', onread };
      const begin = () => socket.write(request);
      const socket = tls
        ? connectTls({ ...address, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] } as never, begin)
        : connect(address, begin);
      socket.on('error', reject);
      socket.on('close', () => {
        this.closed += 1;
      });
      this.#sockets.push(socket);
    });
  }
}
