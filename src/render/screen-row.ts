import { MARK, type Row } from './row.ts';
import { fitLine, type Line, span } from './spans.ts';
import { delta, sinceStart, timeOfDay } from './time-format.ts';
import { padTo, textWidth, wrap } from './width.ts';

export interface RowOptions {
  width: number;
  /** Times are shown since this moment; absent: time of day, UTC. */
  since: number | undefined;
  selected: boolean;
  /** Width of the label column; 0: none. */
  labelWidth: number;
  /** Whom the row is about. */
  label?: string | undefined;
}

/** An event's row is no longer than this, however wide the screen: beyond it the eye loses the line on its way to the RV. */
const MAX_ROW = 160;

/** From here on a row has all its columns; below, Δ goes first, then the RV and the milliseconds. */
const FULL_WIDTH = 72;
const MIDDLE_WIDTH = 56;

const RV_WIDTH = 9;
const STEP_WIDTH = 7;

/** A note is a sentence for people: so many lines of it, and no more, where it does not fit into one. */
const NOTE_LINES = 2;

/** A row of the event list, at most `width` cells wide: time, Δ, letter, what, RV, step; a note may go on below. */
export function rowLines(row: Row, deltaMs: number | undefined, options: RowOptions): Line[] {
  const { width } = options;
  const start = [span(options.selected ? '▸' : ' ', 'strong'), ...timeColumns(row, deltaMs, options)];
  const label = options.labelWidth > 0 ? padTo(options.label ?? row.targetName ?? '', options.labelWidth) : '';
  const gap = width >= FULL_WIDTH ? '  ' : ' ';
  const letter = span(row.letter, row.style);
  const used =
    1 +
    start.slice(1).reduce((sum, { text }) => sum + text.length, 0) +
    1 +
    gap.length +
    textWidth(label) +
    (label ? 1 : 0);
  const before = [...start, letter, span(gap), ...(label ? [span(`${label} `, 'dim')] : [])];
  const room = Math.min(width, MAX_ROW) - used;
  if (row.isEvent && row.letter !== 'E') {
    return [fitLine([...before, ...eventColumns(row, room, width, options.selected)], width)];
  }
  const style = row.letter === 'E' ? 'alarm' : row.style;
  const whole = width - used;
  if (row.letter !== MARK.note || width < FULL_WIDTH || textWidth(row.what) <= whole) {
    return [fitLine([...before, span(row.what, style)], width)];
  }
  const [first = '', ...rest] = wrap(row.what, whole);
  // What does not fit into the last line is cut there.
  const last = rest.slice(NOTE_LINES - 2).join(' ');
  const below = [...rest.slice(0, NOTE_LINES - 2), last].map((text) => [span(' '.repeat(used)), span(text, style)]);
  return [[...before, span(first, style)], ...below].map((line) => fitLine(line, width));
}

function timeColumns(row: Row, deltaMs: number | undefined, { width, since }: RowOptions): Line {
  const full = since === undefined ? timeOfDay(row.at) : sinceStart(row.at - since).padStart(6);
  const time = since === undefined && width < MIDDLE_WIDTH ? full.slice(0, 8) : full;
  if (width < FULL_WIDTH) return [span(`${time} `, 'dim')];
  const passed = deltaMs === undefined ? '' : delta(deltaMs);
  return [span(`${time} ${passed.padStart(6)}  `, 'dim')];
}

function eventColumns(row: Row, room: number, width: number, selected: boolean): Line {
  const rv = width >= MIDDLE_WIDTH ? ` ${(row.rv ?? '').padStart(RV_WIDTH)}` : '';
  const step = (row.step ?? '').padStart(STEP_WIDTH);
  const whatWidth = Math.max(4, room - textWidth(rv) - textWidth(step));
  if (row.letter === 'B') {
    const end = rv.trimStart();
    const line = bookmarkRule(row.what, whatWidth + textWidth(rv) - textWidth(end) - (end ? 1 : 0));
    return [span(line, row.style), span(end ? ` ${end}` : ''), span(step, 'dim')];
  }
  const style = selected && row.style === 'modified' ? 'strong' : row.style;
  return [span(padTo(row.what, whatWidth), style), span(rv), span(step, 'dim')];
}

/** A bookmark is drawn as a rule across the row: nothing happened up to here. */
function bookmarkRule(what: string, width: number): string {
  const line = width - textWidth(what) - 1;
  return line > 3 ? `${what} ${'─'.repeat(line)}` : padTo(what, width);
}
