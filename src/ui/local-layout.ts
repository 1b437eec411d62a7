import { ringRows } from '../render/local-header.ts';
import type { LocalView } from '../render/local-view.ts';
import { type TableRoom, tableRows } from '../render/watcher-table.ts';

/** How the rows of the machine room are shared out. */
export interface LocalLayout {
  /** The small form: one line of header, watchers in cells. */
  small: boolean;
  /** Lines for the apiservers where there are several. */
  replicaRows: number;
  table: TableRoom;
}

/** Narrower than this the table would lose its numbers. */
const LEAST_COLUMNS = 64;
/** What happened is the larger half of the story: the list has at least so many rows. */
const LEAST_BODY = 6;
/** Title, store, the table's heading, three rules, footer, and the row that is always left free. */
const FIXED = 8;
/** Watchers that must have a row each; of more the rest may be counted. */
const LEAST_WATCHERS = 4;

/** What there is to be shown first gets the least that it needs; of the rest the list below keeps half. */
export function localLayout(view: LocalView, columns: number, rows: number): LocalLayout {
  const wanted = { ring: ringRows(view), ...tableRows(view) };
  const least = {
    ring: view.replicas.length > 1 ? 1 : wanted.ring,
    own: Math.min(wanted.own, LEAST_WATCHERS),
  };
  const spare = rows - FIXED - LEAST_BODY - least.ring - least.own;
  if (columns < LEAST_COLUMNS || spare < 0) return smallLayout(rows);
  let left = Math.ceil(spare / 2);
  const take = (most: number) => {
    const taken = Math.max(0, Math.min(most, left));
    left -= taken;
    return taken;
  };
  const replicaRows = least.ring + take(wanted.ring - least.ring);
  const own = least.own + take(wanted.own - least.own);
  return { small: false, replicaRows, table: { own, foreign: take(wanted.foreign) } };
}

/** Cells of watchers: two rows at the least height, more where the screen is only narrow. */
function smallLayout(rows: number): LocalLayout {
  return { small: true, replicaRows: 1, table: { own: Math.max(2, Math.floor((rows - 6) / 4)), foreign: 0 } };
}
