import type { LocalView, RingView } from './local-view.ts';
import { ringGauge, ringMarks, sparkline } from './ring-gauge.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, span, spread } from './spans.ts';
import { sinceStart } from './time-format.ts';

export interface LocalHeaderView {
  title: string;
  view: LocalView;
  /** Writes in each of the last whole seconds. */
  writes: readonly number[];
  /** Since the start, ms. */
  elapsedMs: number;
}

/**
 * The machine room's head: server and story; store, ready gate, upstream and writes; the ring with its oldest, newest
 * and floor, and above it where each watcher stands.
 */
export function localHeader(header: LocalHeaderView, width: number): Line[] {
  return [titleLine(header, width), storeLine(header, width), ...ringLines(header.view, width)];
}

/** One line for the smallest screens. */
export function compactLocalHeader({ view, elapsedMs }: LocalHeaderView, width: number): Line {
  const ring = view.resources[0]?.ring;
  const cold = view.resources.find((each) => !each.ready);
  const left: Line = [
    span(' local', 'strong'),
    span(`  rev ${view.revision}`),
    ...(ring ? [span(`  ring ${ring.used}/${ring.capacity}`)] : []),
    ...(cold ? [span('  NOT READY', 'alarm')] : []),
  ];
  return spread(left, [span(`${clock(elapsedMs)} `, 'dim')], width);
}

function titleLine({ title, view, elapsedMs }: LocalHeaderView, width: number): Line {
  const left: Line = [
    span(` ${title}`, 'strong'),
    span(` · ${sanitize(view.server, 100)} · v1.30.3 rules · ×${view.speed}`, 'dim'),
  ];
  const story = view.story ? `  story ${view.story.step} of ${view.story.of}` : '';
  return spread(left, [span(clock(elapsedMs)), span(`${story} `, 'dim')], width);
}

function storeLine({ view, writes }: LocalHeaderView, width: number): Line {
  const [cached] = view.resources;
  const store: Line = [
    span(' store rev ', 'dim'),
    span(String(view.revision), 'strong'),
    span(`, compacted ${view.compacted ?? '–'}`, 'dim'),
  ];
  const gate: Line = cached
    ? [
        span(`  ${sanitize(cached.resource, 40)} `, 'dim'),
        cached.ready ? span('READY', 'good') : span('NOT READY', 'alarm'),
        span(`, generation ${cached.generation}`, 'dim'),
      ]
    : [];
  const upstream = [span('  upstream ', 'dim'), view.upstreamConnected ? span('connected') : span('CUT', 'alarm')];
  const left = [...store, ...gate, ...upstream];
  const rate = span(`writes ${writes.at(-1) ?? 0}/s `, 'dim');
  for (const right of [[rate, span(`${sparkline(writes)} `, 'dim')], [rate]]) {
    if (lineWidth(left) + lineWidth(right) + 1 <= width) return spread(left, right, width);
  }
  return fitLine(left, width);
}

function ringLines(view: LocalView, width: number): Line[] {
  const [cached] = view.resources;
  if (!cached) return [];
  const { ring } = cached;
  const words = ` ring  ${ring.used} of ${ring.capacity}, ${ring.pinned ? 'pinned' : 'grows'} `;
  const range = ring.oldest === undefined || ring.newest === undefined ? ' empty' : ` ${ring.oldest} … ${ring.newest}`;
  const tail: Line = [span(range), span(`  floor ${ring.floor} `, 'dim')];
  const gauge = width - words.length - lineWidth(tail);
  if (gauge < 12) return [fitLine([span(words), ...tail], width)];
  const bar: Line = [span(words), span(ringGauge(ring.used, ring.capacity, gauge), 'dim'), ...tail];
  const marks = standing(view, ring, cached.resource, gauge);
  return [marks === undefined ? [] : fitLine([span(' '.repeat(words.length)), span(marks)], width), bar];
}

/** Where the watchers of this resource stand over the part of the gauge that is filled. */
function standing(view: LocalView, ring: RingView, resource: string, gauge: number): string | undefined {
  if (ring.oldest === undefined || ring.newest === undefined) return undefined;
  const filled = Math.max(3, Math.round(gauge * Math.min(1, ring.used / Math.max(1, ring.capacity))));
  const marks = view.watchers.flatMap(({ label, holdsRv, resource: theirs }) =>
    holdsRv === undefined || theirs !== resource ? [] : [{ label, rv: holdsRv }],
  );
  return ringMarks(marks, { oldest: ring.floor, newest: ring.newest }, filled);
}

/** Whole seconds: a clock that ran in tenths would draw ten frames a second of nothing else. */
function clock(ms: number): string {
  return sinceStart(ms).slice(0, -2);
}
