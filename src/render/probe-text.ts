import type { Budget } from '../probe/budget.ts';
import { budgetWords } from '../probe/budget-words.ts';
import type { CheckOutcome, CheckResult, ProbeReport } from '../probe/check.ts';
import type { Compared } from '../probe/via.ts';
import { sanitize } from './sanitize.ts';
import { type Line, type StyleName, span } from './spans.ts';
import { padTo, wrap } from './width.ts';

const STYLE: Record<CheckResult, StyleName> = {
  pass: 'good',
  fail: 'alarm',
  warn: 'warning',
  info: 'note',
  skip: 'dim',
};
const RESULT_WIDTH = 5;
const TITLE_WIDTH = 30;
const INDENT = RESULT_WIDTH + TITLE_WIDTH;
/** From the worst to what tells least. */
const RESULTS: readonly CheckResult[] = ['fail', 'warn', 'pass', 'info', 'skip'];

/** One check: its result, its name, its answer; why and what to do where something is wrong. */
export function outcomeLines({ check, result, answer, detail, next }: CheckOutcome, width: number): Line[] {
  const told = result !== 'pass' && result !== 'skip';
  return [
    ...columns(result, check.title, sanitize(answer), width),
    ...(told && detail !== undefined ? indented(sanitize(detail), 'dim', width) : []),
    ...(told && next !== undefined ? indented(`→ ${sanitize(next)}`, 'plain', width) : []),
  ];
}

function columns(result: CheckResult, title: string, answer: string, width: number): Line[] {
  const rows = wrap(answer, Math.max(20, width - INDENT));
  return rows.map((row, index) =>
    index === 0
      ? [
          span(padTo(result.toUpperCase(), RESULT_WIDTH), STYLE[result]),
          span(padTo(sanitize(title), TITLE_WIDTH)),
          span(row),
        ]
      : [span(' '.repeat(INDENT)), span(row)],
  );
}

function indented(text: string, style: StyleName, width: number): Line[] {
  return wrap(text, Math.max(20, width - RESULT_WIDTH)).map((row) => [
    span(' '.repeat(RESULT_WIDTH)),
    span(row, style),
  ]);
}

/** What it cost, and how it came out. */
export function closingLine({ outcomes }: ProbeReport): Line {
  const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0);
  const tookMs = outcomes.reduce((sum, outcome) => sum + outcome.tookMs, 0);
  const counts = RESULTS.map((result) => ({ result, count: outcomes.filter((one) => one.result === result).length }));
  return [
    ...counts.filter(({ count }) => count > 0).flatMap(countSpans),
    span(`${requests} request${requests === 1 ? '' : 's'} in ${(tookMs / 1000).toFixed(1)} s`, 'dim'),
  ];
}

function countSpans({ result, count }: { result: CheckResult; count: number }): Line {
  return [span(`${count} `), span(result.toUpperCase(), STYLE[result]), span('  ')];
}

/** How long a client may be away. */
export function budgetLines(budget: Budget, width: number): Line[] {
  const { rows, meets, notes } = budgetWords(budget);
  return [
    [],
    [span('How long a client may be away', 'strong')],
    ...rows.flatMap(({ client, away }): Line[] => [
      [span(`  ${client}`)],
      ...paragraph(`    ${away}`, 'strong', width, 4),
    ]),
    ...paragraph(`  ${meets}`, 'plain', width, 2),
    ...notes.flatMap((note) => paragraph(`  ${note}`, 'dim', width, 2)),
  ];
}

function paragraph(text: string, style: StyleName, width: number, indent: number): Line[] {
  return wrap(text.trim(), Math.max(20, width - indent)).map((row) => [span(' '.repeat(indent)), span(row, style)]);
}

/** What the second path does otherwise than the first; both may lead to different apiservers. */
export function comparedLines(compared: readonly Compared[], width: number): Line[] {
  const different = compared.filter(({ differs, direct, via }) => differs && direct && via);
  if (different.length === 0) {
    const all = compared.every(({ direct, via }) => direct && via);
    const asked = all ? '' : ', as far as both were asked';
    return [[], [span(`The second path answers as the first${asked}.`, 'strong')]];
  }
  return [
    [],
    [span('What the second path does otherwise', 'strong')],
    ...different.flatMap(({ check, direct, via, differs }): Line[] => [
      [
        span(`  ${sanitize(check.title)} `),
        span(
          differs?.kind === 'other' ? 'differs' : (differs?.kind ?? ''),
          differs?.kind === 'worse' ? 'alarm' : 'note',
        ),
        span(differs?.because ? ` (${differs.because})` : '', 'dim'),
      ],
      ...side('direct', direct, width),
      ...side('via', via, width),
    ]),
  ];
}

function side(name: string, outcome: CheckOutcome | undefined, width: number): Line[] {
  if (!outcome) return [];
  const rows = wrap(sanitize(outcome.answer), Math.max(20, width - 18));
  return rows.map(
    (row, index): Line =>
      index === 0
        ? [
            span(`    ${padTo(name, 8)}`, 'dim'),
            span(padTo(outcome.result.toUpperCase(), 6), STYLE[outcome.result]),
            span(row),
          ]
        : [span(' '.repeat(18)), span(row)],
  );
}
