import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server on which packets can be lost for good: no FIN, no RST, and both ends go on believing in it. */
export class FrozenPath {
  readonly #target: number;
  readonly #pairs: [Socket, Socket][] = [];
  #server: Server | undefined;
  /** Connections made from now on are frozen from their first byte. */
  #dead = false;
  port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  /** Connections so far. */
  get connections(): number {
    return this.#pairs.length;
  }

  async open(): Promise<this> {
    this.#server = createServer((near) => this.#join(near));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as { port: number }).port;
    return this;
  }

  /** The n-th connection (from 0) carries nothing any more; all of them, and every new one, without a number. */
  freeze(nth?: number): void {
    const frozen = nth === undefined ? this.#pairs : this.#pairs.slice(nth, nth + 1);
    for (const pair of frozen)
      for (const socket of pair) {
        socket.unpipe();
        socket.pause();
      }
    if (nth === undefined) this.#dead = true;
  }

  async close(): Promise<void> {
    for (const socket of this.#pairs.flat()) socket.destroy();
    this.#server?.close();
    if (this.#server) await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    this.#pairs.push([near, far]);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      if (!this.#dead) from.pipe(to);
    }
  }
}
