import type { Socket } from 'node:net';
import { OVER } from './exchange.ts';
import type { BareConnection } from './loose-connection.ts';

/** Streams of which nothing is left but their connection, by the controller that ends them. */
export type OpenStreams = Set<AbortController>;

/**
 * The connection of one stream that has outlived its exchange. It is all that its server knows of the stream: the end of one is the end
 * of the other.
 */
export class StreamConnection {
  readonly socket: Socket;
  readonly #bare: BareConnection;
  readonly #over: AbortController;
  readonly #streams: OpenStreams;
  readonly #onFault: (error: unknown) => void;
  readonly #onClose = (): void => this.#over.abort(OVER);

  constructor(
    bare: BareConnection,
    over: AbortController,
    { streams, onFault }: { streams: OpenStreams; onFault: (error: unknown) => void },
  ) {
    this.socket = bare.socket as Socket;
    this.#bare = bare;
    this.#over = over;
    this.#streams = streams;
    this.#onFault = onFault;
    streams.add(over);
    this.socket.on('close', this.#onClose);
  }

  /** The last chunk is written: the connection goes on to its next request, or ends. */
  release(): void {
    this.#streams.delete(this.#over);
    this.socket.off('close', this.#onClose);
    this.#bare.release();
  }

  /** A fault of this program: the stream is broken off. */
  fail(error: unknown): void {
    this.#onFault(error);
    this.socket.destroy();
  }
}
