import { CLASS_NOTES } from '../diagnosis/class-notes.ts';
import { CLASSES, type FindingClass } from '../diagnosis/finding.ts';
import { type Explanation, explainText } from '../explain/explain.ts';
import { explanationLines, explanationRecords, questionSummary } from '../render/explanation.ts';
import { classLines, classRecord } from '../render/explanation-class.ts';
import { logLines, logRecords } from '../render/explanation-groups.ts';
import { type JsonRecord, recordLine } from '../render/json.ts';
import type { Line } from '../render/spans.ts';
import { type ColorMode, makeTheme } from '../render/theme.ts';
import { didYouMean } from '../scenario/did-you-mean.ts';
import { SystemClock } from '../util/clock.ts';
import { UsageError } from '../util/usage-error.ts';
import type { ConnectionFlags } from './connection.ts';
import { EXIT } from './exit-codes.ts';
import { type Reading, readAll, readText } from './explain-log.ts';
import { looksLikePath, namesFile, openFile, standardInput } from './explain-source.ts';

export interface ExplainFlags extends ConnectionFlags {
  /** The arguments: a text, files, `-`, or the name of a class. */
  words: string[];
  /** `--file`: a name that could be taken for a text. */
  file?: string[];
  /** `--live`: the resource that the cluster is asked about. */
  live?: string;
  /** `--rv`: the RV that it is asked about; without it, the one that the text names. */
  rv?: string;
  namespace?: string;
  allNamespaces?: boolean;
  output: 'line' | 'json';
  color: ColorMode;
  version: string;
}

/** Columns of the text, on a terminal at most as wide as that is. */
const TEXT_WIDTH = 80;
const LEAST_WIDTH = 40;
const EXAMPLE = "kwatch explain 'too old resource version: 41877 (96214)'";

/** `kwatch explain`: one question or a whole log. Resolves to the exit code; an unknown text is no failure. */
export async function explain(flags: ExplainFlags): Promise<number> {
  if (flags.rv !== undefined && flags.live === undefined)
    throw new UsageError('--rv asks a cluster: it needs --live RESOURCE');
  const name = flags.file === undefined && flags.live === undefined ? await classNamed(flags.words) : undefined;
  if (name !== undefined) return tellClass(name, flags);
  // An RV alone is a question, too; then nothing is read.
  const reading = flags.rv !== undefined && flags.words.length === 0 && !flags.file ? undefined : await read(flags);
  if (reading?.intake.kind === 'question' && reading.intake.text.trim() === '' && reading.stopped === undefined)
    throw new UsageError(
      flags.live === undefined
        ? `nothing to explain: give the text, as in ${EXAMPLE}`
        : 'nothing to ask about: give the text that names the RV, or --rv N',
    );
  const code = reading?.stopped ?? (reading?.incomplete ? EXIT.cannot : EXIT.ok);
  const told: Told = reading ? answerTo(reading, flags, code) : { records: [], lines: [] };
  const near = told.explanation?.class === 'unknown' ? nearlyClass(flags.words) : undefined;
  if (near !== undefined) throw new UsageError(`there is no class ${flags.words[0]}: did you mean ${near}?`);
  if (flags.live === undefined || reading?.stopped !== undefined) {
    tell(told, reading, flags);
    return code;
  }
  const { tellLive } = await import('./explain-live-run.ts');
  const live = await tellLive({ ...flags, live: flags.live }, flags.rv ?? rvIn(told.explanation, reading), width());
  const summary = { ...(told.records.at(-1) ?? questionSummary(new SystemClock().now())), exit_code: live.code };
  const records = [...told.records.slice(0, -1), live.record, summary];
  tell({ records, lines: told.lines.length > 0 ? [...told.lines, [], ...live.lines] : live.lines }, reading, flags);
  return live.code;
}

/** The class that the only argument names, in whatever case; a file of that name comes first. */
async function classNamed([word = '', ...more]: readonly string[]): Promise<FindingClass | undefined> {
  const name = CLASSES.find((one) => one === word.toLowerCase());
  return name === undefined || more.length > 0 || (await namesFile(word)) ? undefined : name;
}

/** A word that is no text of any program, but nearly the name of a class. */
function nearlyClass([word = '', ...more]: readonly string[]): FindingClass | undefined {
  if (more.length > 0 || !/^[a-z0-9-]{4,}$/i.test(word)) return undefined;
  const begun = CLASSES.find((one) => one.startsWith(word.toLowerCase()));
  return begun ?? (didYouMean(word, CLASSES) as FindingClass | undefined);
}

function tellClass(name: FindingClass, flags: ExplainFlags): number {
  const at = new SystemClock().now();
  const records = [classRecord(name, CLASS_NOTES[name], at), questionSummary(at)];
  tell({ records, lines: classLines(name, CLASS_NOTES[name], width()) }, undefined, flags);
  return EXIT.ok;
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
      `give a log line, a file, or - for a pipe: ${EXAMPLE}, kwatch explain FILE, kubectl logs POD | kwatch explain -`,
    );
  }
  return readAll([standardInput()], false);
}

/** Whether every argument names a file; one that only looks like a path is told to be missing when it is opened. */
async function allFiles(words: readonly string[]): Promise<boolean> {
  if (words.length === 0 || words[0] === '-') return false;
  for (const word of words) if (!looksLikePath(word) && !(await namesFile(word))) return false;
  return true;
}

interface Told {
  records: readonly JsonRecord[];
  lines: readonly Line[];
  explanation?: Explanation;
}

function answerTo({ intake, notes }: Reading, { output }: ExplainFlags, exitCode: number): Told {
  const at = new SystemClock().now();
  const asJson = output === 'json';
  if (intake.kind === 'log') {
    const envelope = { at, lines: intake.lines, longLines: intake.longLines, notes, exitCode };
    const { report } = intake;
    return asJson
      ? { records: logRecords(report, envelope), lines: [] }
      : { records: [], lines: logLines(report, envelope, width()) };
  }
  const explanation = explainText(intake.text);
  return asJson
    ? { records: explanationRecords(explanation, at, intake.lines, exitCode), lines: [], explanation }
    : { records: [], lines: explanationLines(explanation), explanation };
}

/** The RV that the text is about; in a log, that of its most serious kind that names one. */
function rvIn(explanation: Explanation | undefined, reading: Reading | undefined): string {
  const groups = reading?.intake.kind === 'log' ? reading.intake.report.groups : [];
  const named = [explanation?.facts, ...groups.map(({ facts }) => facts)].find((facts) => facts?.requested_rv);
  if (named?.requested_rv === undefined)
    throw new UsageError('the text names no resourceVersion that could be asked about: give it with --rv N');
  return named.requested_rv;
}

function tell({ records, lines }: Told, reading: Reading | undefined, { output, color }: ExplainFlags): void {
  if (output === 'json') for (const record of records) process.stdout.write(`${recordLine(record)}\n`);
  const theme = makeTheme(color, process.env, process.stdout.isTTY);
  if (output !== 'json') for (const line of lines) process.stdout.write(`${theme.paint(line)}\n`);
  // A log's own answer has its notes.
  if (reading?.intake.kind === 'question') {
    for (const note of reading.notes) process.stderr.write(`kwatch: note: ${note}\n`);
  }
}

function width(): number {
  const { columns = TEXT_WIDTH } = process.stdout;
  // A terminal that does not know its width says 0.
  return columns < LEAST_WIDTH ? TEXT_WIDTH : Math.min(TEXT_WIDTH, columns);
}
