import { describe, expect, it } from 'vitest';
import { base64Error } from '../../src/protocol/go-base64.ts';
import { goTime, goTimeError } from '../../src/protocol/go-time.ts';

describe('base64Error', () => {
  it.each(['', 'MQ==', 'MTI=', 'MTIz', 'MT\nIz', 'MQ=\r\n=', 'MQ==\n'])('takes %j', (text) => {
    expect(base64Error(text)).toBeUndefined();
  });

  it.each([
    ['MQ', 0],
    ['MTI', 0],
    ['MTIzM', 4],
    ['!!', 0],
    ['MT!z', 2],
    ['=', 0],
    ['M===', 1],
    ['MQ=', 3],
    ['MQ=x', 3],
    ['MQ==x', 4],
    ['MTI=x', 4],
  ])('says where %j goes wrong', (text, at) => {
    expect(base64Error(text)).toBe(`illegal base64 data at input byte ${at}`);
  });
});

describe('goTimeError', () => {
  it.each([
    ['2020-01-02T03:04:05Z', false],
    ['2020-01-02T03:04:05.5+02:00', false],
    ['2020-01-02T03:04:05.123456Z', true],
  ])('takes %j', (text, micro) => {
    expect(goTimeError(text, micro)).toBeUndefined();
  });

  it.each([
    ['x', false, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['2020-01-01', false, 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2020-01-02T03:04:05Zx', false, 'parsing time "2020-01-02T03:04:05Zx": extra text: "x"'],
    ['2020-01-42T03:04:05Z', false, 'parsing time "2020-01-42T03:04:05Z": day out of range'],
    [
      '2020-01-01T00:00:00.5Z',
      true,
      'parsing time "2020-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    ],
  ])('refuses %j', (text, micro, message) => {
    expect(goTimeError(text, micro)).toBe(message);
  });

  it('writes UTC, in whole seconds or with six digits', () => {
    expect(goTime('2020-01-02T03:04:05.9+02:00', false)).toBe('2020-01-02T01:04:05Z');
    expect(goTime('2020-01-02T03:04:05.120000Z', true)).toBe('2020-01-02T03:04:05.120000Z');
  });
});
