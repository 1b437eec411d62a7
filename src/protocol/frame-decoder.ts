import { scanEventFields } from './field-scan.ts';
import { HeldBytes } from './held-bytes.ts';
import { BROKEN, JsonScanner, UNFINISHED } from './json-scanner.ts';
import { scanKnownOrder } from './known-order.ts';
import { SecondValueHints } from './second-value-hints.ts';
import type { Frame } from './watch-event.ts';

/**
 * Largest value that is followed, bytes. etcd takes requests of 1.5 MiB (etcd --max-request-bytes), and as JSON an object
 * grows by a small factor; 20 times that is no watch event any more, but a flood.
 */
const DEFAULT_MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** Characters of a half frame that `end` gives back. */
const TAIL_CHARACTERS = 200;

const NEWLINE = 0x0a;
const OPEN_OBJECT = 0x7b;

/**
 * Cuts a watch's body into frames, however the bytes are sliced. What delimits a frame is the end of its JSON object, not
 * the newline: objects may follow each other on one line, or take several lines; blank lines and CRLF mean nothing.
 *
 * The newline is the fast path: a line that is whole in one piece, is written in an apiserver's order, ends in `}}` and gives
 * no hint of a second object is one frame, and its bytes are neither copied nor looped over. Anything else goes byte by byte
 * through a JsonScanner, which gives the same frames, with two exceptions that no server is known to send: an object in that
 * order which goes on behind a line end after a `}}`, and other text between two such objects on one line. There the line is
 * taken for one frame.
 *
 * What cannot be JSON is malformed up to the next line end, where the decoder starts anew. Where an object breaks after
 * several lines, those of them that are whole events are given as such: a line that was cut off must not swallow its
 * successors.
 *
 * Frames are windows on the piece given to `push`, or own their bytes where they straddle two pieces. What is held between
 * two calls is a copy, so a reader may use its memory again when it is done with the frames.
 */
