import { asStatus, MAX_BODY_BYTES, parseObject, readBody } from '../client/answer-body.ts';
import type { AnswerHead } from '../client/answer-head.ts';
import { BoundedBytes } from '../client/bounded-bytes.ts';
import type { TransportEnd } from '../client/end-kind.ts';
import type { AnswerHeaders, EndKind } from '../client/facts.ts';
import type { Lane, OpenRequest } from '../client/transport.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import type { Status } from '../protocol/status.ts';
import type { Frame } from '../protocol/watch-event.ts';
import type { Clock } from '../util/clock.ts';

/** Bookmarks whose times are kept: one a minute, and two at the end. */
const MAX_BOOKMARKS = 500;
/** Frames beyond this are not followed: 4 MiB is more than etcd takes for an object. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** What one watch of some minutes showed. Times are ms of the client's clock. */
export interface WatchRecord {
  path: string;
  timeoutSeconds: number;
  askedAt: number;
  openedAt?: number;
  httpStatus?: number;
  headers: AnswerHeaders;
  bookmarks: { at: number; rv: string }[];
  /** ADDED, MODIFIED, DELETED. */
  events: number;
  lastByteAt?: number;
  /** Of an ERROR, or of the refusal. */
  status?: Status;
  /** `stopped`: we ended it. Absent while it is open. */
  end?: EndKind;
  endDetail?: string;
  endedAt?: number;
}

export interface LongWatch {
  /** Goes on changing until `done`. */
  readonly record: WatchRecord;
  readonly done: Promise<void>;
  /** Ends it; it counts as `stopped`. Later calls do nothing. */
  stop(): void;
}

export interface LongWatchOptions {
  /** Of its own: nothing else is asked on it. */
  lane: Lane;
  clock: Clock;
  path: string;
  headers: Record<string, string>;
  timeoutSeconds: number;
  /** A bookmark came, the n-th. */
  onBookmark?: (nth: number) => void;
}

/** Opens a watch and writes down what comes. Never rejects: how it ended is part of the record. */
export function openLongWatch(options: LongWatchOptions): LongWatch {
  return new OpenLongWatch(options);
}

class OpenLongWatch implements LongWatch {
  readonly record: WatchRecord;
  readonly done: Promise<void>;
  readonly #options: LongWatchOptions;
  readonly #decoder = new FrameDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
  readonly #refusal = new BoundedBytes(MAX_BODY_BYTES);
  readonly #request: OpenRequest;
  #settle: () => void = () => undefined;

  constructor(options: LongWatchOptions) {
    this.#options = options;
    const { path, timeoutSeconds, clock, headers, lane } = options;
    this.record = { path, timeoutSeconds, askedAt: clock.now(), headers: {}, bookmarks: [], events: 0 };
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#request = lane.open(
      { path, headers },
      {
        onWritten: () => undefined,
        onHead: (head) => this.#head(head),
        onBytes: (chunks) => this.#bytes(chunks),
        onEnd: (end) => this.#end(end),
      },
    );
  }

  stop(): void {
    if (this.record.end !== undefined) return;
    this.#request.close();
    this.#end({ end: 'stopped', detail: '' });
  }

  #head({ status, headers }: AnswerHead): void {
    Object.assign(this.record, { httpStatus: status, headers });
    if (status === 200) this.record.openedAt = this.#options.clock.now();
  }

  #bytes(chunks: readonly Uint8Array[]): void {
    this.record.lastByteAt = this.#options.clock.now();
    if (this.record.httpStatus !== 200) this.#refusal.push(chunks);
    else for (const chunk of chunks) for (const frame of this.#decoder.push(chunk)) this.#frame(frame);
  }

  #frame(frame: Frame): void {
    if (frame.kind !== 'event') return;
    const { record } = this;
    const { type, rv = '' } = frame.fields;
    if (type === 'ERROR') {
      const status = asStatus(parseObject(new TextDecoder().decode(frame.bytes))?.object);
      if (status) record.status = status;
    } else if (type !== 'BOOKMARK') {
      record.events += 1;
    } else if (record.bookmarks.length < MAX_BOOKMARKS) {
      record.bookmarks.push({ at: this.#options.clock.now(), rv });
      this.#options.onBookmark?.(record.bookmarks.length);
    }
  }

  #end({ end, detail }: TransportEnd): void {
    const { record } = this;
    if (record.end !== undefined) return;
    Object.assign(record, { end, endDetail: detail, endedAt: this.#options.clock.now() });
    const body = readBody(this.#refusal.bytes(), 0).status;
    if (body && !record.status) record.status = body;
    this.#options.lane.close();
    this.#settle();
  }
}
