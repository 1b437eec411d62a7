import type { EventOutput } from '../client/output.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { severityStyle } from './finding-block.ts';
import { RecordMaker } from './json.ts';
import { maskText } from './mask-secrets.ts';
import { maskedObject } from './record-fields.ts';
import { sanitize, sanitizeLines } from './sanitize.ts';
import { type Line, type StyleName, span } from './spans.ts';
import { sinceStart, timeOfDay } from './time-format.ts';
import type { TimelineEntry } from './timeline.ts';
import { chop, wrap } from './width.ts';

/** Lines of one detail pane: a 3 MB object would be 100,000 lines that nobody scrolls through. */
const MAX_DETAIL_LINES = 5_000;

const LABEL_WIDTH = 12;
/** Below this a label has a line of its own. */
const NARROW = 60;

/** Everything that is known of one entry, as lines of at most `width` cells: what the row had no room for. */
export function detailLines(entry: TimelineEntry, width: number, since: number | undefined): Line[] {
  const lines = entry.kind === 'finding' ? findingDetail(entry.item.finding, width) : rowDetail(entry, width, since);
  return lines.length <= MAX_DETAIL_LINES
    ? lines
    : [...lines.slice(0, MAX_DETAIL_LINES), [span(` … more than ${MAX_DETAIL_LINES} lines`, 'dim')]];
}

/** The name of an entry, for the rule above its detail. */
export function detailTitle(entry: TimelineEntry): string {
  if (entry.kind === 'finding') return sanitize(entry.item.finding.lines.verdict, 100);
  return `${entry.row.letter} ${entry.row.what}`;
}

function findingDetail(finding: Finding, width: number): Line[] {
  const text = (label: string, value: string) => labelled(label, sanitize(value), width);
  const list = (label: string, values: readonly string[]) =>
    values.flatMap((value, i) => text(i === 0 ? label : '', `· ${value}`));
  const candidates = finding.candidates.map(({ class: name, confidence }) => `${name} (${confidence})`).join(', ');
  return [
    ...labelled(finding.severity, sanitize(finding.title), width, 'strong', severityStyle(finding)),
    ...text('', finding.text),
    [],
    // Evidence may quote half a frame.
    ...list(
      'because',
      finding.evidence.map((entry) => maskText(entry)),
    ),
    ...list('ruled out', finding.ruledOut),
    ...list('next', finding.next),
    [],
    ...text('could be', candidates),
    ...text(
      'facts',
      Object.entries(finding.facts)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    ),
    ...(finding.explainedBy === undefined ? [] : text('explained by', `finding ${finding.explainedBy}`)),
  ];
}

function rowDetail(entry: TimelineEntry & { kind: 'row' }, width: number, since: number | undefined): Line[] {
  const { item, row } = entry;
  const time = since === undefined ? `${timeOfDay(row.at)} UTC` : sinceStart(row.at - since, 3);
  if (item.kind === 'event') return eventDetail(item, time, width);
  const record = new RecordMaker({ object: false }).record(item);
  const json = record ? JSON.stringify(record, null, 2) : '';
  return [...field('time', time, width), ...field('what', row.what, width), [], ...jsonLines(json, width)];
}

function eventDetail(event: EventOutput, time: string, width: number): Line[] {
  const { fields } = event;
  const about: [string, string | number | undefined][] = [
    ['time', time],
    ['type', fields.type],
    ['kind', [fields.apiVersion, fields.kind].filter(Boolean).join(' ')],
    ['namespace', fields.namespace],
    ['name', fields.name],
    ['uid', fields.uid],
    ['RV', fields.rv],
    ['step', event.rvStep],
    ['stream', event.stream],
    ['bytes', event.bytes],
  ];
  const known = about.filter(([, value]) => value !== undefined && value !== '');
  return [
    ...known.flatMap(([label, value]) => field(label, sanitize(String(value)), width)),
    [],
    ...(event.raw.byteLength === 0 ? [[span(' the raw frame is no longer kept', 'dim')]] : rawLines(event, width)),
  ];
}

function rawLines(event: EventOutput, width: number): Line[] {
  const object = maskedObject(event);
  if (object === undefined) return [[span(' the raw frame is no JSON that can be shown safely', 'dim')]];
  return jsonLines(JSON.stringify({ type: event.fields.type, object }, null, 2), width);
}

/** Pretty-printed JSON; a line that is too long goes on below. */
function jsonLines(json: string, width: number): Line[] {
  return sanitizeLines(json, MAX_DETAIL_LINES).flatMap((line) =>
    chop(line, Math.max(1, width - 2)).map((piece): Line => [span(' '), span(piece)]),
  );
}

/** A short value beside its label, at every width. */
function field(label: string, value: string, width: number): Line[] {
  return chop(value, Math.max(8, width - LABEL_WIDTH - 2)).map((line, i) => [
    span(` ${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}`, 'dim'),
    span(line),
  ]);
}

/** A label and its text beside it; where there is no room for that, the text below it. */
function labelled(
  label: string,
  value: string,
  width: number,
  style: StyleName = 'plain',
  labelStyle: StyleName = 'dim',
): Line[] {
  if (width < NARROW) {
    const lines = wrap(value, width - 3).map((line): Line => [span('  '), span(line, style)]);
    return label === '' ? lines : [[span(` ${label}`, labelStyle)], ...lines];
  }
  return wrap(value, width - LABEL_WIDTH - 2).map((line, i) => [
    span(` ${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}`, labelStyle),
    span(line, style),
  ]);
}
