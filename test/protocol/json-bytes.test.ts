import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOWHERE, stringEnd, valueEnd } from '../../src/protocol/json-bytes.ts';
import { nested, trickyText } from './event-documents.ts';

describe('stringEnd', () => {
  it('finds the closing quote of any string, short or long', () => {
    const long = fc.tuple(trickyText, fc.nat(80), trickyText).map(([a, length, b]) => a + 'x'.repeat(length) + b);
    fc.assert(
      fc.property(long, fc.nat(5), (text, before) => {
        const written = JSON.stringify(text);
        const bytes = Buffer.from(`${'"'.repeat(before)}${written}",`);
        expect(stringEnd(bytes, before + 1)).toBe(before + Buffer.byteLength(written) - 1);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['abc', NOWHERE],
    ['abc\\"', NOWHERE],
    ['abc\\\\"', 5],
    [`${'a'.repeat(40)}\\"`, NOWHERE],
    [`${'a'.repeat(40)}\\\\"`, 42],
    [`${'a'.repeat(31)}\\"b"`, 34],
    [`${'a'.repeat(30)}\\"b"`, 33],
    ['', NOWHERE],
  ])('of %s is %i', (text, end) => {
    expect(stringEnd(Buffer.from(text), 0)).toBe(end);
  });
});

describe('valueEnd', () => {
  it('steps over any value', () => {
    fc.assert(
      fc.property(nested, fc.constantFrom(',', '}', ']', ',"}]'), (value, behind) => {
        const written = JSON.stringify(value);
        expect(valueEnd(Buffer.from(`[${written}${behind}`), 1)).toBe(1 + Buffer.byteLength(written));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['{"a":1', '[1,', '"a', '12', '{"a":"}', ' {}', '\n[],', '1 ,', '1\n}', '1"', '1{}', '1[]'])(
    'finds no end of %s',
    (text) => {
      expect(valueEnd(Buffer.from(text), 0)).toBe(NOWHERE);
    },
  );
});
