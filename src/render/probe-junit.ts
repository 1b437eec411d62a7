import { budgetWords } from '../probe/budget-words.ts';
import type { CheckOutcome, ProbeReport } from '../probe/check.ts';
import type { Compared } from '../probe/via.ts';
import { rfc3339 } from './time-format.ts';

/** Characters of one text that go into the report. */
const MAX_TEXT = 4_000;

/**
 * The report as JUnit XML, one test case a check, for CI: `fail` is a failure, `skip` is skipped, everything else passes and
 * says what was measured in `system-out`. A second path is a second test suite; what differs is said there.
 */
export function junitLines(
  report: ProbeReport,
  via?: { report: ProbeReport; compared: readonly Compared[] },
): string[] {
  const suites = [suite(report, []), ...(via ? [suite(via.report, via.compared)] : [])];
  const reports = [report, ...(via ? [via.report] : [])];
  const all = reports.flatMap(({ outcomes }) => outcomes);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kwatch probe" ${totals(all)}>`,
    ...suites.flat(),
    '</testsuites>',
  ];
}

function suite(
  { server, resource, startedAt, outcomes, budget }: ProbeReport,
  compared: readonly Compared[],
): string[] {
  const name = attribute(`${resource} at ${server}`);
  // JUnit's schema has no zone and no fraction.
  const at = attribute(rfc3339(startedAt).slice(0, 19));
  const difference = new Map(compared.map((one) => [one.check.id, one]));
  return [
    `  <testsuite name="${name}" timestamp="${at}" ${totals(outcomes)}>`,
    ...outcomes.flatMap((outcome) => testCase(outcome, resource, difference.get(outcome.check.id))),
    ...(budget ? output('    ', budgetText(budget)) : []),
    '  </testsuite>',
  ];
}

function testCase(outcome: CheckOutcome, resource: string, compared: Compared | undefined): string[] {
  const { check, result, answer, tookMs } = outcome;
  const name = attribute(check.title);
  const className = attribute(`kwatch.probe.${resource}.${check.half}.${check.id}`);
  const inner = [
    ...(result === 'fail'
      ? [`      <failure message="${attribute(answer)}">${text(explanation(outcome))}</failure>`]
      : []),
    ...(result === 'skip' ? [`      <skipped message="${attribute(answer)}"/>`] : []),
    ...output('      ', systemOut(outcome, compared)),
  ];
  return [
    `    <testcase name="${name}" classname="${className}" time="${seconds(tookMs)}">`,
    ...inner,
    '    </testcase>',
  ];
}

function systemOut(outcome: CheckOutcome, compared: Compared | undefined): string {
  const { result, answer, facts } = outcome;
  const differs = compared?.differs;
  return [
    `${result}: ${answer}`,
    ...(result === 'fail' ? [] : [explanation(outcome)].filter((line) => line !== '')),
    ...Object.entries(facts).map(([key, value]) => `${key}: ${value}`),
    ...(differs && compared?.direct
      ? [`differs from the first path: ${compared.direct.result}: ${compared.direct.answer}`, differs.because ?? '']
      : []),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function explanation({ detail, next }: CheckOutcome): string {
  return [detail, next === undefined ? undefined : `next: ${next}`].filter((one) => one !== undefined).join('\n');
}

function budgetText(budget: NonNullable<ProbeReport['budget']>): string {
  const { rows, meets, notes } = budgetWords(budget);
  return [
    'budget: how long a client may be away',
    ...rows.map(({ client, away }) => `${client}: ${away}`),
    meets,
    ...notes,
  ].join('\n');
}

function output(indent: string, body: string): string[] {
  return body === '' ? [] : [`${indent}<system-out>${text(body)}</system-out>`];
}

function totals(outcomes: readonly CheckOutcome[]): string {
  const count = (result: CheckOutcome['result']) => outcomes.filter((one) => one.result === result).length;
  const took = outcomes.reduce((sum, { tookMs }) => sum + tookMs, 0);
  return `tests="${outcomes.length}" failures="${count('fail')}" errors="0" skipped="${count('skip')}" time="${seconds(took)}"`;
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

/** Without what XML 1.0 cannot hold at all: controls, lone surrogates, U+FFFE and U+FFFF. */
function legal(value: string): string {
  return value.slice(0, MAX_TEXT).replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
}

/** Also what is legal but can hide or reorder text where a report is shown. */
function shown(value: string): string {
  return legal(value).replace(/[\p{Cf}\x7f-\x9f]/gu, '');
}

function text(value: string): string {
  return shown(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function attribute(value: string): string {
  return text(value).replaceAll('"', '&quot;').replace(/\s+/g, ' ');
}
