import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A door before a server: what is on the other side of it can be sent away, and kept out until it opens again. */
export class Gate {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the same port each time. */
  async open(): Promise<void> {
    const server = createServer((near) => this.#join(near));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as { port: number }).port;
  }

  /** Cuts every connection off; new ones are refused. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      // Whichever end goes, the other goes as well; a reset is one way to go.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
