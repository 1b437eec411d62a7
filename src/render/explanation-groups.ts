import type { Harm } from '../explain/explain.ts';
import type { LogGroup, LogReport } from '../explain/log-survey.ts';
import type { LogTime } from '../explain/log-time.ts';
import { type JsonRecord, SCHEMA } from './json.ts';
import { prune } from './record-fields.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, type StyleName, span } from './spans.ts';
import { rfc3339 } from './time-format.ts';
import { wrap } from './width.ts';

/** What is told of a whole log beside its groups. */
export interface LogEnvelope {
  /** When it is told, ms. */
  at: number;
  lines: number;
  longLines: number;
  /** How the text was read, a sentence each. */
  notes: readonly string[];
  exitCode: number;
}

/** A time as the log has it: RFC 3339 in UTC; without a zone, a year or a date where the log has none. */
export function logTime(time: LogTime): string {
  const full = rfc3339(time.ms);
  switch (time.scale) {
    case 'utc':
      return full;
    case 'local':
      return full.slice(0, -1);
    case 'yearless':
      return full.slice('2024-'.length, -1);
    case 'clock':
      return full.slice('1970-01-01T'.length, -1);
  }
}

/** Characters of the example in a record, and on a screen. */
const SAMPLE_IN_RECORD = 500;
const SAMPLE_ON_SCREEN = 220;

/** The records of a log (contract §6): a group a class, most serious first, then the summary. */
export function logRecords(report: LogReport, envelope: LogEnvelope): JsonRecord[] {
  const head = { schema: SCHEMA, at: rfc3339(envelope.at) } as const;
  const groups = report.groups.map((group) => prune({ record: 'group', ...head, ...groupFields(group) }) as JsonRecord);
  const notes = allNotes(envelope);
  return [
    ...groups,
    prune({
      record: 'summary',
      ...head,
      lines: envelope.lines,
      matched: report.matched,
      groups: report.groups.length,
      from: report.from && logTime(report.from),
      to: report.to && logTime(report.to),
      harm: report.harm ?? null,
      notes: notes.length > 0 ? notes : undefined,
      exit_code: envelope.exitCode,
    }) as JsonRecord,
  ];
}

function groupFields(group: LogGroup): Record<string, unknown> {
  return {
    class: group.class,
    count: group.count,
    first: group.first && logTime(group.first),
    last: group.last && logTime(group.last),
    distinct_reflectors: group.distinctReflectors,
    reflectors: group.reflectors.map(({ name, count }) => ({ name: sanitize(name, 200), count })),
    capped: group.capped || undefined,
    apiservers: group.servers || undefined,
    refused_by: group.refusedBy,
    harm: group.harm,
    title: group.title,
    text: group.text,
    next: group.next,
    facts: group.facts,
    sample: sanitize(group.sample, SAMPLE_IN_RECORD),
  };
}

const HARM_MARK: Record<Harm, { text: string; style: StyleName }> = {
  act: { text: 'SOMEBODY HAS TO ACT', style: 'alarm' },
  depends: { text: 'IT DEPENDS', style: 'warning' },
  'harmless-once': { text: 'HARMLESS', style: 'good' },
};

/** A log for people, in at most `width` columns: most serious first. */
export function logLines(report: LogReport, envelope: LogEnvelope, width: number): Line[] {
  const lines = [
    ...headline(report, envelope, width),
    ...report.groups.flatMap((group) => [[], ...groupLines(group, width)]),
  ];
  if (report.groups.length === 0) lines.push(...paragraph(NOTHING, width, '', 'dim'));
  return [...lines, ...allNotes(envelope).flatMap((note) => paragraph(`Note: ${note}.`, width, '', 'dim'))];
}

const NOTHING =
  'That proves little: since 1.16, client-go tells of an expired watch at -v=4 only, and most clients resume in silence. kwatch tail RESOURCE watches the same thing live.';

function headline(report: LogReport, { lines }: LogEnvelope, width: number): Line[] {
  const count = report.groups.length;
  const first =
    count === 0
      ? `No watch trouble is recognised in ${amount(lines, 'line')}.`
      : `${amount(report.matched, 'record')} of watch trouble in ${amount(lines, 'line')}: ${amount(count, 'kind')}, most serious first.`;
  const span = report.from && report.to ? [`${readable(report.from)} to ${readable(report.to)}`] : [];
  return [...paragraph(first, width, '', 'strong'), ...span.flatMap((text) => paragraph(text, width, '', 'dim'))];
}

function groupLines(group: LogGroup, width: number): Line[] {
  const mark = HARM_MARK[group.harm];
  const refuser = group.refusedBy === null ? '' : ` · refused by ${group.refusedBy}`;
  const when = group.first && group.last ? [`${readable(group.first)} to ${readable(group.last)}`] : [];
  const by = group.reflectors.map(({ name, count }) => `${sanitize(name, 120)} (${count} ×)`);
  const rest = group.distinctReflectors - by.length;
  const told = rest > 0 ? [...by, `${rest} more`] : by;
  return [
    fitLine([span(`${mark.text} `, mark.style), span(`· ${group.class}${refuser}`, 'dim')], width),
    ...paragraph(group.title, width, '  ', 'strong'),
    ...paragraph(group.text, width, '  ', 'plain'),
    ...when.flatMap((text) => paragraph(text, width, '  ', 'dim')),
    ...(told.length > 0 ? paragraph(`by ${told.join(', ')}`, width, '  ', 'dim') : []),
    ...paragraph(`e.g. ${sanitize(group.sample, SAMPLE_ON_SCREEN)}`, width, '  ', 'dim'),
    ...group.next.flatMap((step) => steps(step, width)),
  ];
}

function steps(step: string, width: number): Line[] {
  return wrap(sanitize(step), Math.max(20, width - 4)).map(
    (row, index): Line => [span(index === 0 ? '  → ' : '    ', 'dim'), span(row)],
  );
}

function paragraph(text: string, width: number, indent: string, style: StyleName): Line[] {
  return wrap(sanitize(text), Math.max(20, width - indent.length)).map((row): Line => [span(`${indent}${row}`, style)]);
}

/** For people: a space for the `T`, and what the time does not say is told. */
function readable(time: LogTime): string {
  const text = logTime(time).replace('T', ' ').replace('Z', ' UTC');
  return time.scale === 'local' ? `${text} (no zone)` : text;
}

function allNotes({ notes, longLines }: LogEnvelope): string[] {
  const cut =
    longLines > 0 ? [`${amount(longLines, 'line')} of more than 64 KiB: only the beginning and the end were read`] : [];
  return [...notes, ...cut].map((note) => sanitize(note, 500));
}

/** `1 line`, `1,034 lines`. */
function amount(count: number, one: string): string {
  const digits = String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${digits} ${count === 1 ? one : `${one}s`}`;
}
