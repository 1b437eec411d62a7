import { findingParts, severityStyle, shortVerdict } from '../render/finding-block.ts';
import { compactTailHeader, type TailHeaderView, tailHeader } from '../render/header.ts';
import { compactLocalHeader, localHeader } from '../render/local-header.ts';
import type { LocalView } from '../render/local-view.ts';
import { sanitize } from '../render/sanitize.ts';
import { fitLine, type Line, rule, span } from '../render/spans.ts';
import { stateWord, worstState } from '../render/state-word.ts';
import { sinceStart } from '../render/time-format.ts';
import { newestFinding, unseenBelow } from '../render/timeline-window.ts';
import { compactWatchers, watcherTable } from '../render/watcher-table.ts';
import { footerLine } from './footer.ts';
import { blank, bodyLines } from './frame-body.ts';
import type { LabKey } from './lab.ts';
import { type LocalLayout, localLayout } from './local-layout.ts';
import type { ScreenModel } from './model.ts';

/** Where and when a frame is drawn. */
export interface FrameContext {
  columns: number;
  rows: number;
  now: number;
  title: string;
  since: number | undefined;
  probing: boolean;
  view: LocalView | undefined;
  /** The lab's keys that do something now. */
  lab: readonly LabKey[];
}

/**
 * The regions of one frame, top to bottom. Together they have at most `rows - 1` lines, none wider than the
 * screen: at full height Ink wipes the terminal with every frame, and a wrapped row pushes everything out of place.
 */
export interface Frame {
  header: Line[];
  room: Line[];
  /** The rule above the body; it carries the newest finding where the body does not show it. */
  rule: Line[];
  body: Line[];
  detail: Line[];
  footer: Line[];
}

/** Characters of the endpoint's name that are looked at; the header cuts it to its room. */
const MAX_TITLE = 200;

const MIN_COLUMNS = 40;
const MIN_ROWS = 10;

/** Below this the screen is drawn in its small form: one line of header, findings in two lines, no lower rule. */
const SMALL = { columns: 60, height: 16 };

/** Draws `model`, and leaves in it what was drawn, so that the next key finds it. */
export function composeFrame(model: ScreenModel, context: FrameContext): Frame {
  const { columns, rows } = context;
  if (columns < MIN_COLUMNS || rows < MIN_ROWS) return tooSmall(columns, rows);
  model.see(context.view);
  model.labKeys = context.lab;
  const layout = layoutOf(model, context);
  const { small } = layout;
  const header = headerLines(model, context, layout);
  const room = roomLines(model, context, layout);
  const fixed = header.length + room.length + 1 + (small ? 1 : 2);
  const height = Math.max(1, rows - 1 - fixed);
  const { body, detail, showsNewest } = bodyLines(model, context, height, small);
  const filled = [...body, ...blank(height - body.length - detail.length)];
  const footer = [...(small ? [] : [rule(columns)]), footerOf(model, context)];
  const frame = { header, room, rule: [ruleLine(model, columns, showsNewest)], body: filled, detail, footer };
  return clamp(frame, columns);
}

function layoutOf({ mode }: ScreenModel, { columns, rows, view }: FrameContext): LocalLayout {
  if (mode === 'local' && view) return localLayout(view, columns, rows);
  const small = columns < SMALL.columns || rows - 1 < SMALL.height;
  return { small, replicaRows: 0, table: { own: 0, foreign: 0 } };
}

function headerLines(model: ScreenModel, context: FrameContext, { small, replicaRows }: LocalLayout): Line[] {
  const { columns, now, view, since } = context;
  const title = sanitize(context.title, MAX_TITLE);
  if (model.mode === 'tail') {
    const header = tailView(model, context, title);
    return small ? [compactTailHeader(header, columns)] : tailHeader(header, columns);
  }
  if (!view) return [[span(` ${title}`, 'strong'), span(' is starting', 'dim')]];
  const { selected } = model.lanes;
  const writes = model.writes.series(now);
  const header = { title, view, selected, writes, elapsedMs: now - (since ?? now), replicaRows };
  return small ? [compactLocalHeader(header, columns)] : localHeader(header, columns);
}

function tailView(model: ScreenModel, { now, probing }: FrameContext, title: string): TailHeaderView {
  const ledgers = model.shownLedgers();
  const { control, stalls } = model;
  const states = ledgers.map((ledger) => stateWord(ledger, now, { stall: stalls.get(ledger.target.index), control }));
  const labels = ledgers.map(({ target }) => model.labels.of(target.index));
  return { title, ledgers, labels, states, state: worstState(states), now, probing };
}

function roomLines(model: ScreenModel, { view, columns }: FrameContext, { small, table }: LocalLayout): Line[] {
  if (model.mode === 'tail' || !view) return [];
  const { selected } = model.lanes;
  return small
    ? compactWatchers(view, selected, columns, table.own)
    : [rule(columns), ...watcherTable(view, selected, columns, table)];
}

function ruleLine(model: ScreenModel, columns: number, showsNewest: boolean): Line {
  const newest = showsNewest ? undefined : newestFinding(model.timeline);
  if (!newest) return rule(columns);
  const { finding } = newest.item;
  const verdict = shortVerdict(findingParts(finding).verdict, columns);
  const words: Line = [span('┃ ', severityStyle(finding)), span(verdict, 'strong')];
  return rule(columns, words);
}

function footerOf(model: ScreenModel, { columns, view, since, now }: FrameContext): Line {
  const { cursor, lanes, timeline } = model;
  const next = view?.story?.next;
  return footerLine(
    {
      overlay: model.overlay,
      following: cursor.following,
      hasEntries: timeline.next > 0,
      hasFindings: timeline.findings().length > 0,
      lab: model.labKeys,
      leading: model.leading,
      lane: lanes.count > 1 ? (model.mode === 'local' ? 'watcher' : 'target') : undefined,
      unseen: cursor.bottom === undefined ? 0 : unseenBelow(timeline, cursor.bottom, (entry) => lanes.shows(entry)),
      // A step that waits for the one before it has no time of its own.
      next: next && (next.at > now ? `${next.text} (${sinceStart(next.at - (since ?? now)).slice(0, -2)})` : next.text),
    },
    columns,
  );
}

function tooSmall(columns: number, rows: number): Frame {
  const words = [`terminal too small`, `${columns}×${rows}, at least ${MIN_COLUMNS}×${MIN_ROWS}`, 'q quits'];
  const body = words.map((text): Line => [span(text)]).slice(0, Math.max(1, rows - 1));
  return clamp({ header: [], room: [], rule: [], body, detail: [], footer: [] }, columns);
}

/** The last guard: no line of any region is wider than the screen. */
function clamp(frame: Frame, columns: number): Frame {
  const narrow = (lines: Line[]) => lines.map((line) => fitLine(line, columns));
  return {
    header: narrow(frame.header),
    room: narrow(frame.room),
    rule: narrow(frame.rule),
    body: narrow(frame.body),
    detail: narrow(frame.detail),
    footer: narrow(frame.footer),
  };
}
