import type { Socket } from 'node:net';
import { CHUNK_CLOSING, chunkLines, chunkOpening, encodeChunk } from '../protocol/watch-encoder.ts';
import type { EventBatch, EventSink, Watcher } from '../store/resource-storage.ts';
import type { Exchange, HttpResponse } from './exchange.ts';
import { StreamConnection } from './stream-connection.ts';

/** Bytes of single lines that are gathered into one system call. Upstream has 4 KiB (net/http bufio), and cheaper calls. */
const GATHERED_BYTES = 16 * 1024;

const LAST_CHUNK = '0\r\n\r\n';

/**
 * The body of one watch. Whoever writes waits while the socket is full: that wait is the whole slow-reader path, since the
 * watcher's queues fill up behind it.
 */
export interface WatchStream extends EventSink {
  /** Where nothing is left of the exchange but this. */
  readonly connection: StreamConnection | undefined;
  /** Adds one line. */
  write(line: Uint8Array): void;
  /** Sends what was gathered. */
  flush(): void;
  /** Undefined where there is room; else resolves when there is again, or the watch is over. */
  drained(): Promise<void> | undefined;
  /** The proper end: last chunk, connection stays usable. */
  end(): void;
}

/** Sends the headers at once, before any event (facts/server §5.1). `watcher` is told when there is room again. */
export function openWatchStream(exchange: Exchange, watcher: Watcher): WatchStream {
  const { request, response, http1, signal } = exchange;
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders?.();
  const room = new Room(watcher, signal);
  const connection = exchange.detach();
  if (connection) return new ChunkedStream(connection.socket, room, connection);
  const socket = request.httpVersion === '1.1' ? http1?.socket : undefined;
  return socket ? new ChunkedStream(socket, room, response) : new ResponseStream(response, room);
}

/** What both kinds of stream do about a full socket. Most never see one: nothing is made before somebody has to wait. */
class Room {
  readonly #watcher: Watcher;
  readonly #signal: AbortSignal;
  #waiting: { promise: Promise<void>; wake: () => void } | undefined;

  /** After `signal` nobody waits for the reader any longer. */
  constructor(watcher: Watcher, signal: AbortSignal) {
    this.#watcher = watcher;
    this.#signal = signal;
  }

  wait(): Promise<void> | undefined {
    if (this.#signal.aborted) return undefined;
    this.#waiting ??= this.#wait();
    return this.#waiting.promise;
  }

  again(): void {
    this.#waiting?.wake();
    if (!this.#signal.aborted) this.#watcher.resume?.();
  }

  #wait(): { promise: Promise<void>; wake: () => void } {
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const wake = () => {
      this.#signal.removeEventListener('abort', wake);
      this.#waiting = undefined;
      resolve();
    };
    this.#signal.addEventListener('abort', wake);
    return { promise, wake };
  }
}

/**
 * HTTP/1.1: chunks that are written to the connection itself. Node's response would spend more on each write than the system call
 * costs. There is room while the kernel has taken everything: what Node holds back itself counts as not written, as in Go.
 */
class ChunkedStream implements WatchStream {
  readonly connection: StreamConnection | undefined;
  readonly #response: HttpResponse | undefined;
  readonly #socket: Socket;
  readonly #room: Room;
  #gathered = 0;
  readonly #onWritten = (): void => {
    if (this.ready) this.#room.again();
  };

  /** `owner`: what has to know of the end. */
  constructor(socket: Socket, room: Room, owner: StreamConnection | HttpResponse) {
    if (owner instanceof StreamConnection) this.connection = owner;
    else this.#response = owner;
    this.#socket = socket;
    this.#room = room;
    // Over TLS the headers are still on their way; nobody else would tell when they are gone.
    if (!this.ready) socket.write('', this.#onWritten);
  }

  get ready(): boolean {
    return this.#socket.writableLength === 0;
  }

  deliver(batch: EventBatch): void {
    batch.encoded ??= encodeChunk(batch.events);
    this.#send(batch.encoded);
  }

  write(line: Uint8Array): void {
    if (this.#gathered === 0) this.#socket.cork();
    this.#gathered += line.length;
    this.#socket.write(chunkOpening(line.length), 'latin1');
    this.#socket.write(line);
    this.#send(CHUNK_CLOSING);
    if (this.#gathered >= GATHERED_BYTES) this.flush();
  }

  flush(): void {
    if (this.#gathered === 0) return;
    this.#gathered = 0;
    this.#socket.uncork();
  }

  drained(): Promise<void> | undefined {
    return this.#gathered > 0 || this.ready ? undefined : this.#room.wait();
  }

  end(): void {
    this.flush();
    this.#response?.end();
    if (this.connection === undefined) return;
    this.#socket.write(LAST_CHUNK, 'latin1');
    this.connection.release();
  }

  /** Nearly always the kernel takes all of it at once, and nobody has to be told. */
  #send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
    if (!this.ready) this.#socket.write('', this.#onWritten);
  }
}

/** HTTP/2, where framing and the client's flow control are Node's; and clients that know no chunks. */
class ResponseStream implements WatchStream {
  readonly connection = undefined;
  readonly #response: HttpResponse;
  readonly #room: Room;
  ready = true;

  constructor(response: HttpResponse, room: Room) {
    this.#response = response;
    this.#room = room;
    response.on('drain', () => {
      this.ready = true;
      this.#room.again();
    });
  }

  deliver(batch: EventBatch): void {
    batch.encoded ??= encodeChunk(batch.events);
    this.write(chunkLines(batch.encoded));
  }

  write(line: Uint8Array): void {
    if (!this.#response.write(line)) this.ready = false;
  }

  flush(): void {
    // Node gathers the writes of a turn itself.
  }

  drained(): Promise<void> | undefined {
    return this.ready ? undefined : this.#room.wait();
  }

  end(): void {
    this.#response.end();
  }
}
