import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRv, isDecimalRv, revisionsApart, rv } from '../../src/protocol/resource-version.ts';

describe('a resourceVersion', () => {
  it('is left as it is', () => {
    expect(rv('007x')).toBe('007x');
  });

  it.each([
    ['0', true],
    ['007', true],
    ['18446744073709551616', true],
    ['', false],
    ['-1', false],
    ['+1', false],
    ['1.5', false],
    ['1 ', false],
    ['1\n', false],
    ['٣', false],
    ['abc', false],
  ])('%j is a decimal: %s', (text, decimal) => {
    expect(isDecimalRv(text)).toBe(decimal);
  });
});

describe('compareRv', () => {
  const decimal = fc.tuple(fc.nat(3), fc.bigInt({ min: 0n, max: 2n ** 70n })).map(([zeros, value]) => ({
    text: '0'.repeat(zeros) + value,
    value,
  }));

  it('orders decimals as numbers, beyond 2^53 too', () => {
    fc.assert(
      fc.property(decimal, decimal, (x, y) => {
        expect(compareRv(x.text, y.text)).toBe(x.value < y.value ? -1 : x.value > y.value ? 1 : 0);
        expect(revisionsApart(x.text, y.text)).toBe(Number(y.value - x.value));
      }),
    );
  });

  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['007', '7', 0],
    ['7', '7', 0],
    ['0', '000', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['abc', 'abc', undefined],
    ['', '', undefined],
    ['', '5', undefined],
    ['5', 'x', undefined],
    ['-1', '5', undefined],
  ])('%j, %j: %s', (a, b, order) => {
    expect(compareRv(a, b)).toBe(order);
  });

  it('finds no distance where there is no order', () => {
    expect(revisionsApart('5', 'x')).toBeUndefined();
    expect(revisionsApart('x', '5')).toBeUndefined();
    expect(revisionsApart('41877', '96214')).toBe(54_337);
    expect(revisionsApart('96214', '41877')).toBe(-54_337);
  });
});
