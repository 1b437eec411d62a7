import type { LocalView, RingView, WatcherView } from './local-view.ts';
import { replicaLines } from './replica-lines.ts';
import { gateSpan, shownRing, troubleOf } from './replica-words.ts';
import { ringGauge, ringMarks, sparkline } from './ring-gauge.ts';
import { ringRange, ringWords } from './ring-words.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, span, spread } from './spans.ts';
import { sinceStart } from './time-format.ts';

export interface LocalHeaderView {
  title: string;
  view: LocalView;
  /** Label of the watcher whose ring is to be drawn. */
  selected: string | undefined;
  /** Writes in each of the last whole seconds. */
  writes: readonly number[];
  /** Since the start, ms. */
  elapsedMs: number;
  /** Lines that may be given to the apiservers where there are several; at least one. */
  replicaRows: number;
}

/** Below this a gauge of the ring says less than the numbers beside it. */
const LEAST_GAUGE = 12;
/** Beyond this a wider one shows nothing more. */
const MAX_GAUGE = 120;

/**
 * The machine room's head: server and story; store and writes; then of the one apiserver its gate, upstream and ring
 * with its oldest, newest and floor, and where each watcher stands over it; of several apiservers a line each.
 */
export function localHeader(header: LocalHeaderView, width: number): Line[] {
  const { view, selected, replicaRows } = header;
  const head = [titleLine(header, width), storeLine(header, width)];
  return view.replicas.length > 1
    ? [...head, ...replicaLines(view, selected, width, replicaRows)]
    : [...head, ...ringLines(view, selected, width)];
}

/** Lines that `localHeader` needs to say everything about the apiservers. */
export function ringRows(view: LocalView): number {
  if (view.replicas.length > 1) return view.replicas.length;
  return view.replicas[0]?.resources.length ? 2 : 0;
}

/** One line for the smallest screens. What is wrong stands before the ring, since the right end is cut first. */
export function compactLocalHeader({ view, selected, elapsedMs }: LocalHeaderView, width: number): Line {
  const { replica, cached } = shownRing(view, selected);
  const name = view.replicas.length > 1 && replica ? sanitize(replica.name, 8) : 'ring';
  const trouble = replica && troubleOf(replica, cached);
  const left: Line = [
    span(' local', 'strong'),
    span(`  rev ${view.revision}`),
    ...(cached && !cached.ready ? [span('  NOT READY', 'alarm')] : []),
    ...(trouble ? [span(`  ${trouble}`, 'alarm')] : []),
  ];
  const ring: Line = cached ? [span(`  ${name} ${cached.ring.used}/${cached.ring.capacity}`)] : [];
  const right: Line = [span(`${clock(view, elapsedMs)} `, 'dim')];
  // Whole or not at all: half a ratio says something else.
  const fits = lineWidth(left) + lineWidth(ring) + lineWidth(right) < width;
  return spread(fits ? [...left, ...ring] : left, right, width);
}

function titleLine({ title, view, elapsedMs }: LocalHeaderView, width: number): Line {
  const [first, ...others] = view.replicas;
  const more = others.length > 0 ? ` +${others.length}` : '';
  const left: Line = [
    span(` ${title}`, 'strong'),
    span(` · ${sanitize(first?.server ?? '', 100)}${more} · v1.30.3 rules · ×${view.speed}`, 'dim'),
  ];
  const story = view.story ? `  ${view.story.script ? 'script' : 'story'} ${view.story.step} of ${view.story.of}` : '';
  return spread(left, [span(clock(view, elapsedMs)), span(`${story} `, 'dim')], width);
}

/** From the longest way to say it to the shortest, until one fits beside the writes. */
function storeLine({ view, selected, writes }: LocalHeaderView, width: number): Line {
  const rate = span(`writes ${writes.at(-1) ?? 0}/s `, 'dim');
  const short = span(`${writes.at(-1) ?? 0}/s `, 'dim');
  const spark = span(`${sparkline(writes)} `, 'dim');
  const attempts: [Line, Line][] = [
    [storeWords(view, selected, false), [rate, spark]],
    [storeWords(view, selected, true), [short, spark]],
    [storeWords(view, selected, true), [spark]],
    [storeWords(view, selected, true), [short]],
  ];
  for (const [left, right] of attempts) {
    if (lineWidth(left) + lineWidth(right) + 1 <= width) return spread(left, right, width);
  }
  return fitLine(storeWords(view, selected, true), width);
}

function storeWords(view: LocalView, selected: string | undefined, short: boolean): Line {
  const store: Line = [
    span(' store rev ', 'dim'),
    span(String(view.revision), 'strong'),
    span(`, compacted ${view.compacted ?? '–'}`, 'dim'),
  ];
  const { replica, cached } = shownRing(view, selected);
  const gap = short ? '  ' : '   ';
  if (view.replicas.length > 1) {
    const of = cached ? `, rings of ${sanitize(cached.resource, 40)}` : '';
    return [...store, span(`${gap}${view.replicas.length} apiservers${of}`, 'dim')];
  }
  const gate: Line = cached
    ? [
        span(`${gap}${sanitize(cached.resource, 40)} `, 'dim'),
        gateSpan(cached),
        span(`, ${short ? 'gen' : 'generation'} ${cached.generation}`, 'dim'),
      ]
    : [];
  const trouble = replica && troubleOf(replica, cached);
  return [...store, ...gate, span(`${gap}upstream `, 'dim'), trouble ? span(trouble, 'alarm') : span('connected')];
}

function ringLines(view: LocalView, selected: string | undefined, width: number): Line[] {
  const { cached } = shownRing(view, selected);
  if (!cached) return [];
  const { ring } = cached;
  const words = ` ring  ${ringWords(ring)} `;
  const tail: Line = ringRange(ring);
  const gauge = Math.min(MAX_GAUGE, width - words.length - lineWidth(tail));
  if (gauge < LEAST_GAUGE) return [[], fitLine([span(words), ...tail], width)];
  const bar: Line = [span(words), span(ringGauge(ring.used, ring.capacity, gauge), 'dim'), ...tail];
  const marks = standing(view.watchers, ring, cached.resource, gauge);
  return [marks === undefined ? [] : fitLine([span(' '.repeat(words.length)), span(marks)], width), bar];
}

/** Where the watchers of this resource stand over the part of the gauge that is filled. */
function standing(
  watchers: readonly WatcherView[],
  ring: RingView,
  resource: string,
  gauge: number,
): string | undefined {
  if (ring.oldest === undefined || ring.newest === undefined) return undefined;
  const filled = Math.max(3, Math.round(gauge * Math.min(1, ring.used / Math.max(1, ring.capacity))));
  const marks = watchers.flatMap(({ label, holdsRv, resource: theirs }) =>
    holdsRv === undefined || theirs !== resource ? [] : [{ label, rv: holdsRv }],
  );
  return ringMarks(marks, { oldest: ring.floor, newest: ring.newest }, filled);
}

/**
 * Tenths while a story plays, since its steps come at tenths and draw frames of their own; whole seconds after it: a
 * clock in tenths would then draw the frames of a screen on which nothing else happens.
 */
function clock({ story }: LocalView, ms: number): string {
  const text = sinceStart(ms);
  return story?.next ? text : text.slice(0, -2);
}
