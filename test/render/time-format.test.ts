import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { age, ago, delta, duration, rfc3339, sinceStart, timeOfDay } from '../../src/render/time-format.ts';

describe('times', () => {
  it('writes RFC 3339 as the platform does, from year 1 to 9999', () => {
    const moment = fc.integer({ min: -62_135_596_800_000, max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(moment, (at) => {
        expect(rfc3339(at)).toBe(new Date(at).toISOString());
      }),
      { numRuns: 2000 },
    );
    expect(rfc3339(Date.UTC(2024, 1, 29, 23, 59, 59, 999))).toBe('2024-02-29T23:59:59.999Z');
  });

  it('drops the fraction that a scaled clock has', () => {
    expect(rfc3339(1_500_000_000_000.75)).toBe('2017-07-14T02:40:00.000Z');
    expect(timeOfDay(Date.UTC(2026, 10, 30, 12, 9, 40, 902) + 0.9)).toBe('12:09:40.902');
  });

  it.each([
    [0, '0:00.0', '0:00.000'],
    [3_512, '0:03.5', '0:03.512'],
    [4_500_000, '75:00.0', '75:00.000'],
    [-5, '0:00.0', '0:00.000'],
  ])('%i ms since the start is %s', (ms, short, long) => {
    expect(sinceStart(ms)).toBe(short);
    expect(sinceStart(ms, 3)).toBe(long);
  });

  it.each([
    [2, '+2ms'],
    [98, '+98ms'],
    [417, '+0.4s'],
    [1_000, '+1.0s'],
    [14_308, '+14.3s'],
    [99_990, '+1m40s'],
    [279_000, '+4m39s'],
    [720_000, '+12m'],
    [11_000_000, '+3h'],
    [400_000_000, '+4d'],
    [-3, '+0ms'],
  ])('a step of %i ms is %s', (ms, text) => {
    expect(delta(ms)).toBe(text);
  });

  it('never needs more than the six cells of its column', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 3e10, noNaN: true }), (ms) => {
        expect(delta(ms).length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it.each([
    [400, '0 s', 'now', '0.4 s'],
    [9_400, '9 s', '9 s', '9.4 s'],
    [190_000, '190 s', '190 s', '190 s'],
    [279_000, '4 m 39 s', '4 m 39 s', '4 m 39 s'],
    [11_100_000, '3 h 05 m', '3 h 05 m', '3 h 05 m'],
  ])('%i ms: age %s, ago %s, duration %s', (ms, first, second, third) => {
    expect([age(ms), ago(ms), duration(ms)]).toEqual([first, second, third]);
  });
});
