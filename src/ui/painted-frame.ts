import type { Line } from '../render/spans.ts';
import type { Theme } from '../render/theme.ts';
import type { Frame } from './frame.ts';

/** The regions of a frame as Ink gets them: lines with their colour codes. */
export type PaintedFrame = { readonly [region in keyof Frame]: readonly string[] };

const REGIONS = ['header', 'room', 'rule', 'body', 'detail', 'footer'] as const;

export function paintFrame(frame: Frame, theme: Theme): PaintedFrame {
  // A line that is empty still needs its row.
  const paint = (lines: Line[]) => lines.map((line) => theme.paint(line) || ' ');
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
  return REGIONS.every((region) => {
    const [before, after] = [a[region], b[region]];
    return before.length === after.length && before.every((line, i) => line === after[i]);
  });
}
