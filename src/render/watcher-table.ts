import type { LocalView, WatcherView } from './local-view.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, type StyleName, span } from './spans.ts';
import { padTo } from './width.ts';

/** From here on the table has all its columns; below, the queues and the resource go. */
const FULL_WIDTH = 88;

/** Less of the ring than this left below a watcher is worth a warning. */
const NEAR_FLOOR = 0.2;
/** A queue that is fuller than this will soon cost its watcher the connection. */
const FULL_QUEUE = 0.8;

/** One cell of the smallest screens: ` C TERMINATED −146`. */
const COMPACT_CELL = 19;

/** How many rows there are for the lab's own watchers, and for those from outside. */
export interface TableRoom {
  own: number;
  foreign: number;
}

/** The most that the table can use. */
export function tableRows({ watchers, foreign }: LocalView): TableRoom {
  return { own: Math.max(1, watchers.length), foreign: foreign.total };
}

interface Columns {
  /** With the columns `resource` and `queues`. */
  full: boolean;
  /** With the apiserver that serves it. */
  replica: boolean;
}

/**
 * One row a watcher, with a heading: whose state, which RV, how far above the floor, the server's queues for it. Where
 * `room` is not enough the rest is counted; the selected one is always among those that are shown.
 */
export function watcherTable(view: LocalView, selected: string | undefined, width: number, room: TableRoom): Line[] {
  const columns = { full: width >= FULL_WIDTH, replica: view.replicas.length > 1 };
  const row = (watcher: WatcherView) => watcherRow(watcher, view, watcher.label === selected, columns);
  const own = around(view.watchers, selected, room.own);
  const lines = [
    [span(heading(columns), 'dim')],
    ...own.shown.map(row),
    ...(own.hidden > 0 ? [moreLine(`${own.hidden} more watchers, tab goes through them`)] : []),
    ...(view.watchers.length === 0 ? [moreLine('no watchers of its own')] : []),
    ...foreignLines(view, room.foreign, row),
  ];
  return lines.map((line) => fitLine(line, width));
}

/** The same for the smallest screens: ` A LIVE +100   ▸B LIVE +100`, as many in a row as fit. */
export function compactWatchers(view: LocalView, selected: string | undefined, width: number, maxRows: number): Line[] {
  const perRow = Math.max(1, Math.floor(width / COMPACT_CELL));
  const cell = Math.floor(width / perRow);
  const all = [...view.watchers, ...view.foreign.some];
  const { shown } = around(all, selected, perRow * maxRows, 0);
  const rows: Line[] = [];
  for (let i = 0; i < shown.length; i += perRow) {
    const cells = shown
      .slice(i, i + perRow)
      .flatMap((watcher) => compactCell(watcher, view, watcher.label === selected, cell));
    rows.push(fitLine(cells, width));
  }
  return rows;
}

/** At most `room` of `all`, one of them less where the rest has to be counted; the selected one is among them. */
function around<T extends { label: string }>(
  all: readonly T[],
  selected: string | undefined,
  room: number,
  counting = 1,
): { shown: readonly T[]; hidden: number } {
  if (all.length <= room) return { shown: all, hidden: 0 };
  const rows = Math.max(1, room - counting);
  const at = Math.max(
    0,
    all.findIndex(({ label }) => label === selected),
  );
  const from = Math.min(Math.max(0, at - rows + 1), all.length - rows);
  return { shown: all.slice(from, from + rows), hidden: all.length - rows };
}

function foreignLines({ foreign }: LocalView, room: number, row: (watcher: WatcherView) => Line): Line[] {
  if (room <= 0 || foreign.total === 0) return [];
  const fits = foreign.total <= room && foreign.some.length === foreign.total;
  const shown = fits ? foreign.some : foreign.some.slice(0, room - 1);
  const rest = foreign.total - shown.length;
  const words = shown.length > 0 ? `${rest} more from outside` : `${rest} watchers from outside`;
  return [...shown.map(row), ...(rest > 0 ? [moreLine(words)] : [])];
}

