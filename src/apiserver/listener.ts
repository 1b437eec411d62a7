import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { type Exchange, splitTarget } from './exchange.ts';
import { isForeignOrigin, isLoopbackHost } from './host-guard.ts';
import { uuid } from './uuid.ts';

/** Upstream's idle timeout of a connection, ms (genericapiserver SecureServingInfo, net/http IdleTimeout 90 s). */
const IDLE_TIMEOUT_MS = 90_000;

/** Connections at a time; a lab with thousands of watchers stays below, a runaway client does not. */
const MAX_CONNECTIONS = 20_000;

/** How long `close` lets answers that have ended reach clients that still read, ms. */
const CLOSE_GRACE_MS = 500;

/** How long a connection on which nothing was asked yet may live on in a shutdown, ms (net/http closeIdleConns, StateNew). */
const UNUSED_GRACE_MS = 5_000;

/** Characters of an Audit-Id that a client brings along; upstream cuts there too (audit/request.go). */
const AUDIT_ID_MAX = 64;

export interface ListenerOptions {
  /** 0: any free port. One that is in use rejects with EADDRINUSE. */
  port: number;
  clock: Clock;
  random: Random;
  /** `expire` ends the exchange's signal: nothing may wait for this request any longer. */
  onRequest(exchange: Exchange, expire: () => void): Promise<void>;
  /** A fault of this program, met while a request was answered. */
  onFault(error: unknown): void;
}

export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /**
   * Takes no new connection from now on and closes those that are idle (net/http Server.Shutdown); what is being answered goes on,
   * and its connection ends with the answer. Resolves when the last answer is out.
   */
  drain(): Promise<void>;
  /** Ends every request properly, and stops listening. */
  close(): Promise<void>;
  /** Breaks off every connection in the middle, and stops listening: what the kernel does for a process that was killed. */
  kill(): Promise<void>;
}

/** Listens on 127.0.0.1 and turns away what is not addressed to a loopback name, before anybody looks at it. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { clock } = options;
  const open = new Map<AbortController, { response: ServerResponse; answered: Promise<void> }>();
  const unused = new Set<Socket>();
  let draining = false;
  const server = createServer({ keepAliveTimeout: IDLE_TIMEOUT_MS }, (request, response) => {
    const over = new AbortController();
    unused.delete(request.socket);
    if (draining) announceClose(response);
    // The head of a stream went out long ago and could not announce it: its connection ends all the same.
    response.once('finish', () => draining && request.socket.end());
    const answered = answer(options, over, request, response).finally(() => open.delete(over));
    open.set(over, { response, answered });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const port = await bind(server, options.port);
  let closed: Promise<void> | undefined;
  const stopListening = () => {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
    return closed;
  };
  const drain = async () => {
    draining = true;
    const over = stopListening();
    for (const { response } of open.values()) announceClose(response);
    server.closeIdleConnections();
    await within(clock, UNUSED_GRACE_MS, over);
    for (const socket of unused) socket.destroy();
    await over;
  };
  const close = async () => {
    const over = stopListening();
    for (const one of open.keys()) one.abort();
    await within(clock, CLOSE_GRACE_MS, Promise.all([...open.values()].map(({ answered }) => answered)));
    server.closeIdleConnections();
    await within(clock, CLOSE_GRACE_MS, over);
    server.closeAllConnections();
    await over;
  };
  const kill = async () => {
    const over = stopListening();
    server.closeAllConnections();
    await over;
  };
  return { port, url: `http://127.0.0.1:${port}`, drain, close, kill };
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Waits for `work`, but not longer than `ms`. Leaves no timer behind. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function answer(
  { random, onRequest, onFault }: ListenerOptions,
  over: AbortController,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLoopbackHost(request.headers.host) || isForeignOrigin(request.headers.origin)) {
    response.writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
    response.end('403 Forbidden: this server answers requests for a loopback name only\n');
    return;
  }
  const finish = () => over.abort();
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  response.once('close', finish);
  // A client that leaves in the middle of an answer is no fault; 'close' follows.
  response.on('error', finish);
  const { path, query } = splitTarget(request.url ?? '/');
  const exchange: Exchange = {
    request,
    response,
    http1: response,
    method: request.method ?? 'GET',
    path,
    query,
    accept: request.headers.accept,
    host: request.headers.host ?? '',
    auditId: auditIdOf(request) ?? uuid(random),
    signal: over.signal,
  };
  try {
    await onRequest(exchange, finish);
    await ended;
  } catch (error) {
    onFault(error);
    if (!response.writableEnded) response.destroy();
  }
}

function auditIdOf(request: IncomingMessage): string | undefined {
  const given = request.headers['audit-id'];
  return typeof given === 'string' && given !== '' ? given.slice(0, AUDIT_ID_MAX) : undefined;
}
