import { detailLines, detailTitle } from '../render/detail.ts';
import { findingBlock } from '../render/finding-block.ts';
import { rowLines } from '../render/screen-row.ts';
import { type Line, rule, span } from '../render/spans.ts';
import type { TimelineEntry } from '../render/timeline.ts';
import { newestFinding, timelineWindow, type WindowRequest } from '../render/timeline-window.ts';
import type { FrameContext } from './frame.ts';
import { helpLines } from './help.ts';
import type { ScreenModel } from './model.ts';

/** Width of the column of labels, where they are short. */
const LEAST_LABEL = 8;

/** The list, and below it (or in its place, on a low screen) the detail pane or the help. */
export function bodyLines(model: ScreenModel, context: FrameContext, height: number, small: boolean) {
  const { columns } = context;
  if (model.overlay === 'help')
    return { body: helpLines(model.labKeys.length > 0).slice(0, height), detail: [], showsNewest: false };
  const entry =
    model.overlay === 'detail' && model.cursor.at !== undefined ? model.timeline.at(model.cursor.at) : undefined;
  const split = entry && height >= 14 ? Math.floor(height * 0.4) : 0;
  const listHeight = entry ? split : height;
  const request = windowRequest(model, context, Math.max(1, listHeight), small);
  const window = timelineWindow(model.timeline, { ...request, bottom: model.cursor.bottom });
  const detailHeight = entry ? height - split - 1 : 0;
  const lines = entry ? model.detailOf(entry, columns, () => detailLines(entry, columns, context.since)) : [];
  model.detailScroll = Math.max(0, Math.min(model.detailScroll, lines.length - detailHeight));
  model.drawn = { window: { ...window, request }, detail: { total: lines.length, height: detailHeight } };
  const shown = lines.slice(model.detailScroll, model.detailScroll + detailHeight);
  const more = lines.length - model.detailScroll - shown.length;
  const detail = entry ? [detailRule(entry, more, columns), ...shown, ...blank(detailHeight - shown.length)] : [];
  const list = window.lines.length > 0 ? window.lines : [[span(' nothing has happened yet', 'dim')]];
  return {
    body: listHeight > 0 ? list : [],
    detail,
    showsNewest: (listHeight > 0 && showsNewestOf(model, window)) || isNewest(model, entry),
  };
}

function windowRequest(
  model: ScreenModel,
  context: FrameContext,
  height: number,
  terse: boolean,
): Omit<WindowRequest, 'bottom'> {
  const { columns: width, since } = context;
  const { cursor, lanes } = model;
  const several = model.mode === 'tail' && lanes.selected === undefined && lanes.count > 1;
  const labelWidth = several ? Math.min(Math.max(LEAST_LABEL, model.labels.width), Math.floor(width / 3)) : 0;
  // Cut labels could be equal again: a number is not.
  const cut = model.labels.width > labelWidth;
  const largerRing = model.labKeys.some(({ key }) => key === '+');
  const labelOf = (target = -1) => (several ? (cut ? `#${target + 1}` : model.labels.of(target)) : undefined);
  return {
    height,
    terse,
    opened: cursor.opened,
    filter: (entry) => lanes.shows(entry),
    draw: (entry, form) =>
      entry.kind === 'row'
        ? rowLines(entry.row, entry.deltaMs, {
            width,
            since,
            selected: entry.seq === cursor.at,
            labelWidth,
            label: labelOf(entry.row.target),
          })
        : findingBlock(entry.item, {
            form,
            width,
            selected: entry.seq === cursor.at,
            watcher: entry.item.watcher ?? labelOf(entry.item.finding.target),
            largerRing,
          }),
  };
}

/** The detail pane itself shows the newest finding. */
function isNewest(model: ScreenModel, entry: TimelineEntry | undefined): boolean {
  return entry !== undefined && entry.seq === newestFinding(model.timeline)?.seq;
}

function showsNewestOf(
  model: ScreenModel,
  { top, bottom }: { top: number | undefined; bottom: number | undefined },
): boolean {
  const newest = newestFinding(model.timeline);
  if (!newest || top === undefined || bottom === undefined) return newest === undefined;
  return newest.seq >= top && newest.seq <= bottom;
}

function detailRule(entry: TimelineEntry, more: number, columns: number): Line {
  const words: Line = [span(detailTitle(entry), 'strong'), ...(more > 0 ? [span(` · ${more} more ↓`, 'dim')] : [])];
  return rule(columns, words);
}

export function blank(lines: number): Line[] {
  return Array.from({ length: Math.max(0, lines) }, () => []);
}
