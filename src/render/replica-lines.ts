import type { CachedResourceView, LocalView, ReplicaView, RingView } from './local-view.ts';
import { gateSpan, shownRing, troubleOf } from './replica-words.ts';
import { ringGauge } from './ring-gauge.ts';
import { ringRange, shortRingWords } from './ring-words.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, span } from './spans.ts';
import { padTo } from './width.ts';

/** Width of an apiserver's name: a colon and a port. */
const NAME_WIDTH = 7;
/** Narrower than this only the floor is said: it is what differs where somebody loses history. */
const RANGE_WIDTH = 76;
/** Below this a gauge says less than the numbers beside it. */
const LEAST_GAUGE = 8;
const MAX_GAUGE = 80;

/**
 * Several apiservers over one store, a line each: their gates, upstreams and rings of the same resource one below the
 * other, so that different floors and lags are seen. Of more than `rows` the rest is counted.
 */
export function replicaLines(view: LocalView, selected: string | undefined, width: number, rows: number): Line[] {
  const { replica: mine, cached } = shownRing(view, selected);
  const resource = cached?.resource;
  const shown = choose(view.replicas, mine, view.replicas.length > rows ? Math.max(0, rows - 1) : rows);
  const ahead = Math.max(...view.replicas.map((each) => positionOf(ringOf(each, resource)) ?? 0));
  const lines = replicaRows(shown, { mine: shown.length > 1 ? mine : undefined, resource, ahead }, width);
  const rest = view.replicas.filter((each) => !shown.includes(each));
  if (rest.length > 0) lines.push(restLine(rest, resource, shown.length === 0));
  return lines.map((line) => fitLine(line, width));
}

/** The first ones that fit, and always the one that the selected watcher is on. */
function choose(replicas: readonly ReplicaView[], mine: ReplicaView | undefined, rows: number): ReplicaView[] {
  const first = replicas.slice(0, rows);
  if (rows === 0 || mine === undefined || first.includes(mine)) return first;
  return [...first.slice(0, -1), mine];
}

interface Common {
  /** The one that serves the selected watcher. */
  mine: ReplicaView | undefined;
  resource: string | undefined;
  /** The newest RV that any of them has. */
  ahead: number;
}

/** Columns that are as wide in each row, so that the gauges stand one below the other: all of them, or none. */
function replicaRows(shown: readonly ReplicaView[], common: Common, width: number): Line[] {
  const rows = shown.map((replica) => rowOf(replica, common, width));
  const widest = (of: (row: ReplicaRow) => Line) => Math.max(0, ...rows.map((row) => lineWidth(of(row))));
  const [gate, upstream, words] = [
    widest((row) => row.gate),
    widest((row) => row.upstream),
    widest((row) => row.words),
  ];
  const room = width - (NAME_WIDTH + 2) - (gate + 2) - (upstream + 2) - (words + 1) - widest((row) => row.tail);
  return rows.map((row) => {
    const start = [...row.name, ...padded(row.gate, gate + 2), ...padded(row.upstream, upstream + 2)];
    if (!row.ring) return start;
    const gauge = Math.min(MAX_GAUGE, room);
    const bar = gauge < LEAST_GAUGE ? '' : ringGauge(row.ring.used, row.ring.capacity, gauge);
    return [...start, ...padded(row.words, words + 1), span(bar, 'dim'), ...row.tail];
  });
}

/** The parts of one row, before they are laid below each other. */
interface ReplicaRow {
  name: Line;
  gate: Line;
  upstream: Line;
  words: Line;
  ring: RingView | undefined;
  tail: Line;
}

function rowOf(replica: ReplicaView, { mine, resource, ahead }: Common, width: number): ReplicaRow {
  const cached = ringOf(replica, resource);
  const trouble = troubleOf(replica, cached);
  const isMine = replica === mine;
  return {
    name: [
      span(isMine ? '▸' : ' ', 'strong'),
      span(`${padTo(sanitize(replica.name, NAME_WIDTH), NAME_WIDTH)} `, isMine ? 'strong' : 'plain'),
    ],
    gate: cached ? [gateSpan(cached), span(` gen ${cached.generation}`, 'dim')] : [span('–', 'dim')],
    upstream: [trouble ? span(trouble, 'alarm') : span('connected')],
    ring: cached?.ring,
    words: cached ? [span(shortRingWords(cached.ring))] : [],
    tail: cached ? tailOf(cached, ahead, width) : [],
  };
}

function tailOf(cached: CachedResourceView, ahead: number, width: number): Line {
  const lag = ahead - (positionOf(cached) ?? 0);
  const range = width < RANGE_WIDTH ? [span(` floor ${cached.ring.floor} `)] : ringRange(cached.ring);
  return [...range, ...(lag > 0 ? [span(`lag ${lag} `, 'warning')] : [])];
}

function padded(line: Line, width: number): Line {
  return [...line, span(' '.repeat(Math.max(0, width - lineWidth(line))))];
}

function restLine(rest: readonly ReplicaView[], resource: string | undefined, all: boolean): Line {
  const isBad = (each: ReplicaView) => {
    const cached = ringOf(each, resource);
    return troubleOf(each, cached) !== undefined || cached?.ready === false;
  };
  const bad = rest.filter(isBad).length;
  return [
    span(` … ${rest.length} ${all ? 'apiservers' : 'more'}, `, 'dim'),
    bad > 0 ? span(`${bad} of them not ready or cut off`, 'warning') : span('all READY and connected', 'dim'),
  ];
}

function ringOf({ resources }: ReplicaView, resource: string | undefined): CachedResourceView | undefined {
  return resources.find((each) => each.resource === resource);
}

/** How far a cache has come: its newest event, or its list where no event came since. */
function positionOf(cached: CachedResourceView | undefined): number | undefined {
  return cached?.ring.newest ?? cached?.ring.floor;
}
