import type { Explanation } from '../explain/explain.ts';
import { type JsonRecord, SCHEMA } from './json.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, type StyleName, span } from './spans.ts';
import { rfc3339 } from './time-format.ts';
import { wrap } from './width.ts';

const HARM_WORDS: Record<Explanation['harm'], { text: string; style: StyleName }> = {
  'harmless-once': { text: 'harmless if it comes once: the client heals by itself', style: 'good' },
  act: { text: 'somebody has to act', style: 'alarm' },
  depends: { text: 'the text alone does not decide whether it is harmless', style: 'warning' },
};

/** Width of the text of an explanation: comfortable to read, and what a terminal has. */
const TEXT_WIDTH = 76;

/** An explanation for people: the title, whether anybody has to act, the text, the numbers, what to look at next. */
export function explanationLines(explanation: Explanation): Line[] {
  const { title, harm, text, next, facts, confidence, refusedBy } = explanation;
  const { text: harmText, style } = HARM_WORDS[harm];
  const lines: Line[] = [
    ...wrap(sanitize(title), TEXT_WIDTH).map((row): Line => [span(row, 'strong')]),
    [span(harmText, style)],
    [span(`${explanation.class}, ${confidence}${refusedBy === null ? '' : ` · refused by ${refusedBy}`}`, 'dim')],
    [],
    ...wrap(sanitize(text), TEXT_WIDTH).map((row): Line => [span(row)]),
  ];
  const numbers = Object.entries(facts);
  if (numbers.length > 0)
    lines.push(
      [],
      ...numbers.map(
        ([name, value]): Line => fitLine([span(`  ${sanitize(name)} `, 'dim'), span(sanitize(value, 200))], TEXT_WIDTH),
      ),
    );
  if (next.length > 0) lines.push([], ...next.flatMap(nextLines));
  return lines;
}

function nextLines(step: string): Line[] {
  return wrap(sanitize(step), TEXT_WIDTH - 4).map(
    (row, index): Line => [span(index === 0 ? '  → ' : '    ', 'dim'), span(row)],
  );
}

/** The records of one question (contract §6): the explanation, then the summary. `at`: ms; `lines`: of the input. */
export function explanationRecords(
  explanation: Explanation,
  at: number,
  lines: number,
  exitCode: number,
): JsonRecord[] {
  const { class: name, candidates, confidence, refusedBy, harm, title, text, next, facts } = explanation;
  const head = { schema: SCHEMA, at: rfc3339(at) } as const;
  const known = name !== 'unknown';
  return [
    {
      record: 'explanation',
      ...head,
      class: name,
      candidates,
      confidence,
      refused_by: refusedBy,
      harm,
      title,
      text,
      next,
      facts,
    },
    { ...questionSummary(at), lines, matched: known ? 1 : 0, groups: known ? 1 : 0, harm, exit_code: exitCode },
  ];
}

/** The summary of a question without a text (`--rv` alone). */
export function questionSummary(at: number): JsonRecord {
  return {
    record: 'summary',
    schema: SCHEMA,
    at: rfc3339(at),
    lines: 0,
    matched: 0,
    groups: 0,
    harm: null,
    exit_code: 0,
  };
}
