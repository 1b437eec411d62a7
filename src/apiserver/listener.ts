import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { type Exchange, OVER, splitTarget } from './exchange.ts';
import { isForeignOrigin, isLoopbackAddress, isLoopbackHost, reachableHost } from './host-guard.ts';
import { HttpServer, type Incoming } from './http-server.ts';
import { forgetExchange } from './loose-connection.ts';
import { PendingAnswers } from './pending-answers.ts';
import type { ServingCertificate } from './self-signed-certificate.ts';
import { type OpenStreams, StreamConnection } from './stream-connection.ts';
import { uuid } from './uuid.ts';

/** Where we listen unless told otherwise. */
const LOOPBACK = '127.0.0.1';

/** How long `close` lets answers that have ended reach clients that still read, ms. */
const CLOSE_GRACE_MS = 500;

/** How long a connection on which nothing was asked yet may live on in a shutdown, ms (net/http closeIdleConns, StateNew). */
const UNUSED_GRACE_MS = 5_000;

const FORBIDDEN = Buffer.from('403 Forbidden: this server answers requests for a loopback name only\n');

/** Characters of an Audit-Id that a client brings along; upstream cuts there too (audit/request.go). */
const AUDIT_ID_MAX = 64;

export interface ListenerOptions {
  /** 0: any free port. One that is in use rejects with EADDRINUSE. */
  port: number;
  /** Address or name to listen on. Default: 127.0.0.1. Beyond loopback any `Host` is answered, so ask for a token there. */
  host?: string | undefined;
  /** With it: TLS. */
  certificate?: ServingCertificate | undefined;
  clock: Clock;
  random: Random;
  /** `expire` ends the exchange's signal: nothing may wait for this request any longer. */
  onRequest(exchange: Exchange, expire: () => void): Promise<void>;
  /** A fault of this program, met while a request was answered. */
  onFault(error: unknown): void;
}

export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, `https://…` */
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

/** Listens, and turns away what is not addressed to us, before anybody looks at it. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { clock, certificate, host = LOOPBACK } = options;
  const open = new Map<AbortController, Promise<void>>();
  /** Streams of which nothing is left but their connection. */
  const streams: OpenStreams = new Set();
  const pending = new PendingAnswers();
  const server = new HttpServer({
    certificate,
    onRequest: (incoming) => {
      const over = new AbortController();
      const answered = answer({ ...options, pending, streams }, over, incoming).finally(() => open.delete(over));
      open.set(over, answered);
    },
  });
  const port = await server.listen(options.port, host);
  let closed: Promise<void> | undefined;
  const stopListening = () => {
    closed ??= server.stopListening();
    return closed;
  };
  const drain = async () => {
    const over = stopListening();
    server.drain();
    await within(clock, UNUSED_GRACE_MS, over);
    server.closeUnused();
    await over;
  };
  const close = async () => {
    const over = stopListening();
    for (const one of [...open.keys(), ...streams]) one.abort(OVER);
    await within(clock, CLOSE_GRACE_MS, Promise.all(open.values()));
    server.closeIdle();
    await within(clock, CLOSE_GRACE_MS, over);
    server.destroyAll();
    await over;
  };
  const kill = async () => {
    const over = stopListening();
    server.destroyAll();
    await over;
  };
  return { port, url: `${certificate ? 'https' : 'http'}://${reachableHost(host)}:${port}`, drain, close, kill };
}

/** Waits for `work`, but not longer than `ms`. Leaves no timer behind. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}

async function answer(
  options: ListenerOptions & { pending: PendingAnswers; streams: OpenStreams },
  over: AbortController,
  incoming: Incoming,
): Promise<void> {
  const { host = LOOPBACK, random, pending, onRequest, onFault } = options;
  const { request, response, http1, method, target, host: addressedTo, closeAfterwards } = incoming;
  const { headers } = request;
  if ((isLoopbackAddress(host) && !isLoopbackHost(addressedTo)) || isForeignOrigin(headers.origin)) {
    closeAfterwards();
    response.writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': FORBIDDEN.length });
    response.end(FORBIDDEN);
    return;
  }
  const finish = expiry(over);
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  response.once('close', finish);
  // A client that leaves in the middle of an answer is no fault; 'close' follows.
  response.on('error', finish);
  if (incoming.connection) incoming.connection.onHangUp = finish;
  const exchange: Exchange = {
    request,
    response,
    http1,
    method,
    ...splitTarget(target),
    accept: headers.accept,
    host: addressedTo ?? '',
    auditId: auditIdOf(headers) ?? uuid(random),
    pending,
    signal: over.signal,
    expire: finish,
    detach: () => {
      const { connection } = incoming;
      if (connection === undefined || http1 === undefined) return undefined;
      response.off('close', finish);
      return new StreamConnection(connection, forgetExchange(connection, http1), over, options);
    },
    closeAfterwards,
  };
  try {
    await onRequest(exchange, finish);
    await ended;
  } catch (error) {
    onFault(error);
    if (!response.writableEnded) response.destroy();
  }
}

/** Made apart from the request, so that who keeps it keeps nothing else. */
function expiry(over: AbortController): () => void {
  return () => over.abort(OVER);
}

function auditIdOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['audit-id'];
  return typeof given === 'string' && given !== '' ? given.slice(0, AUDIT_ID_MAX) : undefined;
}
