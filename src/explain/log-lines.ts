/**
 * Characters of a line that are kept: its beginning and its end, which is where a message and its error stand. A longer line is
 * counted and told; one of 100 MB costs no more memory than this.
 */
const HEAD = 56 * 1024;
const TAIL = 8 * 1024;
export const MAX_LINE = HEAD + TAIL;

/** Splits decoded text, cut anywhere, into lines without their ends (`\n`, `\r\n`). */
export class LineSplitter {
  /** Lines so far. */
  lines = 0;
  /** Lines of which only the beginning and the end were kept. */
  longLines = 0;
  readonly #onLine: (line: string) => void;
  /** The beginning of a line whose end is still to come: at most `MAX_LINE`, or its head alone once it is longer. */
  #head = '';
  /** The last characters of a line that is too long. */
  #tail: string | undefined;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      if (this.#head === '' && to - from <= MAX_LINE) this.#emit(text, from, to);
      else {
        this.#append(text, from, to);
        this.#endLine();
      }
      from = to + 1;
    }
    if (from < text.length) this.#append(text, from, text.length);
  }

  /** The last line may have no end. */
  end(): void {
    if (this.#head !== '') this.#endLine();
  }

  #emit(text: string, from: number, to: number): void {
    this.lines += 1;
    this.#onLine(text.slice(from, to > from && text.charCodeAt(to - 1) === 0x0d ? to - 1 : to));
  }

  #append(text: string, from: number, to: number): void {
    if (this.#tail === undefined) {
      if (this.#head.length + to - from <= MAX_LINE) {
        this.#head += text.slice(from, to);
        return;
      }
      const rest = from + Math.max(0, HEAD - this.#head.length);
      this.#tail = this.#head.slice(HEAD);
      this.#head = this.#head.slice(0, HEAD) + text.slice(from, rest);
      this.#append(text, rest, to);
      return;
    }
    this.#tail = (this.#tail + text.slice(Math.max(from, to - TAIL), to)).slice(-TAIL);
  }

  #endLine(): void {
    const line = this.#tail === undefined ? this.#head : `${this.#head} … ${this.#tail}`;
    if (this.#tail !== undefined) this.longLines += 1;
    this.#head = '';
    this.#tail = undefined;
    this.#emit(line, 0, line.length);
  }
}
