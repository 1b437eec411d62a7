import { buildConnector, Client, type Dispatcher } from 'undici';
import { afterTurn } from '../util/clock.ts';
import { type AnswerHead, keepHeaders } from './answer-head.ts';
import { Delivery } from './delivery.ts';
import { classifyError, type TransportEnd } from './end-kind.ts';
import type { Endpoint } from './endpoint.ts';

/** One GET. Path and query as they are sent, without the endpoint's prefix. */
export interface TransportRequest {
  path: string;
  headers: Record<string, string>;
}

/** What happens to a request, in this order: written, head, bytes…, end. After `end`, or `close()`, nothing more. */
export interface RequestHandler {
  /** The request goes out on a connected socket. */
  onWritten(): void;
  onHead(head: AnswerHead): void;
  /** Pieces of the body in their order, gathered over one turn of the event loop. Not copied: views of the socket's memory. */
  onBytes(chunks: Uint8Array[]): void;
  onEnd(end: TransportEnd): void;
}

export interface OpenRequest {
  /** Ends the request and its connection. */
  close(): void;
  /** Stops reading the socket: the kernel's buffers fill, and the server feels it. */
  pause(): void;
  unpause(): void;
  /** HTTP/2 only: pings the connection; `answered` is called when the answer comes, if it does. False: it cannot be asked any more. */
  ping?(answered: () => void): boolean;
}

/** A connection that carries one request after the other, and is made anew when it broke. */
export interface Lane {
  open(request: TransportRequest, handler: RequestHandler): OpenRequest;
  close(): void;
}

export interface Transport {
  /** To the run's endpoint, or to another one. */
  lane(endpoint?: Endpoint): Lane;
}

/** Time to connect, real ms; a SYN that nobody answers would else take the kernel over two minutes. */
export const CONNECT_TIMEOUT_MS = 30_000;
/** Between two requests of one lane: most servers keep a connection for at least this, ms. */
const KEEP_ALIVE_MS = 4000;

/**
 * Transport on undici, HTTP/1.1. Both of its silence timers are off: a quiet watch is healthy, and a proxy may hold the
 * headers back until the first event. The session keeps its own clock.
 */
export function undiciTransport(endpoint: Endpoint): Transport {
  const connections = { made: 0 };
  return { lane: (other) => new UndiciLane(other ?? endpoint, connections) };
}

class UndiciLane implements Lane {
  readonly #endpoint: Endpoint;
  readonly #connections: { made: number };
  #client: Client | undefined;
  /** Id of the connection made last: the one that carries the running request. */
  connection = 0;
  /**
   * What that connection's socket itself said. undici reports a TLS alert that comes after the handshake (a server of TLS 1.3 that
   * demands a client certificate) as no more than "other side closed".
   */
  socketError: Error | undefined;

  constructor(endpoint: Endpoint, connections: { made: number }) {
    this.#endpoint = endpoint;
    this.#connections = connections;
  }

  open(request: TransportRequest, handler: RequestHandler): OpenRequest {
    const exchange = new Exchange(this, handler);
    const { prefix, noEncodingHeader } = this.#endpoint;
    const encoding = noEncodingHeader ? {} : { 'accept-encoding': 'identity' };
    const send = () => {
      if (exchange.closed) return;
      this.#client ??= this.#connect();
      this.#client.dispatch(
        { method: 'GET', path: prefix + request.path, headers: { ...encoding, ...request.headers } },
        exchange,
      );
    };
    // A server that leaves closes the connection right behind its last answer, and a request that is written before that is read
    // goes into nowhere: it gets the time that the FIN takes.
    if (this.#client === undefined) send();
    else afterTurn(send);
    return exchange;
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    // It rejects only when destroyed twice; there is nobody to tell.
    client?.destroy().catch(() => undefined);
  }

  #connect(): Client {
    const { scheme, host, tls } = this.#endpoint;
    const connect = buildConnector({ ...tls, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
    return new Client(`${scheme}://${host}`, {
      bodyTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (options, callback) =>
        connect(options, (...result) => {
          // undici leaves it out where the connection failed.
          if (result[1]) {
            this.socketError = undefined;
            result[1].prependListener('error', (error) => {
              this.socketError ??= error;
            });
            this.#connections.made += 1;
            this.connection = this.#connections.made;
          }
          callback(...result);
        }),
    });
  }
}

/** One request: undici's callbacks on one side, ours on the other. */
class Exchange implements Dispatcher.DispatchHandler, OpenRequest {
  readonly #lane: UndiciLane;
  readonly #delivery: Delivery;
  #controller: Dispatcher.DispatchController | undefined;
  #answered = false;
  #framed = false;

  constructor(lane: UndiciLane, handler: RequestHandler) {
    this.#lane = lane;
    this.#delivery = new Delivery(handler);
  }

  get closed(): boolean {
    return this.#delivery.closed;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#delivery.paused) controller.pause();
    this.#delivery.written();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#delivery.closed || status < 200) return;
    this.#answered = true;
    this.#framed = /\bchunked\b/i.test(String(headers['transfer-encoding'] ?? '')) || 'content-length' in headers;
    const { connection } = this.#lane;
    const framed = this.#framed;
    this.#delivery.head({ status, httpVersion: '1.1', headers: keepHeaders(headers), framed, connection });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#delivery.data(chunk);
  }

  onResponseEnd(): void {
    this.#delivery.end({ end: this.#framed ? 'eof' : 'eof-unframed', detail: '' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const said = this.#lane.socketError;
    const alert = said && !this.#answered ? classifyError(said, false) : undefined;
    this.#delivery.end(alert?.end === 'tls' ? alert : classifyError(error, this.#answered));
  }

  close(): void {
    if (this.#delivery.closed) return;
    const open = !this.#delivery.ended;
    this.#delivery.close();
    if (open) this.#lane.close();
  }

  pause(): void {
    this.#delivery.pause();
    this.#controller?.pause();
  }

  unpause(): void {
    if (this.#delivery.unpause()) this.#controller?.resume();
  }
}
