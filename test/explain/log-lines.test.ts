import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, MAX_LINE } from '../../src/explain/log-lines.ts';

function split(pieces: readonly string[]): { lines: string[]; splitter: LineSplitter } {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return { lines, splitter };
}

describe('lines of a log', () => {
  it('takes \\n and \\r\\n for ends of lines, and a last line without one', () => {
    expect(split(['a\r\nb\n\nc']).lines).toEqual(['a', 'b', '', 'c']);
    expect(split(['a\n']).lines).toEqual(['a']);
    expect(split(['']).lines).toEqual([]);
  });

  it('does not depend on where the text was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab\r\n]{0,6}$/)), (pieces) => {
        expect(split(pieces).lines).toEqual(split([pieces.join('')]).lines);
      }),
    );
  });

  it.each([
    ['in one piece', 2_000_000],
    ['in pieces', 1_000],
    ['in pieces that just do not fit', MAX_LINE - 1],
  ])('keeps the beginning and the end of a line that is too long: %s', (_, size) => {
    const long = `BEGIN${'x'.repeat(1_000_000)}END`;
    const text = `first\n${long}\nlast`;
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    const { lines, splitter } = split(pieces);
    expect(lines.map((line) => line.length)).toEqual([5, MAX_LINE + 3, 4]);
    expect(lines[1]).toMatch(/^BEGINx+ … x+END$/);
    expect(splitter.longLines).toBe(1);
    expect(splitter.lines).toBe(3);
  });

  it('keeps a line whole that just fits', () => {
    const { lines, splitter } = split(['y'.repeat(MAX_LINE - 10), 'y'.repeat(10), '\nz']);
    expect(lines.map((line) => line.length)).toEqual([MAX_LINE, 1]);
    expect(splitter.longLines).toBe(0);
  });
});
