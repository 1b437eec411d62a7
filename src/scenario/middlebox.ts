import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../util/clock.ts';
import { type MiddleboxRules, MiddleConnection } from './middle-connection.ts';
import type { BreakStep } from './script.ts';

/** As HAProxy sends it where no server is left: its own page, and a closed connection. */
const BAD_GATEWAY_PAGE =
  '<html><body><h1>502 Bad Gateway</h1>\nThe server returned an invalid or incomplete response.\n</body></html>\n';
const BAD_GATEWAY = [
  'HTTP/1.1 502 Bad Gateway',
  `Content-Length: ${BAD_GATEWAY_PAGE.length}`,
  'Cache-Control: no-cache',
  'Connection: close',
  'Content-Type: text/html',
  '',
  BAD_GATEWAY_PAGE,
].join('\r\n');

/** Where a middlebox leads. */
export interface Behind {
  host: string;
  port: number;
  /** What passes is encrypted: nobody in the middle can answer. */
  tls: boolean;
}

/** A balancer, firewall or proxy in front of an apiserver, on 127.0.0.1. It forwards connections, and breaks them on demand. */
export class Middlebox {
  readonly #behind: Behind;
  readonly #clock: Clock;
  readonly #rules: MiddleboxRules;
  readonly #connections = new Set<MiddleConnection>();
  /** Ends when the middlebox does. */
  readonly #closing = new AbortController();
  #server: Server | undefined;
  /** It answers by itself. */
  #answering = false;
  #port = 0;

  constructor(behind: Behind, clock: Clock, rules: MiddleboxRules) {
    this.#behind = behind;
    this.#clock = clock;
    this.#rules = rules;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens: the first time at any port, later at the same one. */
  async open(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (near) => this.#take(near));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks what passes through it now, or for `forMs` (without: for good) what comes. Rejects where that cannot be done. */
  async strike({ by, forMs }: BreakStep): Promise<void> {
    switch (by) {
      case 'reset':
        for (const one of this.#connections) one.reset();
        return;
      case 'close':
        for (const one of this.#connections) one.close();
        return;
      case 'mid-event':
        for (const one of this.#connections) one.halve();
        return;
      case 'silence':
        for (const one of this.#connections) one.forget();
        return;
      case 'bad-gateway':
        if (this.#behind.tls) throw new Error('over TLS nobody in the middle can answer');
        this.#answering = true;
        for (const one of this.#connections) one.close();
        this.#later(forMs, async () => {
          this.#answering = false;
        });
        return;
      case 'refusal':
        await this.#stopListening();
        for (const one of this.#connections) one.reset();
        this.#later(forMs, () => this.open());
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const one of this.#connections) one.destroy();
    await this.#stopListening();
  }

  #take(near: Socket): void {
    if (this.#answering) {
      near.on('error', () => near.destroy());
      near.once('data', () => near.end(BAD_GATEWAY));
      near.on('end', () => near.end());
      return;
    }
    const far = connect({ host: this.#behind.host, port: this.#behind.port, allowHalfOpen: true });
    const one = new MiddleConnection({ near, far }, this.#clock, this.#rules, () => this.#connections.delete(one));
    this.#connections.add(one);
  }

  #later(ms: number | undefined, then: () => Promise<void>): void {
    if (ms === undefined) return;
    const { signal } = this.#closing;
    void this.#clock.sleep(ms, signal).then(async () => {
      if (!signal.aborted) await then();
    });
  }

  async #stopListening(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    // Its callback waits for the connections too; those that are open go on.
    server.close();
    await this.#clock.turn();
  }
}
