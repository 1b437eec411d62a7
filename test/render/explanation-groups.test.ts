import { describe, expect, it } from 'vitest';
import type { LogGroup, LogReport } from '../../src/explain/log-survey.ts';
import { type LogEnvelope, logLines, logRecords, logTime } from '../../src/render/explanation-groups.ts';
import { lineText, lineWidth } from '../../src/render/spans.ts';

const AT = Date.UTC(2026, 5, 11, 4, 12, 9, 118);
const group: LogGroup = {
  class: 'ring-buffer-expiry',
  count: 37,
  first: { ms: AT, scale: 'utc' },
  last: { ms: AT + 360_000, scale: 'utc' },
  distinctReflectors: 12,
  reflectors: [{ name: `cache.go:114 v1.Pod ${'x'.repeat(200)}`, count: 20 }],
  capped: false,
  servers: 2,
  refusedBy: 'watch-cache',
  harm: 'act',
  title: '410: the watch cache no longer reached back, 37 × in 6 min, 12 reflectors, 2 apiservers: not harmless',
  text: 'A sentence. '.repeat(30).trim(),
  next: ['kwatch tail RESOURCE: watch it live', `a long step ${'y'.repeat(100)}`],
  facts: { requested_rv: '41877' },
  sample: `W0611 \u001b]0;evil\u0007${'z'.repeat(900)}`,
};
const report: LogReport = { matched: 37, groups: [group], from: group.first, to: group.last, harm: 'act' };
const envelope: LogEnvelope = { at: AT, lines: 1034, longLines: 2, notes: ['the text is UTF-16'], exitCode: 0 };

describe('a log’s answer', () => {
  it.each([
    ['utc', '2026-06-11T04:12:09.118Z'],
    ['local', '2026-06-11T04:12:09.118'],
    ['yearless', '06-11T04:12:09.118'],
    ['clock', '04:12:09.118'],
  ] as const)('writes a time of scale %s as the log has it', (scale, text) => {
    expect(logTime({ ms: AT, scale })).toBe(text);
  });

  it.each([40, 80])('fits %i columns and holds no control character', (width) => {
    const lines = logLines(report, envelope, width);
    for (const line of lines) {
      expect(lineWidth(line)).toBeLessThanOrEqual(width);
      expect(lineText(line)).not.toMatch(/[\x00-\x1f\x7f]/);
    }
    const text = lines.map(lineText).join(' ').replace(/\s+/g, ' ');
    expect(text).toContain('37 records of watch trouble in 1,034 lines');
    expect(text).toContain('SOMEBODY HAS TO ACT · ring-buffer');
    expect(text).toContain('11 more');
    expect(text).toContain('2 lines of more than 64 KiB');
  });

  it('is a group a class and a summary in records', () => {
    expect(logRecords(report, envelope)).toMatchObject([
      {
        record: 'group',
        count: 37,
        first: '2026-06-11T04:12:09.118Z',
        distinct_reflectors: 12,
        apiservers: 2,
        refused_by: 'watch-cache',
      },
      { record: 'summary', lines: 1034, matched: 37, groups: 1, harm: 'act', exit_code: 0 },
    ]);
    const [first] = logRecords(report, envelope);
    expect(String(first?.sample).length).toBeLessThanOrEqual(520);
    expect(first).not.toHaveProperty('capped');
  });
});
