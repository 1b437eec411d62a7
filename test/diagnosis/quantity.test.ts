import { describe, expect, it } from 'vitest';
import { longSpan, plural, span, timerSpan, times, wholeMs } from '../../src/diagnosis/quantity.ts';

describe('quantities in words', () => {
  it.each([
    [0, '0 ms'],
    [84, '0.08 s'],
    [2_500, '2.5 s'],
    [10_000, '10 s'],
    [247_000, '247 s'],
    [600_000, '10 min'],
    [661_000, '11 min 1 s'],
    [7_500_000, '2 h 5 min'],
    [-5, '0 ms'],
  ])('%d ms is %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  it('takes what was measured near a round length for a timer of that length', () => {
    expect([49_400, 50_600, 20_250, 247_000, 53_000].map(timerSpan)).toEqual(['50 s', '50 s', '20 s', '247 s', '53 s']);
  });

  it('says minutes beside a long silence', () => {
    expect([90_000, 247_000, 700_000].map(longSpan)).toEqual(['90 s', '247 s (about 4 min)', '11 min 40 s']);
  });

  it('counts', () => {
    expect([times(1), times(2), times(3), plural(1, 'event'), plural(2, 'event')]).toEqual([
      'once',
      'twice',
      '3 times',
      '1 event',
      '2 events',
    ]);
    expect([wholeMs(1.6), wholeMs(-3)]).toEqual([2, 0]);
  });
});
