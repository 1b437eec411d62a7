import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../src/render/sanitize.ts';
import { chop, padTo, textWidth, truncate, wrap } from '../../src/render/width.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom('web-0 ', '日本', '🙂', 'é', '…', '─', ' ')).map((all) => all.join('')),
  )
  .map((each) => sanitize(each));

describe('width', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本', 4],
    ['🙂', 2],
    ['─▪▫↻…', 5],
  ])('%j takes %i cells', (sample, cells) => {
    expect(textWidth(sample)).toBe(cells);
  });

  it('is never less than what a terminal that knows graphemes draws', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(textWidth(sample)).toBeGreaterThanOrEqual(stringWidth(sample));
      }),
    );
  });

  it.each([
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['日本語', 4, '日…'],
    ['abc', 0, ''],
  ])('truncate(%j, %i) is %j', (sample, width, cut) => {
    expect(truncate(sample, width)).toBe(cut);
  });

  it('truncate fits and padTo fills exactly', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (sample, width) => {
        expect(textWidth(truncate(sample, width))).toBeLessThanOrEqual(width);
        expect(textWidth(padTo(sample, width))).toBe(width);
        expect(textWidth(padTo(sample, width, 'right'))).toBe(width);
      }),
    );
  });

  it('wrap breaks at spaces and fits every line, losing nothing but spaces', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(wrap('', 10)).toEqual(['']);
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (sample, width) => {
        const lines = wrap(sample, width);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(sample.replaceAll(' ', ''));
      }),
    );
  });

  it('chop keeps every character', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (sample, width) => {
        const pieces = chop(sample, width);
        expect(pieces.join('')).toBe(sample);
        for (const piece of pieces) expect(textWidth(piece)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
