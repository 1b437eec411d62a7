import type { Line } from '../render/spans.ts';
import type { Theme } from '../render/theme.ts';
import type { Frame } from './frame.ts';

/** One region as Ink gets it: lines with their colour codes, joined. */
export interface PaintedRegion {
  text: string;
  height: number;
}

export type PaintedFrame = { [region in keyof Frame]: PaintedRegion };

const REGIONS = ['header', 'room', 'rule', 'body', 'detail', 'footer'] as const;

export function paintFrame(frame: Frame, theme: Theme): PaintedFrame {
  const paint = (lines: Line[]): PaintedRegion => ({
    // A line that is empty still needs its row.
    text: lines.map((line) => theme.paint(line) || ' ').join('\n'),
    height: lines.length,
  });
  return {
    header: paint(frame.header),
    room: paint(frame.room),
    rule: paint(frame.rule),
    body: paint(frame.body),
    detail: paint(frame.detail),
    footer: paint(frame.footer),
  };
}

/** True where the two look the same, so that nothing has to be drawn. */
export function samePaint(a: PaintedFrame, b: PaintedFrame): boolean {
  return REGIONS.every((region) => a[region].text === b[region].text && a[region].height === b[region].height);
}
