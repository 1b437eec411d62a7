import type { FeedItem } from '../render/feed.ts';
import { RecordMaker, type RunSummary, recordLine, summaryRecord } from '../render/json.ts';
import { LineFace, type LineOptions } from '../render/line.ts';
import { summaryLines } from '../render/summary.ts';
import { type ColorMode, makeTheme } from '../render/theme.ts';
import type { ScreenOptions } from '../ui/screen.ts';
import type { Clock } from '../util/clock.ts';
import { UsageError } from '../util/usage-error.ts';
import { TextOut } from './text-out.ts';

export type Output = 'tui' | 'line' | 'json';

/** One way of telling what happens. A face chooses, it does not compute. */
export interface Face {
  push(item: FeedItem): void;
  /** A line for people on stderr, whatever the face: at once, or as soon as no screen is in the way. */
  complain(text: string): void;
  /** Everything is over: writes the summary and what is still on its way. */
  finish(summary: RunSummary): Promise<void>;
  /** Settles when the person at the screen leaves; never for the others. */
  readonly left: Promise<'quit' | 'interrupt'>;
  /** Gives the terminal back. Synchronous, idempotent. */
  restore(): void;
}

export interface FaceOptions {
  output: Output | undefined;
  color: ColorMode;
  /** Whole objects in `event` records. */
  object: boolean;
  clock: Clock;
  /** Times are shown since this moment; absent: time of day. */
  since?: number;
  labels: LineOptions['labels'];
  screen: Pick<ScreenOptions, 'mode' | 'title' | 'getView' | 'lab' | 'probing' | 'targets'>;
  /** stdout's reader cannot keep up: stop reading (true), or go on. */
  onPressure(full: boolean): void;
}

/** What was asked for (a UsageError where there is no terminal for a screen), or the screen where both ends are a terminal, or lines. */
export function chooseOutput(asked: Output | undefined): Output {
  const terminal = process.stdin.isTTY && process.stdout.isTTY;
  if (asked === 'tui' && !terminal) {
    throw new UsageError('-o tui needs a terminal at stdin and stdout; -o line works everywhere');
  }
  if (asked !== undefined) return asked;
  return terminal && process.env.TERM !== 'dumb' ? 'tui' : 'line';
}

export async function openFace(options: FaceOptions): Promise<Face> {
  switch (chooseOutput(options.output)) {
    case 'json':
      return jsonFace(options);
    case 'line':
      return lineFace(options);
    case 'tui':
      return screenFace(options);
  }
}

const NEVER = new Promise<never>(() => {});

/** Lines that are kept while a screen is up; of more the oldest go. */
const MAX_KEPT = 100;

function jsonFace({ object, clock, onPressure }: FaceOptions): Face {
  const out = new TextOut(process.stdout, clock, onPressure);
  const records = new RecordMaker({ object });
  return {
    push(item) {
      const record = records.record(item);
      if (record) out.line(recordLine(record));
    },
    complain,
    async finish(summary) {
      out.line(recordLine(summaryRecord(summary)), true);
      complainOfLeftOut(out);
      await out.flush();
    },
    left: NEVER,
    restore() {},
  };
}

function lineFace(options: FaceOptions): Face {
  const out = new TextOut(process.stdout, options.clock, options.onPressure);
  const theme = makeTheme(options.color, process.env, process.stdout.isTTY);
  const face = new LineFace({
    theme,
    labels: options.labels,
    ...(options.screen.targets ? { targets: options.screen.targets } : {}),
    ...sinceOf(options),
  });
  return {
    push(item) {
      for (const line of face.lines(item)) out.line(line);
    },
    complain,
    async finish(summary) {
      for (const line of summaryLines(summary)) out.line(theme.paint(line), true);
      complainOfLeftOut(out);
      await out.flush();
    },
    left: NEVER,
    restore() {},
  };
}

async function screenFace(options: FaceOptions): Promise<Face> {
  const { startScreen } = await import('../ui/start.tsx');
  const screen = await startScreen({
    ...options.screen,
    ...sinceOf(options),
    clock: options.clock,
    color: options.color,
  });
  const kept = new KeptLines();
  const restore = () => {
    screen.restore();
    kept.release();
  };
  return {
    push: (item) => screen.push(item),
    complain: (text) => kept.add(text),
    async finish(summary) {
      restore();
      // What was on the screen is gone with it: the upshot stays in the terminal.
      const out = new TextOut(process.stdout, options.clock, () => {});
      const theme = makeTheme(options.color, process.env, true);
      for (const line of summaryLines(summary)) out.line(theme.paint(line));
      await out.flush();
    },
    left: screen.done,
    restore,
  };
}

function complainOfLeftOut({ leftOut }: TextOut): void {
  if (leftOut > 0) complain(`kwatch: ${leftOut} lines were left out, since nobody read standard output`);
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lines that wait for the screen to be gone: on it they would be lost, and they would tear it. */
class KeptLines {
  #lines: string[] | undefined = [];

  add(text: string): void {
    if (this.#lines === undefined) complain(text);
    else if (this.#lines.push(text) > MAX_KEPT) this.#lines.shift();
  }

  /** From now on they are written at once. */
  release(): void {
    const lines = this.#lines ?? [];
    this.#lines = undefined;
    for (const line of lines) complain(line);
  }
}

function sinceOf({ since }: FaceOptions): { since?: number } {
  return since === undefined ? {} : { since };
}
