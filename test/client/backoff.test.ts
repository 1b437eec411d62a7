import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff } from '../../src/client/backoff.ts';

describe('Backoff', () => {
  it('grows as client-go does, up to 30 s, and begins anew after two quiet minutes', () => {
    const backoff = new Backoff(() => 0);
    const waits: number[] = [];
    for (let at = 0; waits.length < 8; at += waits.at(-1) as number) waits.push(backoff.next(at));
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(backoff.attempt).toBe(8);
    expect(backoff.next(10_000_000)).toBe(800);
  });

  it('adds a jitter of up to the wait itself', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(20), (random, steps) => {
        const backoff = new Backoff(() => random);
        for (let n = 0; n < steps; n++) backoff.next(0);
        const wait = backoff.next(0);
        const least = Math.min(800 * 2 ** steps, 30_000);
        expect(wait).toBeGreaterThanOrEqual(least);
        expect(wait).toBeLessThanOrEqual(2 * least);
      }),
    );
  });

  it('lets the LIST after a first 410 go at once, and counts it', () => {
    const backoff = new Backoff(() => 0);
    expect([backoff.nextAfterGone(0), backoff.nextAfterGone(1000), backoff.nextAfterGone(500_000)]).toEqual([
      0, 1600, 0,
    ]);
  });

  it('holds no refused connections before a first 410 against it', () => {
    const backoff = new Backoff(() => 0);
    for (let n = 0; n < 6; n++) backoff.next(n * 1000);
    expect(backoff.nextAfterGone(10_000)).toBe(0);
    expect(backoff.nextAfterGone(11_000)).toBe(30_000);
  });

  it('keeps six requests in 30 s', () => {
    const backoff = new Backoff(() => 0);
    for (let at = 0; at < 6; at++) {
      expect(backoff.paceDelay(at)).toBe(0);
      backoff.noteRequest(at);
    }
    expect(backoff.paceDelay(6)).toBe(29_994);
    expect(backoff.paceDelay(30_000)).toBe(0);
    backoff.resetPace();
    expect(backoff.paceDelay(6)).toBe(0);
  });
});
