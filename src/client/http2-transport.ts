import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { keepHeaders } from './answer-head.ts';
import { Delivery } from './delivery.ts';
import { dial } from './dial.ts';
import { classifyError, type TransportEnd } from './end-kind.ts';
import type { Endpoint } from './endpoint.ts';
import { Http2Frames } from './http2-frames.ts';
import { TappedSocket } from './tapped-socket.ts';
import {
  CONNECT_TIMEOUT_MS,
  type Lane,
  type OpenRequest,
  type RequestHandler,
  type Transport,
  type TransportRequest,
} from './transport.ts';

/** Bytes that may come before we have read: of a burst, a megabyte lies ready instead of 64 KiB. */
const WINDOW_BYTES = 1024 * 1024;

/**
 * Transport on node:http2: ALPN over TLS, prior knowledge over plain http (contract §4). Beside it the frame headers are read
 * (http2-frames.ts): node shows a stream that was reset, or that a GOAWAY ended, like a proper end.
 */
export function http2Transport(endpoint: Endpoint): Transport {
  const connections = { made: 0 };
  return { lane: (other) => new Http2Lane(other ?? endpoint, connections) };
}

/** One connection; `session` is there once it is made. */
interface Connection {
  id: number;
  socket: Socket;
  frames: Http2Frames;
  session?: ClientHttp2Session;
  /** What broke it. */
  error?: Error;
}

class Http2Lane implements Lane {
  readonly #endpoint: Endpoint;
  readonly #connections: { made: number };
  #connection: Connection | undefined;

  constructor(endpoint: Endpoint, connections: { made: number }) {
    this.#endpoint = endpoint;
    this.#connections = connections;
  }

  open(request: TransportRequest, handler: RequestHandler): OpenRequest {
    const exchange = new Http2Exchange(this, handler);
    const { prefix, noEncodingHeader } = this.#endpoint;
    const headers = {
      ':path': prefix + request.path,
      ...(noEncodingHeader ? {} : { 'accept-encoding': 'identity' }),
      ...request.headers,
    };
    const ready = this.#connection;
    if (ready?.session && isUsable(ready)) exchange.send(ready, ready.session, headers);
    else this.#connect((made, session) => exchange.send(made, session, headers), exchange);
    return exchange;
  }

  close(): void {
    const { session, socket } = this.#connection ?? {};
    this.#connection = undefined;
    session?.destroy();
    socket?.destroy();
  }

  #connect(then: (made: Connection, session: ClientHttp2Session) => void, exchange: Http2Exchange): void {
    this.close();
    const { scheme, host } = this.#endpoint;
    const socket = dial(this.#endpoint, ['h2'], CONNECT_TIMEOUT_MS);
    const connection: Connection = { id: 0, socket, frames: new Http2Frames() };
    this.#connection = connection;
    const fail = (error: Error) => exchange.failed(classifyError(error, false));
    const tooLate = () => socket.destroy(timedOut());
    socket.once('timeout', tooLate);
    socket.once('error', fail);
    socket.once('close', () => fail(connection.error ?? closed()));
    socket.once(scheme === 'https' ? 'secureConnect' : 'connect', () => {
      if (scheme === 'https' && (socket as TLSSocket).alpnProtocol !== 'h2') {
        socket.destroy(new Error('the server does not speak HTTP/2 (no h2 by ALPN): leave --http2 out'));
        return;
      }
      socket.off('timeout', tooLate);
      socket.off('error', fail);
      this.#connections.made += 1;
      connection.id = this.#connections.made;
      const tapped = new TappedSocket(socket, (bytes) => connection.frames.push(bytes));
      const session = connectHttp2(`${scheme}://${host}`, {
        createConnection: () => tapped,
        settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      });
      connection.session = session;
      session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
      // Told by the stream that it ends.
      session.on('error', (error) => {
        connection.error ??= error;
      });
      socket.prependListener('error', (error) => {
        connection.error = error;
      });
      then(connection, session);
    });
  }
}

