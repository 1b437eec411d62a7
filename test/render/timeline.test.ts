import { describe, expect, it } from 'vitest';
import type { FeedItem } from '../../src/render/feed.ts';
import { span } from '../../src/render/spans.ts';
import { MAX_ENTRIES, MAX_RAW_BYTES, Timeline } from '../../src/render/timeline.ts';
import {
  bottomToShow,
  FOLD_AFTER,
  newestFinding,
  timelineWindow,
  unseenBelow,
  type WindowRequest,
} from '../../src/render/timeline-window.ts';
import { eventItem, findingItem, openItem, phaseItem, START } from '../support/feed-items.ts';

function filled(...items: FeedItem[]): Timeline {
  const timeline = new Timeline();
  for (const item of items) timeline.push(item);
  return timeline;
}

const events = (count: number) =>
  Array.from({ length: count }, (_, i) => eventItem(START + i * 10, { name: `web-${i}` }));

describe('Timeline', () => {
  it('keeps what has a row, in order, with the time since the row before of the same watcher', () => {
    const timeline = filled(
      { watcher: 'A', ...openItem(START) },
      { watcher: 'B', ...eventItem(START + 50, { name: 'b' }) },
      { watcher: 'A', ...eventItem(START + 400, { name: 'a' }) },
      phaseItem(START, { state: 'listing' }),
    );
    expect(timeline.next).toBe(3);
    expect([...timeline.forwards(0)].map((entry) => entry.kind === 'row' && entry.deltaMs)).toEqual([
      undefined,
      undefined,
      400,
    ]);
  });

  it('is bounded, and knows how many it dropped', () => {
    const timeline = filled(...events(MAX_ENTRIES + 25));
    expect(timeline.first).toBe(25);
    expect(timeline.at(24)).toBeUndefined();
    expect(timeline.at(25)).toMatchObject({ seq: 25, row: { what: 'web-25' } });
    expect([...timeline.backwards()].length).toBe(MAX_ENTRIES);
  });

  it('copies raw frames, since the reader uses their memory again', () => {
    const item = eventItem(START, { name: 'web-0' });
    const timeline = filled(item);
    item.raw.fill(0);
    const entry = timeline.at(0);
    expect(entry?.kind === 'row' && entry.item.kind === 'event' && entry.item.raw[0]).toBe('{'.charCodeAt(0));
  });

  it('keeps a bounded number of raw bytes: the oldest frames go first, their rows stay', () => {
    const raw = new Uint8Array(MAX_RAW_BYTES / 4);
    const timeline = filled(
      ...Array.from({ length: 6 }, (_, i) => eventItem(START + i, { name: `web-${i}` }, { raw })),
    );
    const kept = [...timeline.forwards(0)].map((entry) =>
      entry.kind === 'row' && entry.item.kind === 'event' ? entry.item.raw.length : -1,
    );
    expect(kept).toEqual([0, 0, raw.length, raw.length, raw.length, raw.length]);
    // Dropping rows afterwards must not count the same bytes twice.
    for (const item of events(MAX_ENTRIES)) timeline.push(item);
    timeline.push(eventItem(START, { name: 'big' }, { raw }));
    const last = timeline.at(timeline.next - 1);
    expect(last?.kind === 'row' && last.item.kind === 'event' && last.item.raw.length).toBe(raw.length);
  });

  it('replaces a finding by its later revision where it stands, and not by an earlier one', () => {
    const timeline = filled(findingItem(START, { rev: 1 }, { ok: true }), ...events(2));
    timeline.push(findingItem(START, { rev: 3, confidence: 'low' }));
    timeline.push(findingItem(START, { rev: 2, confidence: 'medium' }));
    expect(timeline.next).toBe(3);
    expect(timeline.at(0)).toMatchObject({ item: { finding: { rev: 3, confidence: 'low' }, agrees: { ok: true } } });
  });

  it('shows a revision anew when the finding itself has been dropped', () => {
    const timeline = filled(findingItem(START), ...events(MAX_ENTRIES));
    expect(timeline.findings()).toEqual([]);
    timeline.push(findingItem(START, { rev: 2 }));
    expect(timeline.findings().map(({ seq }) => seq)).toEqual([MAX_ENTRIES + 1]);
  });

  it('takes the newest finding that nothing explains as the one to be seen', () => {
    const timeline = filled(
      findingItem(START),
      findingItem(START, { id: 'f2' }),
      findingItem(START, { id: 'f3', explainedBy: 'f2' }),
    );
    expect(newestFinding(timeline)?.item.finding.id).toBe('f2');
    expect(newestFinding(new Timeline())).toBeUndefined();
  });
});

