import type { AnswerHead } from './answer-head.ts';
import type { TransportEnd } from './end-kind.ts';
import { InflatedBody, isGzip } from './inflated-body.ts';
import type { RequestHandler } from './transport.ts';

/**
 * Hands what a request brings to its handler, whatever the protocol: pieces of the body gathered over one turn, the end after
 * the bytes before it, nothing while paused, and nothing after the end or a close.
 */
export class Delivery {
  readonly #handler: RequestHandler;
  #gathered: Uint8Array[] = [];
  #flushing = false;
  #paused = false;
  #closed = false;
  /** The end, while the reader is paused. */
  #end: TransportEnd | undefined;
  /** Where the body is compressed. */
  #inflated: InflatedBody | undefined;

  constructor(handler: RequestHandler) {
    this.#handler = handler;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  written(): void {
    if (!this.#closed) this.#handler.onWritten();
  }

  head(head: AnswerHead): void {
    if (this.#closed) return;
    if (isGzip(head.headers['content-encoding'])) this.#inflated = this.#inflate();
    this.#handler.onHead(head);
  }

  data(chunk: Uint8Array): void {
    if (this.#inflated) this.#inflated.write(chunk);
    else this.#gather(chunk);
  }

  #gather(chunk: Uint8Array): void {
    if (this.#closed) return;
    this.#gathered.push(chunk);
    if (this.#flushing) return;
    // One chunk an event is how an apiserver writes: a step of the session for each would cost more than its work.
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  end(end: TransportEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (this.#inflated) this.#inflated.end();
    else this.#flush();
  }

  #inflate(): InflatedBody {
    const end = () => {
      this.#inflated = undefined;
      this.#flush();
    };
    const inflated = new InflatedBody({ data: (chunk) => this.#gather(chunk), end });
    if (this.#paused) inflated.pause();
    return inflated;
  }

  /** Nothing more is told. */
  close(): void {
    this.#closed = true;
    this.#gathered = [];
    this.#inflated?.close();
  }

  pause(): void {
    this.#paused = true;
    this.#inflated?.pause();
  }

  /** True where the body is to be read on. */
  unpause(): boolean {
    if (!this.#paused) return false;
    this.#paused = false;
    this.#inflated?.resume();
    this.#flush();
    return !this.#closed && this.#end === undefined;
  }

  #flush(): void {
    if (this.#paused || this.#closed) return;
    if (this.#gathered.length > 0) {
      const chunks = this.#gathered;
      this.#gathered = [];
      this.#handler.onBytes(chunks);
    }
    // onBytes may have closed or paused it; what is still compressed comes before the end.
    if (this.#end === undefined || this.#closed || this.#paused || this.#inflated) return;
    this.#closed = true;
    this.#handler.onEnd(this.#end);
  }
}
