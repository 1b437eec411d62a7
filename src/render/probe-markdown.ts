import { budgetWords } from '../probe/budget-words.ts';
import type { CheckOutcome, CheckResult, ProbeReport } from '../probe/check.ts';
import type { Compared } from '../probe/via.ts';
import { sanitize } from './sanitize.ts';
import { rfc3339 } from './time-format.ts';

/** Characters of one cell: a table must stay one. */
const MAX_CELL = 300;

const WORD: Record<CheckResult, string> = {
  pass: 'pass',
  fail: '**FAIL**',
  warn: '**warn**',
  info: 'info',
  skip: 'skip',
};

/** The report as a table to paste into an issue; with a second path both stand side by side, and what differs is marked. */
export function markdownLines(
  report: ProbeReport,
  via?: { report: ProbeReport; compared: readonly Compared[] },
): string[] {
  const { server, resource, startedAt, outcomes } = report;
  const table = via ? comparedTable(via.compared) : plainTable(outcomes);
  const paths = via ? [`- direct: ${code(server)}`, `- via: ${code(via.report.server)}`, ''] : [];
  const where = via ? '' : ` at ${code(server)}`;
  return [
    `### kwatch probe ${code(resource)}${where}`,
    '',
    `${rfc3339(startedAt)}, ${counted(outcomes)}`,
    '',
    ...paths,
    ...table,
    ...notes(outcomes),
    ...budgetLines(report),
  ];
}

function plainTable(outcomes: readonly CheckOutcome[]): string[] {
  return [
    '| check | | answer |',
    '| --- | --- | --- |',
    ...outcomes.map(({ check, result, answer }) => `| ${cell(check.title)} | ${WORD[result]} | ${cell(answer)} |`),
  ];
}

function comparedTable(compared: readonly Compared[]): string[] {
  return [
    '| check | direct | via | |',
    '| --- | --- | --- | --- |',
    ...compared.map(
      ({ check, direct, via, differs }) =>
        `| ${cell(check.title)} | ${answerCell(direct)} | ${answerCell(via)} | ${differs ? `**${differs.kind === 'other' ? 'differs' : differs.kind}**${differs.because ? `: ${cell(differs.because)}` : ''}` : ''} |`,
    ),
  ];
}

function answerCell(outcome: CheckOutcome | undefined): string {
  return outcome === undefined ? 'not asked' : `${WORD[outcome.result]} ${cell(outcome.answer)}`;
}

/** What is behind each failure and warning, and what to do. */
function notes(outcomes: readonly CheckOutcome[]): string[] {
  const told = outcomes.filter(
    ({ result, detail, next }) => (result === 'fail' || result === 'warn') && (detail ?? next),
  );
  if (told.length === 0) return [];
  return [
    '',
    ...told.map(({ check, detail, next }) => {
      const parts = [detail, next === undefined ? undefined : `Next: ${next}.`].filter((one) => one !== undefined);
      return `- **${cell(check.title)}**: ${cell(parts.join(' '), 2 * MAX_CELL)}`;
    }),
  ];
}

function budgetLines({ budget }: ProbeReport): string[] {
  if (!budget) return [];
  const { rows, meets, notes: assumed } = budgetWords(budget);
  return [
    '',
    '#### How long a client may be away',
    '',
    '| watch | away |',
    '| --- | --- |',
    ...rows.map(({ client, away }) => `| ${cell(client)} | ${cell(away)} |`),
    '',
    cell(meets, 2 * MAX_CELL),
    '',
    ...assumed.map((one) => `- ${cell(one, 2 * MAX_CELL)}`),
  ];
}

function counted(outcomes: readonly CheckOutcome[]): string {
  const results: readonly CheckResult[] = ['fail', 'warn', 'pass', 'info', 'skip'];
  return results
    .map((result) => ({ result, count: outcomes.filter((one) => one.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`)
    .join(', ');
}

/** What Markdown, HTML or GitHub would take for its own: markup, tags, and marks that call people or other issues. */
const MARKUP = /[\\`*_[\]|~$<>&@#]/g;
const ENTITY: Partial<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '@': '&#64;', '#': '&#35;' };

/** Text as text: nothing of it means anything but itself, and it stays in its cell. */
function cell(value: string, max = MAX_CELL): string {
  return sanitize(value, max).replace(MARKUP, (found) => ENTITY[found] ?? `\\${found}`);
}

/** As code, with as many backticks around it as it takes. */
function code(value: string): string {
  const safe = sanitize(value, MAX_CELL).replaceAll('|', '\\|');
  const fence = '`'.repeat(Math.max(0, ...(safe.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return fence.length === 1 ? `${fence}${safe}${fence}` : `${fence} ${safe} ${fence}`;
}
