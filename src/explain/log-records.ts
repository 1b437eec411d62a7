import { beginShape, continues, type RecordShape, takeBlank } from './log-continuation.ts';
import { headerTime, startsRecord } from './log-header.ts';
import { MAX_LINE } from './log-lines.ts';
import { type BareLine, LinePrefixes } from './log-prefix.ts';
import { clearer, epoch, type LogTime, readTime } from './log-time.ts';

/** What one program said at one moment: a line, or a line with its stack trace, or JSON over several lines. */
export interface LogRecord {
  text: string;
  /** Reads its time, which few records are asked for. */
  when(): LogTime | undefined;
  /** Pod and container, host and unit: empty where the log has but one. */
  source: string;
}

export interface RecordReader {
  /** Whether a text could be worth explaining: cheap, asked of nearly every record. */
  mayTell(text: string): boolean;
  /** Whether it is: dear, asked rarely. */
  tells(text: string): boolean;
  onRecord(record: LogRecord): void;
}

/** Records that are open at once: one for each pod, unit or stream of a mixed log. The one that waits longest is closed for another. */
const MAX_OPEN = 64;
/** Lines of a record that are all kept; of later ones only those that may tell something: causes stand at the end. */
const MAX_PLAIN_LINES = 200;
/** Characters of one record. */
const MAX_RECORD = 64 * 1024;
/** Two stamps of a collector that are further apart do not belong to one record, ms. */
const SAME_MOMENT_MS = 1_000;
/** First records that are asked for their time, until one has it. */
const MAX_ASKED = 1_000;
/** First records that are kept: a log of several programs has times of several kinds, and it begins and ends with different ones. */
const MAX_FIRST_HEADS = 64;

/** Most records have but one line. */
const NO_LINES: string[] = [];

interface Head {
  text: string;
  stamp: string | undefined;
}

interface OpenRecord {
  head: string;
  more: string[];
  chars: number;
  stamp: string | undefined;
  program: string | undefined;
  headed: boolean;
  /** Known once a line without a head of its own has come. */
  shape: RecordShape | undefined;
}

/** Makes records of lines. Only records that may tell something are handed on. */
export class RecordAssembler {
  readonly #reader: RecordReader;
  readonly #prefixes = new LinePrefixes();
  readonly #open = new Map<string, OpenRecord>();
  /** Pieces of a line that its collector has split. */
  readonly #pieces = new Map<string, string>();
  #first: LogTime | undefined;
  #asked = 0;
  readonly #firstHeads: Head[] = [];
  #lastHead: Head | undefined;

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  line(physical: string): void {
    const bare = this.#prefixes.bare(physical);
    if (bare.partial || this.#pieces.size > 0) {
      if (!this.#join(bare)) return;
    }
    const { text, source } = bare;
    const open = this.#open.get(source);
    const headed = startsRecord(text);
    if (headed && open?.shape === undefined) this.#begin(bare, true);
    else if (text.trim() === '') open && takeBlank(shapeOf(open));
    else if (open && this.#belongs(open, bare, headed)) append(open, text, this.#reader);
    else this.#begin(bare, headed);
  }

  end(): void {
    for (const [source, piece] of this.#pieces) {
      this.#begin({ text: piece, time: undefined, source, program: undefined, partial: false }, startsRecord(piece));
    }
    this.#pieces.clear();
    for (const [source, open] of this.#open) this.#close(source, open);
    this.#open.clear();
  }

  /** When the log begins and ends, as far as its first and last heads say; by times of one kind, where the first heads have them. */
  span(): { from: LogTime | undefined; to: LogTime | undefined } {
    const last = this.#lastHead;
    const to = last && timeOf(last.text, last.stamp);
    if (!to || to.scale === this.#first?.scale) return { from: this.#first, to };
    for (const head of this.#firstHeads) {
      const from = head === last ? undefined : timeOf(head.text, head.stamp);
      if (from?.scale === to.scale) return { from, to };
    }
    return { from: this.#first, to };
  }

  /** Whether the line is whole now. */
  #join(bare: BareLine): boolean {
    const before = this.#pieces.get(bare.source) ?? '';
    if (before !== '') bare.text = (before + bare.text).slice(0, MAX_LINE);
    if (!bare.partial) {
      this.#pieces.delete(bare.source);
      return true;
    }
    if (this.#pieces.size >= MAX_OPEN && before === '') return true;
    this.#pieces.set(bare.source, bare.text);
    return false;
  }

  #belongs(open: OpenRecord, bare: BareLine, headed: boolean): boolean {
    const alone = () =>
      apart(open.stamp, bare.time) || (this.#reader.tells(bare.text) && this.#reader.tells(textOf(open)));
    return continues(shapeOf(open), bare.text, headed, alone);
  }

  #begin(bare: BareLine, headed: boolean): void {
    const { text, source, time, program } = bare;
    const before = this.#open.get(source);
    if (before) {
      this.#close(source, before);
      // To the end of the queue of those that wait.
      if (this.#open.size > 1) this.#open.delete(source);
    } else if (this.#open.size >= MAX_OPEN) this.#closeOldest();
    const chars = text.length;
    this.#open.set(source, { head: text, more: NO_LINES, chars, stamp: time, program, headed, shape: undefined });
    if (headed || time !== undefined) {
      this.#lastHead = { text, stamp: time };
      if (this.#firstHeads.length < MAX_FIRST_HEADS) this.#firstHeads.push(this.#lastHead);
    }
    if (this.#first === undefined && this.#asked < MAX_ASKED) {
      this.#asked += 1;
      this.#first = timeOf(text, time);
    }
  }

  #closeOldest(): void {
    for (const [source, open] of this.#open) {
      this.#close(source, open);
      this.#open.delete(source);
      return;
    }
  }

  #close(source: string, open: OpenRecord): void {
    const text = textOf(open);
    if (!this.#reader.mayTell(text)) return;
    const spoken = open.program === undefined ? text : `${open.program}: ${text}`;
    this.#reader.onRecord({ text: spoken, when: () => timeOf(open.head, open.stamp), source });
  }
}

function shapeOf(open: OpenRecord): RecordShape {
  open.shape ??= beginShape(open.head, open.headed);
  return open.shape;
}

function append(open: OpenRecord, line: string, reader: RecordReader): void {
  if (open.chars + line.length > MAX_RECORD) return;
  if (open.more.length >= MAX_PLAIN_LINES && !reader.mayTell(line)) return;
  if (open.more === NO_LINES) open.more = [line];
  else open.more.push(line);
  open.chars += line.length + 1;
}

function textOf({ head, more }: OpenRecord): string {
  return more.length === 0 ? head : `${head}\n${more.join('\n')}`;
}

/** The program's own time, unless the collector's says more (klog has no year, Python no zone). */
function timeOf(head: string, stamp: string | undefined): LogTime | undefined {
  const outer = stamp === undefined ? undefined : (readTime(stamp) ?? epoch(stamp));
  return outer?.scale === 'utc' ? outer : clearer(headerTime(head), outer);
}

function apart(a: string | undefined, b: string | undefined): boolean {
  const [first, second] = [a === undefined ? undefined : readTime(a), b === undefined ? undefined : readTime(b)];
  return first !== undefined && second !== undefined && Math.abs(first.ms - second.ms) > SAME_MOMENT_MS;
}
