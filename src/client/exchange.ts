import { MAX_BODY_BYTES, readBody } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import { BoundedBytes } from './bounded-bytes.ts';
import type { TransportEnd } from './end-kind.ts';
import { MAX_PAGE_BYTES, readListPage } from './list-page.ts';
import type { RunClock } from './run.ts';
import type { SessionInput } from './session-state.ts';
import type { Lane, OpenRequest, RequestHandler } from './transport.ts';

/** No headers for so long is worth telling (contract §5), real ms: a socket does not know of any other clock. */
const NO_HEADERS_MS = 10_000;
/** Time for the body of a refusal, real ms: it is a few hundred bytes, and who refused is known without it. */
const REFUSAL_BODY_MS = 2000;
/** Time for the answer to an HTTP/2 ping, real ms (Go's PingTimeout as client-go sets it; facts/client §0.10). */
const PONG_MS = 15_000;

/** An input without its time; the session's runner puts it on. */
export type Untimed = SessionInput extends infer Input ? (Input extends unknown ? Omit<Input, 'at'> : never) : never;

export interface ExchangeOptions {
  lane: Lane;
  verb: 'watch' | 'list';
  path: string;
  headers: Record<string, string>;
  clock: RunClock;
  now: () => number;
  give: (input: Untimed) => void;
  /** The first sign of life, or of its absence: the run's clock starts. */
  onStarted: () => void;
  /** A watch was accepted; called after the session was told, before any of its bytes. */
  onStreaming: () => void;
}

/**
 * One LIST or WATCH request: turns what the transport says into inputs of the session. A refusal is handed over whole, its
 * body cut at 64 KiB or two seconds; a list page, too; a stream as it comes.
 */
export class SessionExchange implements RequestHandler {
  readonly #options: ExchangeOptions;
  readonly #request: OpenRequest;
  #head: AnswerHead | undefined;
  #body: BoundedBytes | undefined;
  #writtenAt: number | undefined;
  #timer: { cancel(): void } | undefined;
  #pongTimer: { cancel(): void } | undefined;
  #over = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#setTimer(NO_HEADERS_MS, () => {
      options.give({ kind: 'no-headers', ...(this.#writtenAt === undefined ? {} : { writtenAt: this.#writtenAt }) });
    });
    this.#request = options.lane.open({ path: options.path, headers: options.headers }, this);
  }

  /** Ends it without a further word. */
  close(): void {
    this.#over = true;
    this.#timer?.cancel();
    this.#pongTimer?.cancel();
    this.#request.close();
  }

  pause(): void {
    this.#request.pause();
  }

  unpause(): void {
    this.#request.unpause();
  }

  /**
   * Pings the connection where it can be pinged, and gives `pong` or, after 15 real seconds without, `no-pong`; neither where
   * the connection is on its way out and cannot be asked.
   */
  ping(): void {
    const { clock, give } = this.#options;
    if (this.#over || !this.#request.ping) return;
    const tell = (kind: 'pong' | 'no-pong') => {
      if (!this.#over) give({ kind });
    };
    this.#pongTimer?.cancel();
    let timer: { cancel(): void } | undefined;
    const sent = this.#request.ping(() => {
      timer?.cancel();
      tell('pong');
    });
    if (!sent) return;
    timer = clock.timer(PONG_MS * (clock.speed ?? 1), () => tell('no-pong'));
    this.#pongTimer = timer;
  }

  onWritten(): void {
    this.#options.onStarted();
    this.#writtenAt = this.#options.now();
  }

  onHead(head: AnswerHead): void {
    this.#timer?.cancel();
    this.#head = head;
    const { verb, give } = this.#options;
    if (head.status === 200) {
      if (verb === 'list') this.#body = new BoundedBytes(MAX_PAGE_BYTES);
      give({ kind: 'opened', head, writtenAt: this.#written() });
      if (verb === 'watch' && !this.#over) this.#options.onStreaming();
      return;
    }
    this.#body = new BoundedBytes(MAX_BODY_BYTES);
    this.#setTimer(REFUSAL_BODY_MS, () => this.#cutShort());
  }

  onBytes(chunks: Uint8Array[]): void {
    if (!this.#body) {
      this.#options.give({ kind: 'bytes', chunks });
      return;
    }
    this.#body.push(chunks);
    if (this.#body.overflown) this.#cutShort();
  }

  onEnd(end: TransportEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.cancel();
    this.#pongTimer?.cancel();
    this.#options.onStarted();
    const { verb, give } = this.#options;
    if (this.#head !== undefined && this.#head.status !== 200) this.#refused(this.#head);
    else if (verb === 'list') this.#listed(end);
    else give({ kind: 'ended', end, ...(this.#writtenAt === undefined ? {} : { writtenAt: this.#writtenAt }) });
  }

  /** Enough of this body has been seen. */
  #cutShort(): void {
    if (this.#over) return;
    this.close();
    if (this.#head !== undefined && this.#head.status !== 200) this.#refused(this.#head);
    else
      this.#options.give({
        kind: 'list-failed',
        end: { end: 'frame-too-large', detail: `a page of more than ${MAX_PAGE_BYTES} bytes` },
      });
  }

  #refused(head: AnswerHead): void {
    const body = readBody(this.#body?.bytes() ?? new Uint8Array(), this.#body?.size ?? 0);
    this.#options.give({ kind: 'refused', head, writtenAt: this.#written(), body });
  }

  #listed(end: TransportEnd): void {
    const { give } = this.#options;
    if (this.#body === undefined || (end.end !== 'eof' && end.end !== 'eof-unframed')) {
      give({ kind: 'list-failed', end });
      return;
    }
    const bytes = this.#body.bytes();
    const page = readListPage(bytes);
    if (page) give({ kind: 'listed', page });
    else {
      const body = readBody(bytes.subarray(0, MAX_BODY_BYTES), bytes.length);
      give({ kind: 'list-failed', end: { end: 'not-a-stream', detail: 'the answer is no list' }, body });
    }
  }

  #written(): number {
    return this.#writtenAt ?? this.#options.now();
  }

  #setTimer(realMs: number, fire: () => void): void {
    this.#timer?.cancel();
    const { clock } = this.#options;
    this.#timer = clock.timer(realMs * (clock.speed ?? 1), () => {
      if (!this.#over) fire();
    });
  }
}
