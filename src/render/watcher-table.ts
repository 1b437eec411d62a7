import type { LocalView, RingView, WatcherView } from './local-view.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, type StyleName, span } from './spans.ts';
import { padTo } from './width.ts';

/** From here on the table has all its columns; below, the queues and the resource go. */
const FULL_WIDTH = 88;

/** Less of the ring than this left below a watcher is worth a warning. */
const NEAR_FLOOR = 0.2;

/** One row a watcher, with a heading: whose state, which RV, how far above the floor, the server's queues for it. */
export function watcherTable(view: LocalView, selected: string | undefined, width: number): Line[] {
  const full = width >= FULL_WIDTH;
  const heading = full
    ? '   watcher        resource   state       holds RV   to floor   queues   story'
    : '   watcher        state       holds RV  to floor  story';
  return [
    fitLine([span(heading, 'dim')], width),
    ...view.watchers.map((watcher) => fitLine(watcherRow(watcher, view, watcher.label === selected, full), width)),
  ];
}

/** The same for the smallest screens: ` A LIVE +100   ▸B LIVE +100`, as many in a row as fit. */
export function compactWatchers(view: LocalView, selected: string | undefined, width: number, maxRows: number): Line[] {
  const cell = 17;
  const perRow = Math.max(1, Math.floor(width / cell));
  const rows: Line[] = [];
  for (let i = 0; i < view.watchers.length && rows.length < maxRows; i += perRow) {
    rows.push(
      fitLine(
        view.watchers
          .slice(i, i + perRow)
          .flatMap((watcher) => compactCell(watcher, view, watcher.label === selected, cell)),
        width,
      ),
    );
  }
  return rows;
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

function watcherRow(watcher: WatcherView, view: LocalView, selected: boolean, full: boolean): Line {
  const state = sanitize(watcher.state, 20);
  const queues = watcher.queues ? `${watcher.queues.input}  ${watcher.queues.result}` : '–';
  return [
    span(selected ? ' ▸ ' : '   ', 'strong'),
    span(padTo(`${sanitize(watcher.label, 8)} ${sanitize(watcher.role, 40)}`, 15), selected ? 'strong' : 'plain'),
    ...(full ? [span(padTo(sanitize(watcher.resource, 40), 11), 'dim')] : []),
    span(padTo(state, 11), stateStyle(state)),
    span(padTo(watcher.holdsRv === undefined ? '–' : String(watcher.holdsRv), 9, 'right')),
    span(padTo(floorText(watcher), full ? 11 : 10, 'right'), floorStyle(watcher, view)),
    ...(full ? [span(padTo(queues, 9, 'right'), 'dim')] : []),
    span(`${full ? '   ' : '  '}${sanitize(watcher.story, 200)}`, 'dim'),
  ];
}

function floorText({ toFloor }: WatcherView): string {
  if (toFloor === undefined) return '–';
  return toFloor < 0 ? `−${-toFloor}` : `+${toFloor}`;
}

function floorStyle({ toFloor, resource }: WatcherView, view: LocalView): StyleName {
  if (toFloor === undefined) return 'dim';
  if (toFloor < 0) return 'alarm';
  const ring: RingView | undefined = view.resources.find((each) => each.resource === resource)?.ring;
  const near = ring?.pinned && ring.used >= ring.capacity && toFloor < ring.capacity * NEAR_FLOOR;
  return near ? 'warning' : 'plain';
}

/** Words that say that all is well are green, those that say that history is gone are red; the rest only waits. */
function stateStyle(state: string): StyleName {
  if (state.startsWith('LIVE')) return 'good';
  if (/^(LOST|TERMINATED|REFUSED|SILENT|NO ANSWER)/.test(state)) return 'alarm';
  return state.startsWith('ENDED') ? 'dim' : 'warning';
}