describe('timelineWindow', () => {
  /** Each line says what it is: `3` for row 3, `F3` (full), `f3` (folded), `t3` (terse) for a finding. */
  const request = (more: Partial<WindowRequest> = {}): WindowRequest => ({
    height: 6,
    filter: () => true,
    draw: (entry, form) => {
      if (entry.kind === 'row') return [[span(String(entry.seq))]];
      const name = `${form === 'full' ? 'F' : form === 'folded' ? 'f' : 't'}${entry.seq}`;
      return Array.from({ length: form === 'full' ? 5 : form === 'terse' ? 2 : 1 }, () => [span(name)]);
    },
    bottom: undefined,
    opened: undefined,
    terse: false,
    ...more,
  });
  const shown = (timeline: Timeline, more: Partial<WindowRequest> = {}) =>
    timelineWindow(timeline, request(more)).lines.map((line) => line.map(({ text }) => text).join(''));

  it('follows the newest', () => {
    expect(shown(filled(...events(10)))).toEqual(['4', '5', '6', '7', '8', '9']);
    expect(shown(filled(...events(2)))).toEqual(['0', '1']);
    expect(shown(new Timeline())).toEqual([]);
  });

  it('stands still at its bottom, and counts what came', () => {
    const timeline = filled(...events(10));
    expect(shown(timeline, { bottom: 6 })).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(unseenBelow(timeline, 6, () => true)).toBe(3);
    expect(unseenBelow(timeline, 6, ({ seq }) => seq % 2 === 0)).toBe(1);
  });

  it('leaves out what does not belong to the view', () => {
    expect(shown(filled(...events(10)), { height: 3, filter: ({ seq }) => seq % 3 === 0 })).toEqual(['3', '6', '9']);
  });

  it(`folds a finding when ${FOLD_AFTER} newer entries have come, unless it was opened`, () => {
    const timeline = filled(findingItem(START), ...events(FOLD_AFTER - 1));
    expect(shown(timeline, { height: 30 }).slice(0, 6)).toEqual(['F0', 'F0', 'F0', 'F0', 'F0', '1']);
    timeline.push(eventItem(START, { name: 'one more' }));
    expect(shown(timeline, { height: 30 }).slice(0, 2)).toEqual(['f0', '1']);
    expect(shown(timeline, { height: 30, opened: 0 }).slice(0, 6)).toEqual(['F0', 'F0', 'F0', 'F0', 'F0', '1']);
    expect(shown(filled(findingItem(START)), { terse: true })).toEqual(['t0', 't0']);
  });

  it('folds a block that has no room, and shows the beginning of one that is looked at', () => {
    expect(shown(filled(...events(1), findingItem(START), ...events(4)))).toEqual(['0', 'f1', '2', '3', '4', '5']);
    expect(shown(filled(findingItem(START), ...events(4)), { opened: 0 })).toEqual(['F0', 'F0', '1', '2', '3', '4']);
    expect(shown(filled(findingItem(START)), { height: 3, bottom: 0 })).toEqual(['F0', 'F0', 'F0']);
  });

  it('says at the top what is no longer kept', () => {
    const timeline = filled(...events(MAX_ENTRIES + 1234));
    const lines = shown(timeline, { bottom: timeline.first + 1 });
    expect(lines[0]).toBe(' … 1,234 older rows are no longer kept (at most 10,000)');
    expect(lines.slice(1)).toEqual(['1234', '1235']);
  });

  it('finds the bottom that shows an entry whole', () => {
    const timeline = filled(...events(3), findingItem(START), ...events(10));
    const { bottom: _bottom, ...rest } = request();
    expect(bottomToShow(timeline, 3, rest)).toBe(4);
    expect(shown(timeline, { bottom: 4 })).toEqual(['F3', 'F3', 'F3', 'F3', 'F3', '4']);
    expect(bottomToShow(timeline, 13, rest)).toBe(13);
  });
});
