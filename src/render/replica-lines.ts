import type { CachedResourceView, LocalView, ReplicaView } from './local-view.ts';
import { gateSpan, shownRing, troubleOf } from './replica-words.ts';
import { ringGauge } from './ring-gauge.ts';
import { ringRange, ringWords } from './ring-words.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, span } from './spans.ts';
import { padTo, textWidth } from './width.ts';

/** Width of an apiserver's name: a colon and a port. */
const NAME_WIDTH = 7;
/** `SHUTTING DOWN` is the longest of what may stand here. */
const UPSTREAM_WIDTH = 13;
const LEAST_GAUGE = 8;

/**
 * Several apiservers over one store, a line each: their gates, upstreams and rings of the same resource one below the
 * other, so that different floors and lags are seen. Of more than `rows` the rest is counted.
 */
export function replicaLines(view: LocalView, selected: string | undefined, width: number, rows: number): Line[] {
  const { replica: mine, cached } = shownRing(view, selected);
  const resource = cached?.resource;
  const shown = choose(view.replicas, mine, view.replicas.length > rows ? Math.max(0, rows - 1) : rows);
  const ahead = Math.max(...view.replicas.map((each) => positionOf(ringOf(each, resource)) ?? 0));
  const words = Math.max(0, ...shown.map((each) => textWidth(wordsOf(each, resource))));
  const lines = shown.map((each) => {
    const row = { replica: each, mine: each === mine && shown.length > 1, resource, ahead, words };
    return fitLine(replicaLine(row, width), width);
  });
  const rest = view.replicas.filter((each) => !shown.includes(each));
  return rest.length === 0 ? lines : [...lines, fitLine(restLine(rest, resource, shown.length === 0), width)];
}

/** The first ones that fit, and always the one that the selected watcher is on. */
function choose(replicas: readonly ReplicaView[], mine: ReplicaView | undefined, rows: number): ReplicaView[] {
  const first = replicas.slice(0, rows);
  if (rows === 0 || mine === undefined || first.includes(mine)) return first;
  return [...first.slice(0, -1), mine];
}

interface ReplicaRow {
  replica: ReplicaView;
  /** The selected watcher is served by it. */
  mine: boolean;
  resource: string | undefined;
  /** The newest RV that any of them has. */
  ahead: number;
  /** Width of the column that says how full the ring is. */
  words: number;
}

function replicaLine({ replica, mine, resource, ahead, words }: ReplicaRow, width: number): Line {
  const cached = ringOf(replica, resource);
  const trouble = troubleOf(replica, cached);
  const lead: Line = [
    span(mine ? '▸' : ' ', 'strong'),
    span(padTo(sanitize(replica.name, NAME_WIDTH), NAME_WIDTH), mine ? 'strong' : 'plain'),
  ];
  const upstream = trouble ? span(padTo(trouble, UPSTREAM_WIDTH), 'alarm') : span(padTo('connected', UPSTREAM_WIDTH));
  if (!cached) return [...lead, upstream];
  const gate: Line = [gateSpan(cached), span(` gen ${cached.generation}`.padEnd(cached.ready ? 11 : 7), 'dim')];
  const left = [...lead, ...gate, upstream, span(`${padTo(wordsOf(replica, resource), words)} `)];
  const tail = [...ringRange(cached.ring), ...lagSpan(cached, ahead)];
  const gauge = width - lineWidth(left) - lineWidth(tail);
  if (gauge < LEAST_GAUGE) return [...left, ...tail];
  return [...left, span(ringGauge(cached.ring.used, cached.ring.capacity, gauge), 'dim'), ...tail];
}

/** How far behind the furthest of them it is, in revisions. */
function lagSpan(cached: CachedResourceView, ahead: number): Line {
  const lag = ahead - (positionOf(cached) ?? 0);
  return lag > 0 ? [span(`lag ${lag} `, 'warning')] : [];
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

function wordsOf(replica: ReplicaView, resource: string | undefined): string {
  const cached = ringOf(replica, resource);
  return cached ? ringWords(cached.ring) : '';
}

function ringOf({ resources }: ReplicaView, resource: string | undefined): CachedResourceView | undefined {
  return resources.find((each) => each.resource === resource);
}

/** How far a cache has come: its newest event, or its list where no event came since. */
function positionOf(cached: CachedResourceView | undefined): number | undefined {
  return cached?.ring.newest ?? cached?.ring.floor;
}
