const EDGE = { left: '▕', right: '▏' };
const FULL = '█';
/** Eighths of a cell, so that a ring of 100 can be seen to fill in a gauge of 12. */
const PART = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * How full the ring is: `▕████▌     ▏`, in `width` cells (edges included). It fills from the left once and then stays
 * full.
 */
export function ringGauge(used: number, capacity: number, width: number): string {
  const cells = Math.max(1, width - 2);
  const eighths = capacity > 0 ? Math.round(Math.min(1, Math.max(0, used / capacity)) * cells * 8) : 0;
  const bar = FULL.repeat(Math.floor(eighths / 8)) + (PART[eighths % 8] ?? '');
  return EDGE.left + bar.padEnd(cells) + EDGE.right;
}

/**
 * Where an RV stands between the window's floor (left edge) and its newest (right edge): dots are how far the floor may
 * still come, blocks are what happened after it. `place` 0 … 1; outside of it the mark stays at the edge.
 */
export function windowGauge(place: number, width: number): string {
  const cells = Math.max(1, width - 2);
  const at = Math.round(Math.min(1, Math.max(0, Number.isFinite(place) ? place : 1)) * (cells - 1));
  return EDGE.left + '·'.repeat(at) + PART[6] + FULL.repeat(cells - 1 - at) + EDGE.right;
}

/** Labels of watchers over the ring, each where its RV stands; those that are lost or have no RV are left out. */
export function ringMarks(
  marks: readonly { label: string; rv: number }[],
  ring: { oldest: number; newest: number },
  width: number,
): string {
  const cells = Math.max(1, width - 2);
  const line = Array.from({ length: cells }, () => ' ');
  const span = Math.max(1, ring.newest - ring.oldest);
  for (const { label, rv } of marks) {
    if (rv < ring.oldest || rv > ring.newest) continue;
    let at = Math.round(((rv - ring.oldest) / span) * (cells - 1));
    while (at > 0 && line[at] !== ' ') at -= 1;
    line[at] = label.slice(0, 1);
  }
  return ` ${line.join('')} `;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** A series as blocks, scaled to its own maximum; the last value is at the right. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  return values.map((value) => LEVELS[Math.min(7, Math.max(0, Math.round((value / most) * 7)))]).join('');
}
