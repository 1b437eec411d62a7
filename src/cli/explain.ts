import { explainText } from '../explain/explain.ts';
import { explanationLines, explanationRecords } from '../render/explanation.ts';
import { logLines, logRecords } from '../render/explanation-groups.ts';
import { type JsonRecord, recordLine } from '../render/json.ts';
import type { Line } from '../render/spans.ts';
import { type ColorMode, makeTheme } from '../render/theme.ts';
import { SystemClock } from '../util/clock.ts';
import { UsageError } from '../util/usage-error.ts';
import { EXIT } from './exit-codes.ts';
import { type Reading, readAll, readText } from './explain-log.ts';
import { namesFile, openFile, standardInput } from './explain-source.ts';

export interface ExplainFlags {
  /** The arguments: a text, files, `-`, or the name of a class. */
  words: string[];
  /** `--file`: a name that could be taken for a text. */
  file?: string[];
  output: 'line' | 'json';
  color: ColorMode;
}

/** Columns of the text, on a terminal at most as wide as that is. */
const TEXT_WIDTH = 80;

/** `kwatch explain`: one question or a whole log, answered offline. Resolves to the exit code; an unknown text is no failure. */
export async function explain(flags: ExplainFlags): Promise<number> {
  const reading = await read(flags);
  const { intake, incomplete, stopped } = reading;
  if (intake.kind === 'question' && intake.text.trim() === '' && stopped === undefined)
    throw new UsageError("nothing to explain: give the text, as in kwatch explain 'too old resource version: 1 (2)'");
  const code = stopped ?? (incomplete ? EXIT.cannot : EXIT.ok);
  tell(reading, flags, code);
  return code;
}

async function read({ words, file }: ExplainFlags): Promise<Reading> {
  const names = file ?? ((await allFiles(words)) ? words : undefined);
  if (names) {
    const sources = [];
    for (const name of names) sources.push(await openFile(name));
    return readAll(sources, true);
  }
  if (words.length > 0 && words[0] !== '-') return readText(words.join(' '));
  if (process.stdin.isTTY) {
    throw new UsageError(
      "give a log line, a file or - for a pipe: kwatch explain 'too old resource version: 41877 (96214)', kwatch explain FILE, kubectl logs POD | kwatch explain -",
    );
  }
  return readAll([standardInput()], false);
}

async function allFiles(words: readonly string[]): Promise<boolean> {
  if (words.length === 0 || words[0] === '-') return false;
  for (const word of words) if (!(await namesFile(word))) return false;
  return true;
}

function tell({ intake, notes }: Reading, { output, color }: ExplainFlags, exitCode: number): void {
  const at = new SystemClock().now();
  if (intake.kind === 'log') {
    const envelope = { at, lines: intake.lines, longLines: intake.longLines, notes, exitCode };
    if (output === 'json') writeRecords(logRecords(intake.report, envelope));
    else writeLines(logLines(intake.report, envelope, width()), color);
    return;
  }
  const explanation = explainText(intake.text);
  if (output === 'json') writeRecords(explanationRecords(explanation, at, intake.lines, exitCode));
  else writeLines(explanationLines(explanation), color);
  for (const note of notes) process.stderr.write(`kwatch: note: ${note}\n`);
}

function width(): number {
  return Math.min(TEXT_WIDTH, process.stdout.columns ?? TEXT_WIDTH);
}

function writeRecords(records: readonly JsonRecord[]): void {
  for (const record of records) process.stdout.write(`${recordLine(record)}\n`);
}

function writeLines(lines: readonly Line[], color: ColorMode): void {
  const theme = makeTheme(color, process.env, process.stdout.isTTY);
  for (const line of lines) process.stdout.write(`${theme.paint(line)}\n`);
}
