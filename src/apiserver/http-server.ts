import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { forgetStall, onStall } from '../util/stall-timer.ts';
import { answerPlainHttp, answerUnreadable, hostFault, refuseRequest } from './bad-request.ts';
import { httpVersionOf, isTls, peek } from './connection-peek.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import {
  HEADER_TIMEOUT_MS,
  HTTP1_LIMITS,
  HTTP2_LIMITS,
  IDLE_TIMEOUT_MS,
  MAX_CONNECTIONS,
  MAX_REQUESTS_AHEAD,
} from './http-limits.ts';
import { LooseConnection, looseMessage } from './loose-connection.ts';
import type { ServingCertificate } from './self-signed-certificate.ts';

/** A request as it came in, over whichever version of HTTP. */
export interface Incoming {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** As Exchange has it. */
  readonly http1: ServerResponse | undefined;
  /** Where node:http has let go of the connection. */
  readonly connection: LooseConnection | undefined;
  readonly method: string;
  readonly target: string;
  /** `Host`, or `:authority`. */
  readonly host: string | undefined;
  /** No further request by this connection: it ends when this answer, and what else is under way, is out. */
  closeAfterwards(): void;
}

export interface HttpServerOptions {
  /** With it, TLS alone is spoken. */
  certificate: ServingCertificate | undefined;
  onRequest(incoming: Incoming): void;
}

/**
 * HTTP/1.1 and HTTP/2 on one port: over TLS by ALPN as upstream, and over plain TCP by what a connection begins with (upstream
 * speaks TLS only). One server of node:http does the listening; connections that speak HTTP/2 go to one of node:http2.
 */
export class HttpServer {
  readonly #server: Server;
  readonly #http2: Http2Server;
  readonly #onRequest: (incoming: Incoming) => void;
  readonly #connections = new Set<Socket>();
  /** HTTP/1 connections on which nothing was asked yet. */
  readonly #unused = new Set<Duplex>();
  /** Answers under way, by connection: more than one where a client sends requests ahead. */
  readonly #answering = new Map<Duplex, Set<ServerResponse>>();
  /** HTTP/2 connections, and how many streams are open on each. */
  readonly #sessions = new Map<ServerHttp2Session, { streams: number }>();
  readonly #looseMessage = looseMessage((socket) => this.#answering.has(socket));
  #draining = false;

  constructor({ certificate, onRequest }: HttpServerOptions) {
    this.#onRequest = onRequest;
    this.#http2 = this.#createHttp2();
    const onHttp1 = (request: IncomingMessage, response: ServerResponse) => this.#onHttp1(request, response);
    this.#server = certificate ? this.#createTls(certificate, onHttp1) : this.#createPlain(onHttp1);
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.prependListener('connection', (socket: Socket) => {
      this.#connections.add(socket);
      // One listener for all, and not `once`: what these need stays as long as the connection.
      socket.on('close', () => {
        this.#connections.delete(socket);
        this.#unused.delete(socket);
      });
    });
    this.#server.on('clientError', (error, socket) => {
      answerUnreadable(error, socket, (this.#answering.get(socket)?.size ?? 0) > 0);
    });
  }

