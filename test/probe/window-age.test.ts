import { describe, expect, it } from 'vitest';
import { type Floor, floorMoves, type Newest, windowAge } from '../../src/probe/window-age.ts';
import { rv } from '../../src/protocol/resource-version.ts';

/** Answers take 100 ms. Times in s. */
const newest = (at: number, value: number): Newest => ({
  rv: rv(String(value)),
  askedAt: at * 1000,
  answeredAt: at * 1000 + 100,
});
const floor = (at: number, value: number): Floor => ({
  floor: rv(String(value)),
  askedAt: at * 1000,
  answeredAt: at * 1000 + 100,
});

describe('windowAge', () => {
  const marks = [newest(0, 100), newest(30, 130), newest(60, 160), newest(90, 190)];

  it('nothing lost: at least the age of the oldest RV seen', () => {
    expect(windowAge(marks, [floor(50, 90), floor(100, 90)])).toEqual({ atLeastMs: 99_900 });
  });

  it('an RV at the floor is still good, one below it was lost', () => {
    expect(windowAge(marks, [floor(100, 130)])).toEqual({ atLeastMs: 69_900, atMostMs: 100_100 });
  });

  it('the narrowest of several samples counts', () => {
    expect(windowAge(marks, [floor(100, 130), floor(110, 161)])).toEqual({ atLeastMs: 19_900, atMostMs: 50_100 });
  });

  it('an RV that was read after the floor says nothing of it', () => {
    expect(windowAge(marks, [floor(20, 90)])).toEqual({ atLeastMs: 19_900 });
    expect(windowAge([newest(30, 130)], [floor(20, 90)])).toEqual({ atLeastMs: 0 });
  });

  it('numbers beyond what a double holds are compared as they are', () => {
    const large = '90071992547409930';
    const asked = { askedAt: 0, answeredAt: 0 };
    const floors = [{ floor: rv('90071992547409931'), askedAt: 10_000, answeredAt: 10_000 }];
    expect(windowAge([{ rv: rv(large), ...asked }], floors).atMostMs).toBe(10_000);
  });

  it('no floor, no age', () => {
    expect(windowAge(marks, [])).toEqual({});
    expect(windowAge([], [floor(1, 1)])).toEqual({ atLeastMs: 0 });
  });
});

describe('floorMoves', () => {
  it('two replicas have two floors; a third value is one that moves', () => {
    expect(floorMoves([floor(0, 100), floor(10, 140), floor(20, 100), floor(30, 140)])).toBe(false);
    expect(floorMoves([floor(0, 100), floor(10, 103), floor(20, 108)])).toBe(true);
  });
});
