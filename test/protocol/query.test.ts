import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstValue, parseQuery } from '../../src/protocol/query.ts';

const entries = (text: string) => [...parseQuery(text)];

describe('parseQuery', () => {
  it.each<[string, [string, string[]][]]>([
    ['', []],
    ['watch', [['watch', ['']]]],
    ['watch=', [['watch', ['']]]],
    [
      'a=1&b=2&a=3',
      [
        ['a', ['1', '3']],
        ['b', ['2']],
      ],
    ],
    ['a=b=c', [['a', ['b=c']]]],
    ['&&a=1&', [['a', ['1']]]],
    ['=x', [['', ['x']]]],
    ['a=b+c%2Bd', [['a', ['b c+d']]]],
    ['%61%3d=%E2%82%AC%f0%9f%98%80', [['a=', ['€😀']]]],
    // Go drops what it cannot read, without a word.
    ['a=%zz&b=%4&c=%&d=1', [['d', ['1']]]],
    ['%zz=1&a=1', [['a', ['1']]]],
    ['a=1;b=2&c=3', [['c', ['3']]]],
    ['a=%ff', [['a', ['\ufffd']]]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', ['1']],
        ['constructor', ['2']],
      ],
    ],
  ])('%s', (text, expected) => {
    expect(entries(text)).toEqual(expected);
  });

  it('gives the first value', () => {
    const query = parseQuery('a=1&a=2&b');
    expect([firstValue(query, 'a'), firstValue(query, 'b'), firstValue(query, 'c')]).toEqual(['1', '', undefined]);
  });

  it('reads back what URLSearchParams writes', () => {
    const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const query = parseQuery(new URLSearchParams(pairs).toString());
        for (const [name, value] of pairs) expect(query.get(name)).toContain(value);
      }),
    );
  });
});
