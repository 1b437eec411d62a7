import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the target of a watch has: `watch` in the query, or the deprecated path. Others may have it too, and come to no harm. */
const MAY_BE_WATCH = /[?&]watch|\/watch\//;

/**
 * A request that makes node:http let go of its connection where it may become a watch, as if it were an upgrade: parser, request
 * and response would take three quarters of the memory of a watch that waits, for as long as it lives. It is asked of each request
 * whether it is an upgrade, so nothing else has to change; where a Node did not ask, all goes on as usual. Not where an answer is
 * under way on the connection (`isAnswering`): the client sends ahead, and answers have an order.
 */
export function looseMessage(isAnswering: (socket: Socket) => boolean): typeof IncomingMessage {
  return class LooseMessage extends IncomingMessage {
    get upgrade(): boolean {
      const { headers } = this;
      if (this.method !== 'GET' || this.httpVersion !== '1.1' || !MAY_BE_WATCH.test(this.url ?? '')) return false;
      const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
      return !hasBody && !isAnswering(this.socket);
    }

    set upgrade(_asNodeSeesIt: boolean) {
      // A request for an upgrade is answered like any other.
    }
  };
}

/** Bytes that a client may send ahead while it watches. Upstream reads one and leaves the rest to the kernel. */
const MAX_AHEAD = 64 * 1024;

/**
 * An HTTP/1.1 connection that node:http has let go of, while one request is answered on it. What the client sends meanwhile is kept
 * for later; that it hangs up is told to `onHangUp`, and what is under way can be ended properly, as in Go.
 */
export class LooseConnection {
  readonly socket: Duplex;
  readonly #again: (socket: Duplex) => void;
  #ahead: Buffer | undefined;
  readonly #onData = (bytes: Buffer): void => {
    this.#ahead = this.#ahead ? Buffer.concat([this.#ahead, bytes]) : bytes;
    if (this.#ahead.length > MAX_AHEAD) this.socket.destroy();
  };
  /** The client has closed its half: nothing more of it is wanted. */
  onHangUp: (() => void) | undefined;
  readonly #onEnd = (): void => this.onHangUp?.();

  /** `head`: what came behind the request. `again`: takes the connection back, for the next request. */
  constructor(socket: Duplex, head: Buffer, again: (socket: Duplex) => void) {
    this.socket = socket;
    this.#again = again;
    if (head.length > 0) this.#ahead = head;
    // A connection that breaks is no fault of ours; 'close' follows.
    if (socket.listenerCount('error') === 0) socket.on('error', ignore);
    socket.on('end', this.#onEnd).on('data', this.#onData);
  }

  /** The response for a request that came on it; when it is out the connection is given back. */
  respond(request: IncomingMessage): ServerResponse {
    const response = new ServerResponse(request);
    if (/\bclose\b/i.test(request.headers.connection ?? '')) response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once('finish', () => {
      response.detachSocket(request.socket);
      this.release(keepsAlive(response));
      response.emit('close');
    });
    return response;
  }

  /** The answer is out: on to the next request, or the end. */
  release(keepAlive: boolean): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd);
    if (socket.destroyed) return;
    if (!keepAlive || socket.readableEnded) {
      socket.end();
      return;
    }
    socket.pause();
    if (this.#ahead) socket.unshift(this.#ahead);
    this.#again(socket);
    socket.resume();
  }
}

function keepsAlive(response: ServerResponse): boolean {
  return response.shouldKeepAlive && !/\bclose\b/i.test(String(response.getHeader('connection') ?? ''));
}

function ignore(): void {
  // 'close' follows.
}

/**
 * Frees request and response of a stream whose headers are out: to both it looks as if the answer were over. Who wants to know of
 * the connection's end must ask its socket from now on. True where the connection may serve on after the stream.
 */
export function forgetExchange(connection: LooseConnection, response: ServerResponse): boolean {
  const keepAlive = keepsAlive(response);
  response.removeAllListeners('finish');
  response.detachSocket(connection.socket as Socket);
  response.emit('close');
  return keepAlive;
}