function moreLine(words: string): Line {
  return [span(`   … ${words}`, 'dim')];
}

function heading({ full, replica }: Columns): string {
  const on = replica ? 'on     ' : '';
  return full
    ? `   watcher         resource   ${on}state       holds RV  to floor   queues   story`
    : `   watcher        ${on}state       holds RV  to floor  story`;
}

function watcherRow(watcher: WatcherView, view: LocalView, selected: boolean, { full, replica }: Columns): Line {
  const { queues } = watcher;
  const lengths = queues ? `${String(queues.input).padStart(3)}${String(queues.result).padStart(4)}` : '–';
  return [
    span(selected ? ' ▸ ' : '   ', 'strong'),
    span(`${padTo(nameOf(watcher), full ? 15 : 14)} `, selected ? 'strong' : 'plain'),
    ...(full ? [span(`${padTo(sanitize(watcher.resource, 40), 10)} `, 'dim')] : []),
    ...(replica ? [span(padTo(sanitize(watcher.replica ?? '–', 8), 7), 'dim')] : []),
    span(padTo(stateText(watcher), 11), stateStyle(watcher.state)),
    span(padTo(watcher.holdsRv === undefined ? '–' : String(watcher.holdsRv), 9, 'right')),
    span(padTo(floorText(watcher), 10, 'right'), floorStyle(watcher, view)),
    ...(full ? [span(padTo(lengths, 9, 'right'), queueStyle(watcher))] : []),
    span(`${full ? '   ' : '  '}${sanitize(watcher.story, 200)}`, 'dim'),
  ];
}

function nameOf({ label, role }: WatcherView): string {
  return `${sanitize(label, 8)} ${sanitize(role, 40)}`;
}

function compactCell(watcher: WatcherView, view: LocalView, selected: boolean, width: number): Line {
  const state = sanitize(watcher.state, 16);
  const floor = floorText(watcher);
  const name = `${selected ? '▸' : ' '}${sanitize(watcher.label, 2)} `;
  const rest = Math.max(0, width - name.length - state.length - 1);
  return [
    span(name, selected ? 'strong' : 'plain'),
    span(state, stateStyle(state)),
    span(` ${padTo(floor === '–' ? '' : floor, rest)}`, floorStyle(watcher, view)),
  ];
}

/** `LOST −400`: with the loss, where it is known. */
function stateText(watcher: WatcherView): string {
  const state = sanitize(watcher.state, 20);
  return state === 'LOST' && watcher.toFloor !== undefined ? `${state} ${floorText(watcher)}` : state;
}

function floorText({ toFloor }: WatcherView): string {
  if (toFloor === undefined) return '–';
  return toFloor < 0 ? `−${-toFloor}` : `+${toFloor}`;
}

function floorStyle({ toFloor, resource, replica }: WatcherView, view: LocalView): StyleName {
  if (toFloor === undefined) return 'dim';
  if (toFloor < 0) return 'alarm';
  const served = view.replicas.find(({ name }) => name === replica) ?? view.replicas[0];
  const ring = served?.resources.find((each) => each.resource === resource)?.ring;
  const near = ring?.pinned && ring.used >= ring.capacity && toFloor < ring.capacity * NEAR_FLOOR;
  return near ? 'warning' : 'plain';
}

function queueStyle({ queues }: WatcherView): StyleName {
  if (!queues || queues.input <= 0) return 'dim';
  return queues.input >= queues.size * FULL_QUEUE ? 'alarm' : 'warning';
}

/** Words that say that all is well are green, those that say that history is gone are red; the rest only waits. */
function stateStyle(state: string): StyleName {
  if (state.startsWith('LIVE')) return 'good';
  if (/^(LOST|TERMINATED|CLOSED|REFUSED|SILENT|NO ANSWER)/.test(state)) return 'alarm';
  return state.startsWith('ENDED') ? 'dim' : 'warning';
}
