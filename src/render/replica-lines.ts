import type { CachedResourceView, LocalView, ReplicaView } from './local-view.ts';
import { gateSpan, shownRing, troubleOf } from './replica-words.ts';
import { ringGauge } from './ring-gauge.ts';
import { ringRange, shortRingWords } from './ring-words.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, span } from './spans.ts';
import { padTo, textWidth } from './width.ts';

/** Width of an apiserver's name: a colon and a port. */
const NAME_WIDTH = 7;
/** `READY gen 12`, `NOT READY gen 2`. */
const GATE_WIDTH = 17;
/** `SHUTTING DOWN` is the longest of what may stand here. */
const UPSTREAM_WIDTH = 14;
/** Below this a gauge says less than the numbers beside it. */
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
  const parts = shown.map((replica) => {
    const cached = ringOf(replica, common.resource);
    return { cached, lead: leadOf(replica, cached, common.mine), ...ringParts(cached, common.ahead) };
  });
  const words = Math.max(0, ...parts.map((each) => textWidth(each.words)));
  const tail = Math.max(0, ...parts.map((each) => lineWidth(each.tail)));
  const lead = 1 + NAME_WIDTH + 1 + GATE_WIDTH + UPSTREAM_WIDTH;
  const gauge = width - lead - words - 1 - tail;
  return parts.map(({ cached, lead: start, words: text, tail: end }) => {
    if (!cached) return start;
    const bar = gauge < LEAST_GAUGE ? '' : ringGauge(cached.ring.used, cached.ring.capacity, gauge);
    return [...start, span(`${padTo(text, words)} `), span(bar, 'dim'), ...end];
  });
}

function leadOf(replica: ReplicaView, cached: CachedResourceView | undefined, mine: ReplicaView | undefined): Line {
  const trouble = troubleOf(replica, cached);
  const gate = cached ? gateSpan(cached) : span('–', 'dim');
  const generation = cached ? ` gen ${cached.generation}` : '';
  return [
    span(replica === mine ? '▸' : ' ', 'strong'),
    span(`${padTo(sanitize(replica.name, NAME_WIDTH), NAME_WIDTH)} `, replica === mine ? 'strong' : 'plain'),
    gate,
    span(padTo(generation, GATE_WIDTH - textWidth(gate.text)), 'dim'),
    span(padTo(trouble ?? 'connected', UPSTREAM_WIDTH), trouble ? 'alarm' : 'plain'),
  ];
}

function ringParts(cached: CachedResourceView | undefined, ahead: number): { words: string; tail: Line } {
  if (!cached) return { words: '', tail: [] };
  const lag = ahead - (positionOf(cached) ?? 0);
  const behind: Line = lag > 0 ? [span(`lag ${lag} `, 'warning')] : [];
  return { words: shortRingWords(cached.ring), tail: [...ringRange(cached.ring), ...behind] };
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
