import type { BlockForm } from './finding-block.ts';
import { type Line, span } from './spans.ts';
import { type FindingEntry, MAX_ENTRIES, type Timeline, type TimelineEntry } from './timeline.ts';

/** A finding folds to its verdict when this many newer entries stand below it. */
export const FOLD_AFTER = 12;

export interface WindowRequest {
  /** Lines that may be drawn. */
  height: number;
  /** Entries that belong to the view. */
  filter(entry: TimelineEntry): boolean;
  draw(entry: TimelineEntry, form: BlockForm): Line[];
  /** The lowest entry to be shown; undefined: the newest (follow). */
  bottom: number | undefined;
  /** A finding that was asked for: it is not folded. */
  opened: number | undefined;
  /** Small screens: findings take two lines. */
  terse: boolean;
}

export interface TimelineWindow {
  /** At most `height` lines. */
  lines: Line[];
  /** Sequence numbers of the topmost and the lowest entry shown; undefined where nothing is. */
  top: number | undefined;
  bottom: number | undefined;
}

/** The lines between the bottom and as far up as there is room. Work grows with the height, not with the history. */
export function timelineWindow(timeline: Timeline, request: WindowRequest): TimelineWindow {
  const blocks: Line[][] = [];
  let left = request.height;
  let newer = 0;
  let top: number | undefined;
  let bottom: number | undefined;
  for (const entry of timeline.backwards(request.bottom)) {
    if (left <= 0) break;
    if (!request.filter(entry)) continue;
    const lines = drawWithin(entry, formOf(entry, newer, request), left, request);
    blocks.push(lines);
    left -= lines.length;
    newer += 1;
    top = entry.seq;
    bottom ??= entry.seq;
  }
  if (left > 0 && timeline.first > 0) blocks.push([droppedLine(timeline.first)]);
  return { lines: blocks.reverse().flat(), top, bottom };
}

/** A block that has no room is folded rather than cut in mid-sentence, unless it is the one that is looked at. */
function drawWithin(entry: TimelineEntry, form: BlockForm, left: number, request: WindowRequest): Line[] {
  const lines = request.draw(entry, form);
  if (lines.length <= left) return lines;
  const looked = entry.seq === request.opened || entry.seq === request.bottom;
  return looked ? lines.slice(0, left) : request.draw(entry, 'folded').slice(0, left);
}

/** How many entries of the view lie above `bottom`, unseen. */
export function unseenBelow(timeline: Timeline, bottom: number, filter: (entry: TimelineEntry) => boolean): number {
  let unseen = 0;
  for (const entry of timeline.forwards(bottom + 1)) if (filter(entry)) unseen += 1;
  return unseen;
}

/** The bottom that puts `seq` on top of a window, so that it can be seen whole with what came after it. */
export function bottomToShow(timeline: Timeline, seq: number, request: Omit<WindowRequest, 'bottom'>): number {
  let left = request.height;
  let bottom = seq;
  for (const entry of timeline.forwards(seq)) {
    if (!request.filter(entry)) continue;
    left -= request.draw(entry, request.terse ? 'terse' : 'full').length;
    if (left < 0) break;
    bottom = entry.seq;
  }
  return bottom;
}

/** The finding that must be visible at every size: the newest that nothing later explains. */
export function newestFinding(timeline: Timeline): FindingEntry | undefined {
  return timeline.findings().findLast(({ item }) => item.finding.explainedBy === undefined);
}

function formOf(entry: TimelineEntry, newer: number, { opened, terse }: WindowRequest): BlockForm {
  if (entry.kind === 'row') return 'folded';
  if (entry.seq !== opened && newer >= FOLD_AFTER) return 'folded';
  return terse ? 'terse' : 'full';
}

function droppedLine(dropped: number): Line {
  return [
    span(
      ` … ${dropped.toLocaleString('en')} older rows are no longer kept (at most ${MAX_ENTRIES.toLocaleString('en')})`,
      'dim',
    ),
  ];
}