function timedOut(): Error {
  return Object.assign(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`), { code: 'ETIMEDOUT' });
}

function closed(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}

function isUsable({ session, frames }: Connection): boolean {
  return session !== undefined && !session.closed && !session.destroyed && frames.goaway === undefined;
}

/** Headers of a connection, which HTTP/2 has none of (RFC 9113 §8.2.2); node refuses a request that has one. */
const OF_CONNECTIONS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te']);

function forHttp2(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTIONS.has(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase() === 'host' ? ':authority' : name, value]));
}

/** One request on a connection. */
class Http2Exchange implements OpenRequest {
  readonly #lane: Http2Lane;
  readonly #delivery: Delivery;
  #stream: ClientHttp2Stream | undefined;
  #answered = false;

  constructor(lane: Http2Lane, handler: RequestHandler) {
    this.#lane = lane;
    this.#delivery = new Delivery(handler);
  }

  send(connection: Connection, session: ClientHttp2Session, headers: Record<string, string>): void {
    if (this.#delivery.closed) return;
    const stream = this.#request(session, headers);
    if (!stream) return;
    this.#stream = stream;
    this.#delivery.written();
    if (this.#delivery.paused) stream.pause();
    stream.on('response', (answer) => {
      this.#answered = true;
      const status = Number(answer[constants.HTTP2_HEADER_STATUS]);
      const kept = keepHeaders(answer as Record<string, string | string[] | undefined>);
      this.#delivery.head({ status, httpVersion: '2', headers: kept, framed: true, connection: connection.id });
    });
    stream.on('data', (chunk: Buffer) => this.#delivery.data(chunk));
    // What went wrong is read from the frames and the socket when the stream has closed.
    stream.on('error', (error) => {
      connection.error ??= error;
    });
    stream.once('close', () => this.#delivery.end(endOf(connection, stream, this.#answered)));
  }

  #request(session: ClientHttp2Session, headers: Record<string, string>): ClientHttp2Stream | undefined {
    try {
      return session.request(forHttp2(headers));
    } catch (error) {
      // A header that HTTP/2 cannot carry: nothing was sent.
      this.#delivery.end({ end: 'no-response', detail: `not sent: ${(error as Error).message}` });
      return undefined;
    }
  }

  failed(end: TransportEnd): void {
    if (this.#stream === undefined) this.#delivery.end(end);
  }

  close(): void {
    if (this.#delivery.closed) return;
    const open = !this.#delivery.ended;
    this.#delivery.close();
    if (open) this.#lane.close();
  }

  pause(): void {
    this.#delivery.pause();
    this.#stream?.pause();
  }

  unpause(): void {
    if (this.#delivery.unpause()) this.#stream?.resume();
  }

  ping(answered: () => void): boolean {
    const session = this.#stream?.session;
    // Node sends none on a session that either side has announced to leave, though its streams live on.
    if (!session || session.destroyed || session.closed) return false;
    // False where too many wait for their answer: that one will not come either.
    session.ping((error) => {
      if (!error) answered();
    });
    return true;
  }
}

/** What the frames say comes before what node makes of it; what the socket says, last. */
function endOf({ frames, error }: Connection, stream: ClientHttp2Stream, answered: boolean): TransportEnd {
  const { ended, reset } = frames.of(stream.id ?? 0);
  const { goaway } = frames;
  const leaving = goaway && `GOAWAY ${goaway.code}, last stream ${goaway.lastStream}`;
  if (ended) return { end: 'eof', detail: leaving ? `after ${leaving}` : '' };
  if (reset !== undefined) return { end: answered ? 'h2-reset' : 'no-response', detail: `RST_STREAM ${reset}` };
  if (leaving) return { end: answered ? 'goaway' : 'no-response', detail: leaving };
  return classifyError(
    error && !/^ERR_HTTP2/.test(String((error as { code?: unknown }).code)) ? error : closed(),
    answered,
  );
}
