import type { Socket } from 'node:net';
import { CHUNK_CLOSING, chunkLines, chunkOpening, encodeChunk } from '../protocol/watch-encoder.ts';
import type { EventBatch, EventSink } from '../store/resource-storage.ts';
import type { Exchange, HttpResponse } from './exchange.ts';

/** Bytes of single lines that are gathered into one system call. Upstream has 4 KiB (net/http bufio), and cheaper calls. */
const GATHERED_BYTES = 16 * 1024;

/**
 * The body of one watch. Whoever writes waits while the socket is full: that wait is the whole slow-reader path, since the
 * watcher's queues fill up behind it.
 */
export interface WatchStream extends EventSink {
  /** Adds one line. */
  write(line: Uint8Array): void;
  /** Sends what was gathered. */
  flush(): void;
  /** Undefined where there is room; else resolves when there is again, or `giveUp` was called. */
  drained(): Promise<void> | undefined;
  /** The watch is over: nobody waits for the reader any longer. */
  giveUp(): void;
  /** The proper end: last chunk, connection stays usable. */
  end(): void;
}

/** Sends the headers at once, before any event (facts/server §5.1). `onReady`: there is room again. */
export function openWatchStream({ request, response, http1 }: Exchange, onReady: () => void): WatchStream {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders?.();
  const socket = request.httpVersion === '1.1' ? http1?.socket : undefined;
  return socket ? new ChunkedStream(response, socket, onReady) : new ResponseStream(response, onReady);
}

/** What both kinds of stream do about a full socket. */
class Room {
  readonly #onReady: () => void;
  #wake: (() => void) | undefined;
  #waiting: Promise<void> | undefined;
  #over = false;

  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  wait(): Promise<void> | undefined {
    if (this.#over) return undefined;
    this.#waiting ??= new Promise((wake) => {
      this.#wake = wake;
    });
    return this.#waiting;
  }

  again(): void {
    this.#release();
    if (!this.#over) this.#onReady();
  }

  giveUp(): void {
    this.#over = true;
    this.#release();
  }

  #release(): void {
    this.#wake?.();
    this.#wake = undefined;
    this.#waiting = undefined;
  }
}

/**
 * HTTP/1.1: chunks that are written to the connection itself. Node's response would spend more on each write than the system call
 * costs. There is room while the kernel has taken everything: what Node holds back itself counts as not written, as in Go.
 */
class ChunkedStream implements WatchStream {
  readonly #response: HttpResponse;
  readonly #socket: Socket;
  readonly #room: Room;
  #gathered = 0;
  readonly #onWritten = (): void => {
    if (this.ready) this.#room.again();
  };

  constructor(response: HttpResponse, socket: Socket, onReady: () => void) {
    this.#response = response;
    this.#socket = socket;
    this.#room = new Room(onReady);
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

  giveUp(): void {
    this.#room.giveUp();
  }

  end(): void {
    this.flush();
    this.#response.end();
  }

  #send(bytes: Uint8Array): void {
    this.#socket.write(bytes, this.#onWritten);
  }
}

/** HTTP/2, where framing and the client's flow control are Node's; and clients that know no chunks. */
class ResponseStream implements WatchStream {
  readonly #response: HttpResponse;
  readonly #room: Room;
  ready = true;

  constructor(response: HttpResponse, onReady: () => void) {
    this.#response = response;
    this.#room = new Room(onReady);
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

  giveUp(): void {
    this.#room.giveUp();
  }

  end(): void {
    this.#response.end();
  }
}
