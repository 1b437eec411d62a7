import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttempt } from '../../src/store/dial-backoff.ts';
import { seededRandom } from '../../src/util/random.ts';

/** No jitter at all: every pause is exactly as long as it grows. */
const middle = () => 0.5;

describe('the next attempt to connect', () => {
  it.each([
    { now: 0, at: 0 },
    { now: 1, at: 1_000 },
    { now: 1_000, at: 1_000 },
    { now: 1_001, at: 2_600 },
    { now: 5_200, at: 9_256 },
    { now: 9_300, at: 15_809.6 },
  ])('lost at 0, back at $now: $at', ({ now, at }) => {
    expect(nextAttempt(0, now, middle)).toBeCloseTo(at, 3);
  });

  it('is never in the past, and never further away than the longest pause', () => {
    const time = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(time, time, fc.integer(), (lostAt, away, seed) => {
        const now = lostAt + away;
        const at = nextAttempt(lostAt, now, seededRandom(seed));
        expect(at).toBeGreaterThanOrEqual(now);
        // Each pause is at most 1.6 times as long as all the time before it, give or take the jitter, and 144 s at most.
        expect(at - now).toBeLessThanOrEqual(Math.min(Math.max(1_200, away * 2.4), 144_000));
      }),
    );
  });
});
