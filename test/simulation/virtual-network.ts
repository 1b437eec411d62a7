import net from 'node:net';
import { type Traffic, VirtualSocket } from './virtual-socket.ts';

/** Ports of the network: any will do that a URL can hold. */
const FIRST_PORT = 20_000;

/** Says which server's port the next connection to a balancer leads to; undefined: nobody listens. */
export type Route = () => number | undefined;

/**
 * A network inside this process, in place of loopback: `listen` and `connect` of node:net, so that node:http on one side and
 * undici on the other run as they are. Only a new connection takes time, and `moves` tells whether anything is on its way; that
 * is what lets a clock jump without inventing timeouts. One at a time; `close` gives node:net back.
 */
export class VirtualNetwork implements Traffic {
  moves = 0;
  readonly #listening = new Map<number, net.Server>();
  readonly #balancers = new Map<number, Route>();
  /** Open connections by server. */
  readonly #connections = new Map<net.Server, Set<VirtualSocket>>();
  readonly #closing = new Map<net.Server, (() => void)[]>();
  readonly #original = {
    listen: net.Server.prototype.listen,
    close: net.Server.prototype.close,
    address: net.Server.prototype.address,
    connect: net.connect,
  };
  readonly #listeningBefore = Object.getOwnPropertyDescriptor(net.Server.prototype, 'listening');
  readonly #later: (connect: () => void) => void;
  #nextPort = FIRST_PORT;

  /** `later`: calls a connection through after the time that it takes. */
  constructor(later: (connect: () => void) => void) {
    this.#later = later;
    const network = this;
    Object.assign(net.Server.prototype, {
      listen(this: net.Server, ...args: unknown[]) {
        network.#listen(this, args);
        return this;
      },
      close(this: net.Server, done?: () => void) {
        network.#closeServer(this, done);
        return this;
      },
      address(this: net.Server) {
        return { address: '127.0.0.1', family: 'IPv4', port: network.#portOf(this) };
      },
    });
    // A server that says that it does not listen any more hangs up on each connection that it is done with.
    Object.defineProperty(net.Server.prototype, 'listening', {
      configurable: true,
      enumerable: true,
      get(this: net.Server) {
        return network.#portOf(this) !== undefined;
      },
    });
    Object.assign(net, { connect: (options: net.TcpNetConnectOpts) => network.#connect(options) });
  }

  close(): void {
    const { connect, ...server } = this.#original;
    Object.assign(net.Server.prototype, server);
    if (this.#listeningBefore) Object.defineProperty(net.Server.prototype, 'listening', this.#listeningBefore);
    Object.assign(net, { connect });
  }

  /** A port that leads to whichever server `route` names at each connection. */
  balance(route: Route): number {
    const port = this.#freePort();
    this.#balancers.set(port, route);
    return port;
  }

  listens(port: number): boolean {
    return this.#listening.has(port);
  }

  #freePort(): number {
    this.#nextPort += 1;
    return this.#nextPort;
  }

  #portOf(server: net.Server): number | undefined {
    for (const [port, one] of this.#listening) if (one === server) return port;
    return undefined;
  }

  #listen(server: net.Server, args: unknown[]): void {
    const [first] = args;
    const asked = typeof first === 'object' ? Number((first as net.ListenOptions).port) : Number(first);
    const port = asked > 0 ? asked : this.#freePort();
    const listening = args.find((one): one is () => void => typeof one === 'function');
    if (listening) server.once('listening', listening);
    queueMicrotask(() => {
      if (this.#listening.has(port)) {
        server.emit('error', Object.assign(new Error(`listen EADDRINUSE: ${port}`), { code: 'EADDRINUSE' }));
        return;
      }
      this.#listening.set(port, server);
      this.#connections.set(server, new Set());
      this.moves += 1;
      server.emit('listening');
    });
  }

  #closeServer(server: net.Server, done?: () => void): void {
    const port = this.#portOf(server);
    if (port !== undefined) this.#listening.delete(port);
    this.#closing.set(server, [...(this.#closing.get(server) ?? []), ...(done ? [done] : [])]);
    this.#closedIfDrained(server);
  }

  #closedIfDrained(server: net.Server): void {
    const waiting = this.#closing.get(server);
    if (!waiting || (this.#connections.get(server)?.size ?? 0) > 0) return;
    this.#closing.delete(server);
    this.#connections.delete(server);
    queueMicrotask(() => {
      for (const done of waiting) done();
      server.emit('close');
    });
  }

  #connect({ port }: net.TcpNetConnectOpts): VirtualSocket {
    const [near, far] = VirtualSocket.pair(this);
    near.connecting = true;
    this.#later(() => {
      this.moves += 1;
      const asked = Number(port);
      const route = this.#balancers.get(asked);
      const server = this.#listening.get((route ? route() : asked) ?? 0);
      if (near.destroyed) return;
      if (!server) {
        near.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }));
        return;
      }
      const open = this.#connections.get(server);
      open?.add(far);
      far.once('close', () => {
        open?.delete(far);
        this.#closedIfDrained(server);
      });
      near.connecting = false;
      server.emit('connection', far);
      near.emit('connect');
    });
    return near;
  }
}
