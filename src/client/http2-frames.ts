/**
 * Reads the frame headers of an HTTP/2 connection's incoming bytes (RFC 9113 §4.1), for the three things that HTTP clients hide:
 * whether a stream's end was announced (END_STREAM), whether it was reset, and whether the server said that it is leaving.
 */

const HEADER_BYTES = 9;
/** GOAWAY: last stream and error code; RST_STREAM: error code. Nothing behind that is read. */
const MAX_PAYLOAD = 8;
const DATA = 0x0;
const HEADERS = 0x1;
const RST_STREAM = 0x3;
const GOAWAY = 0x7;
const END_STREAM = 0x1;

/** RFC 9113 §7, by number. */
const ERROR_CODES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** How the server ended a stream, or the connection. */
export interface StreamMarks {
  ended: boolean;
  /** Name of the error code. */
  reset?: string;
}

/** Streams whose marks are kept: a connection of ours carries one at a time. */
const MAX_STREAMS = 32;

export class Http2Frames {
  readonly #header = new Uint8Array(HEADER_BYTES + MAX_PAYLOAD);
  /** Bytes of the present frame that were seen, header included, and its length. */
  #seen = 0;
  #length = 0;
  readonly #marks = new Map<number, StreamMarks>();
  goaway: { code: string; lastStream: number } | undefined;

  /** Takes what arrived, however it is sliced. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#seen < HEADER_BYTES) {
        this.#header[this.#seen++] = bytes[at++] as number;
        if (this.#seen === HEADER_BYTES) this.#length = this.#number(0, 3);
        if (this.#seen === HEADER_BYTES && this.#length === 0) this.#frame();
        continue;
      }
      const rest = HEADER_BYTES + this.#length - this.#seen;
      const taken = Math.min(rest, bytes.length - at);
      const kept = Math.max(0, Math.min(taken, this.#header.length - this.#seen));
      this.#header.set(bytes.subarray(at, at + kept), Math.min(this.#seen, this.#header.length));
      this.#seen += taken;
      at += taken;
      if (taken === rest) this.#frame();
    }
  }

  of(stream: number): Readonly<StreamMarks> {
    return this.#marks.get(stream) ?? { ended: false };
  }

  #frame(): void {
    const type = this.#header[3];
    const stream = this.#number(5, 4) & 0x7fffffff;
    const ends = ((this.#header[4] as number) & END_STREAM) !== 0;
    if ((type === DATA || type === HEADERS) && ends) this.#markOf(stream).ended = true;
    if (type === RST_STREAM) this.#markOf(stream).reset = errorName(this.#number(HEADER_BYTES, 4));
    if (type === GOAWAY) {
      const lastStream = this.#number(HEADER_BYTES, 4) & 0x7fffffff;
      this.goaway = { lastStream, code: errorName(this.#number(HEADER_BYTES + 4, 4)) };
    }
    this.#seen = 0;
    this.#length = 0;
  }

  #markOf(stream: number): StreamMarks {
    const known = this.#marks.get(stream);
    if (known) return known;
    const marks: StreamMarks = { ended: false };
    this.#marks.set(stream, marks);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > MAX_STREAMS && oldest !== undefined) this.#marks.delete(oldest);
    return marks;
  }

  #number(from: number, bytes: number): number {
    let value = 0;
    for (let i = 0; i < bytes; i++) value = value * 256 + (this.#header[from + i] as number);
    return value;
  }
}

function errorName(code: number): string {
  return ERROR_CODES[code] ?? `0x${code.toString(16)}`;
}
