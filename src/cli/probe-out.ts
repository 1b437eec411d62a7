import type { CheckOutcome, ProbeReport } from '../probe/check.ts';
import { compareReports } from '../probe/via.ts';
import { type JsonRecord, recordLine } from '../render/json.ts';
import { budgetRecord, checkRecord, differenceRecords, type PathName, probeSummary } from '../render/probe-json.ts';
import { junitLines } from '../render/probe-junit.ts';
import { markdownLines } from '../render/probe-markdown.ts';
import { budgetLines, closingLine, comparedLines, outcomeLines } from '../render/probe-text.ts';
import { sanitize } from '../render/sanitize.ts';
import { type Line, span } from '../render/spans.ts';
import { type ColorMode, makeTheme } from '../render/theme.ts';
import type { Clock } from '../util/clock.ts';

export type ProbeFormat = 'line' | 'json' | 'junit' | 'markdown';

/** Columns of the text, on a terminal at most as wide as that is. */
const TEXT_WIDTH = 110;

/** What a probe shows as it goes, and at its end. */
export interface ProbeOut {
  /** `path`: of the collection. */
  path(server: string, path: string, resource: string): void;
  outcome(outcome: CheckOutcome, path: PathName | undefined): void;
  /** The deep half begins, and takes so long. */
  deep(ms: number): void;
  note(text: string, path: PathName | undefined): void;
  finish(reports: readonly ProbeReport[], exitCode: number): void;
}

export function openProbeOut(options: {
  format: ProbeFormat;
  color: ColorMode;
  clock: Pick<Clock, 'now'>;
  paths: number;
}): ProbeOut {
  if (options.format === 'json') return new JsonOut(options.clock);
  return options.format === 'line' ? new TextOut(options.color) : new ReportOut(options.format);
}

function put(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Notes are for people who wait; they go where the result does not. */
function mention(text: string, path: PathName | undefined): void {
  process.stderr.write(`kwatch: ${path ? `${path}: ` : ''}${sanitize(text)}\n`);
}

class TextOut implements ProbeOut {
  readonly #theme;
  readonly #width = Math.min(TEXT_WIDTH, process.stdout.columns ?? TEXT_WIDTH);
  #heading: PathName | undefined;
  #begun = false;

  constructor(color: ColorMode) {
    this.#theme = makeTheme(color, process.env, process.stdout.isTTY);
  }

  path(server: string, path: string, resource: string): void {
    const heading = span(`${sanitize(resource)} at ${sanitize(server + path)}`, 'strong');
    this.#lines(this.#begun ? [[], [heading]] : [[heading]]);
    this.#begun = true;
  }

  outcome(outcome: CheckOutcome, path: PathName | undefined): void {
    // Of two deep halves both end at about the same time.
    if (path !== this.#heading && outcome.check.half === 'deep') this.#lines([[span(path ?? '', 'strong')]]);
    this.#heading = path;
    this.#lines(outcomeLines(outcome, this.#width));
  }

  deep(ms: number): void {
    this.#lines([[], [span(`Deep half: ${Math.round(ms / 1000)} s`, 'strong')]]);
  }

  note(text: string, path: PathName | undefined): void {
    this.#lines([[span(`     ${path ? `${path}: ` : ''}${sanitize(text)}`, 'dim')]]);
  }

  finish(reports: readonly ProbeReport[]): void {
    const [direct, via] = reports;
    if (direct && via) this.#lines(comparedLines(compareReports(direct, via), this.#width));
    for (const report of reports) {
      const { budget, server, outcomes } = report;
      if (via) this.#lines([[], [span(sanitize(server), 'strong')]]);
      if (outcomes.length > 0) this.#lines([...(via ? [] : [[]]), closingLine(report)]);
      if (budget) this.#lines(budgetLines(budget, this.#width));
    }
  }

  #lines(lines: readonly Line[]): void {
    for (const line of lines) put(this.#theme.paint(line));
  }
}

class JsonOut implements ProbeOut {
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  path(): void {}

  outcome(outcome: CheckOutcome, path: PathName | undefined): void {
    this.#record(checkRecord(outcome, this.#clock.now(), path));
  }

  deep(): void {}

  note(text: string, path: PathName | undefined): void {
    mention(text, path);
  }

  finish(reports: readonly ProbeReport[], exitCode: number): void {
    const at = this.#clock.now();
    const [direct, via] = reports;
    if (direct && via) for (const record of differenceRecords(compareReports(direct, via), at)) this.#record(record);
    reports.forEach(({ budget }, index) => {
      const path = via ? (index === 0 ? 'direct' : 'via') : undefined;
      if (budget) this.#record(budgetRecord(budget, at, path));
    });
    this.#record(probeSummary(reports, at, exitCode));
  }

  #record(record: JsonRecord): void {
    put(recordLine(record));
  }
}

/** One document at the end; whoever waits sees the answers on stderr. */
class ReportOut implements ProbeOut {
  readonly #format: 'junit' | 'markdown';

  constructor(format: 'junit' | 'markdown') {
    this.#format = format;
  }

  path(server: string, path: string, resource: string): void {
    mention(`${resource} at ${server}${path}`, undefined);
  }

  outcome({ check, result, answer }: CheckOutcome, path: PathName | undefined): void {
    mention(`${result}: ${check.title}: ${answer}`, path);
  }

  deep(ms: number): void {
    mention(`the deep half takes ${Math.round(ms / 1000)} s`, undefined);
  }

  note(text: string, path: PathName | undefined): void {
    mention(text, path);
  }

  finish(reports: readonly ProbeReport[]): void {
    const [direct, via] = reports;
    if (!direct) return;
    const second = via ? { report: via, compared: compareReports(direct, via) } : undefined;
    const lines = this.#format === 'junit' ? junitLines(direct, second) : markdownLines(direct, second);
    for (const line of lines) put(line);
  }
}
