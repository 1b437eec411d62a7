import { describe, expect, it } from 'vitest';
import { goQuote, goQuoteCharacter, parseInt64, parseUint64 } from '../../src/protocol/go-strconv.ts';

describe('goQuote', () => {
  it.each([
    ['abc', '"abc"'],
    ['', '""'],
    ['a"b\\c\'', '"a\\"b\\\\c\'"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\x00\x1f\x7f', '"\\x00\\x1f\\x7f"'],
    ['é €😀', '"é €😀"'],
    ['\u0080\u00a0\u200b\u2028\ufeff', '"\\u0080\\u00a0\\u200b\\u2028\\ufeff"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['\ud800', '"\\ufffd"'],
  ])('%j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });

  it('names one character', () => {
    expect(['a', "'", '"', '\n', '\u0081'].map(goQuoteCharacter)).toEqual([
      "'a'",
      "'\\''",
      `'"'`,
      "'\\n'",
      "'\\u0081'",
    ]);
  });
});

describe('parseInt64', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['+5', 5n],
    ['-12', -12n],
    ['007', 7n],
    [`${'0'.repeat(30)}1`, 1n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('%s', (text, value) => {
    expect(parseInt64(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'invalid syntax'],
    ['abc', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['1\n', 'invalid syntax'],
    ['1_0', 'invalid syntax'],
    ['0x10', 'invalid syntax'],
    ['-', 'invalid syntax'],
    ['９', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    ['9'.repeat(100_000), 'value out of range'],
  ])('%.20j: %s', (text, why) => {
    expect(parseInt64(text)).toEqual({ ok: false, message: `strconv.ParseInt: parsing ${goQuote(text)}: ${why}` });
  });
});

describe('parseUint64', () => {
  it.each([
    ['0', 0n],
    ['18446744073709551615', 18446744073709551615n],
  ])('%s', (text, value) => {
    expect(parseUint64(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'invalid syntax'],
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['+1', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
    ['1'.repeat(21), 'value out of range'],
  ])('%j: %s', (text, why) => {
    expect(parseUint64(text)).toEqual({ ok: false, message: `strconv.ParseUint: parsing ${goQuote(text)}: ${why}` });
  });
});
