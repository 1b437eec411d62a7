import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, hasControl, quote } from '../../src/diagnosis/quote.ts';

describe('quote', () => {
  it('spells out what could move a cursor, hide or reorder text, and drops colours', () => {
    expect(quote('a\u0007b\u202Ec')).toBe('a\\x07b\\u202ec');
    expect(quote('\u001b[31mred\u001b[0m')).toBe('red');
    expect(quote('two\r\n  lines')).toBe('two lines');
  });

  it('leaves no control character and keeps to its length, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 1, max: 200 }), (text, max) => {
        const safe = quote(text, max);
        expect(hasControl(safe)).toBe(false);
        expect(Array.from(safe).length).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('cuts between characters, not inside one', () => {
    expect(clip('🚀🚀🚀', 2)).toBe('🚀…');
    expect(clip('🚀🚀', 2)).toBe('🚀🚀');
  });
});
