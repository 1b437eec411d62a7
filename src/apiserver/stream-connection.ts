import type { Socket } from 'node:net';
import { OVER } from './exchange.ts';
import type { LooseConnection } from './loose-connection.ts';

/** Streams of which nothing is left but their connection, by the controller that ends them. */
export type OpenStreams = Set<AbortController>;

/**
 * The connection of one stream that has outlived its exchange. It is all that its server knows of the stream: the end of one is the end
 * of the other.
 */
export class StreamConnection {
  readonly socket: Socket;
  readonly #connection: LooseConnection;
  readonly #keepAlive: boolean;
  readonly #over: AbortController;
  readonly #server: { streams: OpenStreams; onFault: (error: unknown) => void };
  readonly #onClose = (): void => this.#over.abort(OVER);

  constructor(
    connection: LooseConnection,
    keepAlive: boolean,
    over: AbortController,
    server: { streams: OpenStreams; onFault: (error: unknown) => void },
  ) {
    this.socket = connection.socket as Socket;
    this.#connection = connection;
    this.#keepAlive = keepAlive;
    this.#over = over;
    this.#server = server;
    server.streams.add(over);
    this.socket.on('close', this.#onClose);
  }

  /** The last chunk is written: the connection goes on to its next request, or ends. */
  release(): void {
    this.#server.streams.delete(this.#over);
    this.socket.off('close', this.#onClose);
    this.#connection.release(this.#keepAlive);
  }

  /** A fault of this program: the stream is broken off. */
  fail(error: unknown): void {
    this.#server.onFault(error);
    this.socket.destroy();
  }
}