  /** The port. Rejects with EADDRINUSE, EACCES, EADDRNOTAVAIL, ENOTFOUND. */
  listen(port: number, host: string): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  /** Takes no new connection. Resolves when the last one is closed. */
  stopListening(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** From now on every connection ends as soon as no answer is under way on it; HTTP/2 clients are told so at once (GOAWAY). */
  drain(): void {
    this.#draining = true;
    for (const answers of this.#answering.values()) for (const response of answers) announceClose(response);
    for (const session of this.#sessions.keys()) session.close();
    this.#server.closeIdleConnections();
  }

  /** Closes what carries no answer. */
  closeIdle(): void {
    this.#server.closeIdleConnections();
    for (const [session, { streams }] of this.#sessions) if (streams === 0) session.close();
  }

  /** Closes connections on which nothing was asked yet. */
  closeUnused(): void {
    for (const socket of this.#unused) socket.destroy();
  }

  /** Breaks off every connection, without a word. */
  destroyAll(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  #createPlain(onHttp1: (request: IncomingMessage, response: ServerResponse) => void): Server {
    const server = createHttp({ ...HTTP1_LIMITS, IncomingMessage: this.#looseMessage }, onHttp1);
    const serveHttp1 = takeOver(server, 'connection', (socket) => {
      peek(socket, HEADER_TIMEOUT_MS, httpVersionOf, (version) => {
        if (version === 'http/2') this.#serveHttp2(socket);
        else this.#serveHttp1(socket, serveHttp1);
      });
    });
    this.#letGo(server, serveHttp1);
    return server;
  }

  #createTls(
    { cert, key }: ServingCertificate,
    onHttp1: (request: IncomingMessage, response: ServerResponse) => void,
  ): Server {
    const tls = { cert, key, ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: HEADER_TIMEOUT_MS };
    const server = createHttps({ ...HTTP1_LIMITS, ...tls, IncomingMessage: this.#looseMessage }, onHttp1);
    const shakeHands = takeOver(server, 'connection', (socket) => {
      peek(socket, HEADER_TIMEOUT_MS, isTls, (tls) => (tls ? shakeHands(socket) : answerPlainHttp(socket)));
    });
    const serveHttp1 = takeOver<TLSSocket>(server, 'secureConnection', (socket) => {
      if (socket.alpnProtocol === 'h2') this.#serveHttp2(socket);
      else this.#serveHttp1(socket, serveHttp1);
    });
    this.#letGo(server, serveHttp1);
    return server;
  }

  /** Answers the requests for which node:http lets go of the connection; `serve` takes it back. */
  #letGo<S extends Duplex>(server: Server, serve: (socket: S) => void): void {
    const again = (socket: Duplex) => {
      if (this.#draining || !server.listening) socket.end();
      else serve(socket as S);
    };
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const connection = new LooseConnection(socket, head, again);
      this.#afterAnswers(socket, () => this.#onHttp1(request, connection.respond(request), connection));
    });
  }

  /** A request that was sent ahead waits for the answers to those before it; if the connection ended with them, for ever. */
  #afterAnswers(socket: Duplex, then: () => void): void {
    const last = [...(this.#answering.get(socket) ?? [])].at(-1);
    if (last === undefined) {
      then();
      return;
    }
    last.once('close', () => {
      if (!socket.writable) return;
      // Node believes that the connection is idle from here on.
      forgetStall(socket as Socket);
      then();
    });
  }

  #serveHttp1<S extends Duplex>(socket: S, serve: (socket: S) => void): void {
    this.#unused.add(socket);
    if (!this.#connections.has(socket as Duplex as Socket)) socket.on('close', () => this.#unused.delete(socket));
    serve(socket);
  }

  #serveHttp2(socket: Socket): void {
    // HTTP/1 can be answered after the client has closed its half. HTTP/2 has no halves; node:http2 leaves it to the socket to know.
    socket.allowHalfOpen = false;
    this.#http2.emit('connection', socket);
  }

  #createHttp2(): Http2Server {
    const server = createHttp2(HTTP2_LIMITS);
    server.on('session', (session) => this.#onSession(session));
    server.on('request', (request, response) => {
      const { session } = request.stream;
      this.#onRequest({
        request,
        response,
        http1: undefined,
        connection: undefined,
        method: request.method,
        target: request.url,
        host: request.authority || request.headers.host,
        // Not before the answer is out: some clients break off what is under way when they read GOAWAY.
        closeAfterwards: () => response.once('finish', () => session?.close()),
      });
    });
    // Broken connections and misbehaved peers: node:http2 has closed them already.
    server.on('sessionError', () => undefined);
    return server;
  }

  #onSession(session: ServerHttp2Session): void {
    const open = { streams: 0 };
    this.#sessions.set(session, open);
    session.once('close', () => this.#sessions.delete(session));
    session.on('stream', (stream) => {
      open.streams++;
      stream.once('close', () => open.streams--);
    });
    onStall(session, IDLE_TIMEOUT_MS, () => open.streams === 0 && session.close());
    if (this.#draining) session.close();
  }

  #onHttp1(request: IncomingMessage, response: ServerResponse, connection?: LooseConnection): void {
    const { socket } = request;
    this.#unused.delete(socket);
    const fault = hostFault(request);
    if (fault !== undefined) {
      refuseRequest(response, fault);
      return;
    }
    const answers = this.#answering.get(socket) ?? new Set();
    const serve = () => {
      if (this.#draining) announceClose(response);
      this.#onRequest({
        request,
        response,
        http1: response,
        connection,
        method: request.method ?? 'GET',
        ...addressOf(request),
        closeAfterwards: () => announceClose(response),
      });
    };
    // One after the other, as in Go, so that one client cannot have any number of requests under way.
    this.#afterAnswers(socket, serve);
    this.#answering.set(socket, answers.add(response));
    if (answers.size > MAX_REQUESTS_AHEAD) socket.pause();
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === MAX_REQUESTS_AHEAD) socket.resume();
      // Answers that wait for their turn never come to it where the connection is gone, and node:http does not tell them.
      if (answers.size === 0 || socket.destroyed) this.#answering.delete(socket);
    });
    // The head of a stream went out long ago and could not announce it: its connection ends all the same.
    response.once('finish', () => this.#draining && socket.end());
  }
}

/** A request line may hold a whole URL, as for a proxy; it then says whom it is addressed to (RFC 9112 §3.2.2). */
function addressOf({ url = '/', headers }: IncomingMessage): Pick<Incoming, 'target' | 'host'> {
  const [, authority, rest] = /^https?:\/\/([^/?]*)(.*)$/is.exec(url) ?? [];
  if (authority === undefined) return { target: url, host: headers.host };
  return { target: rest?.startsWith('/') ? rest : `/${rest}`, host: authority };
}

/** Puts `listener` in the place of the one that Node has for `event`, and gives back that one. */
function takeOver<S extends Duplex = Socket>(server: Server, event: string, listener: (socket: S) => void) {
  const [own, ...more] = server.listeners(event);
  if (own === undefined || more.length > 0) throw new Error(`node:http no longer has one listener for ${event}`);
  server.removeAllListeners(event);
  server.on(event, listener);
  return (socket: S): void => own.call(server, socket);
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
