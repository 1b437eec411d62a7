import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { literalSearch } from '../../src/util/literal-search.ts';

describe('literalSearch', () => {
  it.each([
    [['he', 'she', 'hers'], 'ushers', true],
    [['abcd', 'bc'], 'abce', true],
    [['abcd', 'bce'], 'abce', true],
    [['abc'], 'abab', false],
    [['abc'], 'ab\u00e9c', false],
    [['aab'], 'aaab', true],
    [[], 'anything', false],
    [['a'], '', false],
  ])('%j in %j: %s', (pieces, text, found) => {
    expect(literalSearch(pieces)(text)).toBe(found);
  });

  it('finds what includes() finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), maxLength: 30 }),
        (pieces, text) => {
          expect(literalSearch(pieces)(text)).toBe(pieces.some((piece) => text.includes(piece)));
        },
      ),
    );
  });

  it('refuses pieces that it could not find', () => {
    expect(() => literalSearch([''])).toThrow(RangeError);
    expect(() => literalSearch(['naïve'])).toThrow(RangeError);
  });
});
