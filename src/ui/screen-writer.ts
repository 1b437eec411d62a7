import { Writable } from 'node:stream';

/** A terminal as far as the screen needs one: process.stdout, or a test's. */
export interface Terminal {
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

/**
 * Alternate screen, cleared, cursor hidden, no automatic wrap (a last guard: a row that is too long is cut, not
 * wrapped).
 */
const ENTER = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?7l';

/** The way back, from any state: end of a synchronised update, colours off, wrap on, cursor shown, main screen. */
const LEAVE = '\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Synchronised output: terminals that know it show the whole frame at once, others ignore it. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/**
 * Where Ink's frames go: the rows that changed are written at their place, the others are left alone, and a frame in
 * which nothing changed writes nothing. Ink's own writer moves relative to where it believes the cursor to be, which a
 * resize makes wrong; absolute places cannot drift. `closed`, it ignores what Ink still has to say.
 */
export class ScreenWriter extends Writable {
  readonly #terminal: Terminal;
  #shown: string[] = [];
  #closed = false;
  /** Frames that were written, for whoever wants to know that nothing is drawn when nothing changed. */
  frames = 0;

  constructor(terminal: Terminal) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.write(ENTER);
  }

  /** Ink lays out by this. */
  get columns(): number {
    return this.#terminal.columns ?? 80;
  }

  get rows(): number {
    return this.#terminal.rows ?? 24;
  }

  /** The terminal has moved things about (resize): the next frame is written whole, on a cleared screen. */
  invalidate(): void {
    this.#shown = [];
    if (!this.#closed) this.#terminal.write('\x1b[2J');
  }

  /** Gives the terminal back. Idempotent, synchronous where the terminal is. */
  leave(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#terminal.write(LEAVE);
  }

  override _write(frame: string | Buffer, _encoding: string, done: () => void): void {
    const text = frame.toString();
    if (!this.#closed && text !== '') this.#draw(text.split('\n').slice(0, this.rows));
    done();
  }

  #draw(lines: string[]): void {
    let out = '';
    for (let i = 0; i < Math.max(lines.length, this.#shown.length); i++) {
      const line = lines[i] ?? '';
      // Erased first: behind a row of full width the cursor still stands on its last character.
      if (line !== this.#shown[i]) out += `\x1b[${i + 1};1H\x1b[2K${line}\x1b[0m`;
    }
    this.#shown = lines;
    if (out === '') return;
    this.frames += 1;
    this.#terminal.write(BEGIN + out + END);
  }
}