export class FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #held: HeldBytes;
  readonly #scanner = new JsonScanner();
  /** What the held bytes are: nothing, an object that scanner is in, a line that is none; or nothing more is read. */
  #state: 'between' | 'object' | 'garbage' | 'finished' = 'between';

  constructor({ maxFrameBytes = DEFAULT_MAX_FRAME_BYTES }: { maxFrameBytes?: number } = {}) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#held = new HeldBytes(maxFrameBytes);
  }

  /** The frames that end in this piece. After a 'too-large' there are no more. */
  push(piece: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    this.#consume(Buffer.from(piece.buffer, piece.byteOffset, piece.length), frames);
    return frames;
  }

  /** What was left of a half frame when the stream ended. */
  end(): { tailBytes: number; tailText: string } {
    // No character takes more than 4 bytes, and half a character at the cut is dropped with what lies behind it.
    const text = this.#held.head(TAIL_CHARACTERS * 4).toString();
    return { tailBytes: this.#held.length, tailText: Array.from(text).slice(0, TAIL_CHARACTERS).join('') };
  }

  #consume(bytes: Buffer, frames: Frame[]): void {
    const hints = new SecondValueHints(bytes);
    let at = 0;
    while (at < bytes.length && this.#state !== 'finished') {
      if (this.#state === 'object') at = this.#object(bytes, at, frames);
      else if (this.#state === 'garbage') at = this.#garbage(bytes, at, frames);
      else at = this.#start(bytes, at, frames, hints);
    }
  }

  /** Between two frames. The position behind the line, if it is a frame as it stands; else the state says what begins. */
  #start(bytes: Buffer, from: number, frames: Frame[], hints: SecondValueHints): number {
    let at = from;
    while (at < bytes.length && isBlank(bytes[at]!)) at++;
    if (at === bytes.length) return at;
    if (bytes[at] !== OPEN_OBJECT) {
      this.#state = 'garbage';
      return at;
    }
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? at : lineEnd(bytes, newline);
    if (newline >= 0 && end - at <= this.#maxFrameBytes && !hints.within(at, end)) {
      const line = bytes.subarray(at, end);
      const fields = scanKnownOrder(line);
      if (fields !== undefined) {
        frames.push({ kind: 'event', bytes: line, fields });
        return newline + 1;
      }
    }
    this.#scanner.reset();
    this.#state = 'object';
    return at;
  }

  /** In an object. The position behind it, or behind what was used. */
  #object(bytes: Buffer, at: number, frames: Frame[]): number {
    const end = this.#scanner.feed(bytes, at);
    if (end === BROKEN) return this.#broken(bytes, at, frames);
    if (end === UNFINISHED) return this.#hold(bytes, at, frames);
    this.#state = 'between';
    this.#emit(this.#withHeld(bytes, at, end), frames);
    return end;
  }

  /** On a line that is no object. The position behind its newline, or behind what was used. */
  #garbage(bytes: Buffer, at: number, frames: Frame[]): number {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return this.#hold(bytes, at, frames);
    this.#state = 'between';
    const line = this.#withHeld(bytes, at, newline);
    this.#emit(line.subarray(0, lineEnd(line, line.length)), frames);
    return newline + 1;
  }

  /**
   * The object that the scanner is in cannot go on as it does. If all of it stands on one line, that line is garbage.
   * Otherwise its last line, where it broke, is read anew as if it were the first; each byte is read anew only once.
   */
  #broken(bytes: Buffer, at: number, frames: Frame[]): number {
    const cut = this.#scanner.lastNewline;
    this.#state = 'garbage';
    if (cut < 0) return at;
    this.#state = 'between';
    const held = this.#held.length;
    if (cut >= held) {
      this.#emitBroken(this.#withHeld(bytes, at, at + cut - held), frames);
      return at + cut - held + 1;
    }
    const whole = this.#held.take();
    this.#emitBroken(whole.subarray(0, cut), frames);
    this.#consume(whole.subarray(cut + 1), frames);
    return at;
  }

  /** Lines of a broken object. Those that are events by themselves are given as events. */
  #emitBroken(lines: Buffer, frames: Frame[]): void {
    let brokenFrom = 0;
    for (let from = 0; from < lines.length; ) {
      const newline = lines.indexOf(NEWLINE, from);
      const next = newline < 0 ? lines.length : newline + 1;
      const line = lines.subarray(from, lineEnd(lines, next));
      const fields = line[0] === OPEN_OBJECT ? scanEventFields(line) : undefined;
      if (fields !== undefined && !('malformed' in fields)) {
        emitMalformed(lines.subarray(brokenFrom, lineEnd(lines, from)), frames);
        frames.push({ kind: 'event', bytes: line, fields });
        brokenFrom = next;
      }
      from = next;
    }
    emitMalformed(lines.subarray(brokenFrom, lineEnd(lines, lines.length)), frames);
  }

  #emit(bytes: Buffer, frames: Frame[]): void {
    if (bytes.length > this.#maxFrameBytes) {
      this.#finish(bytes.length, frames);
      return;
    }
    const fields = scanEventFields(bytes);
    if ('malformed' in fields) frames.push({ kind: 'malformed', bytes, reason: fields.malformed });
    else frames.push({ kind: 'event', bytes, fields });
  }

  /** Keeps the rest of the piece for the next one. */
  #hold(bytes: Buffer, at: number, frames: Frame[]): number {
    const size = this.#held.length + bytes.length - at;
    if (size > this.#maxFrameBytes) this.#finish(size, frames);
    else this.#held.append(bytes.subarray(at));
    return bytes.length;
  }

  #withHeld(bytes: Buffer, from: number, to: number): Buffer {
    if (this.#held.length === 0) return bytes.subarray(from, to);
    this.#held.append(bytes.subarray(from, to));
    return this.#held.take();
  }

  #finish(size: number, frames: Frame[]): void {
    this.#held.take();
    this.#state = 'finished';
    frames.push({ kind: 'too-large', size });
  }
}

function emitMalformed(bytes: Buffer, frames: Frame[]): void {
  if (bytes.length > 0) frames.push({ kind: 'malformed', bytes, reason: 'not valid JSON' });
}

function isBlank(byte: number): boolean {
  return byte === NEWLINE || byte === 0x20 || byte === 0x0d || byte === 0x09;
}

/** `to` without the blanks before it. */
function lineEnd(bytes: Buffer, to: number): number {
  let end = to;
  while (end > 0 && isBlank(bytes[end - 1]!)) end--;
  return end;
}
