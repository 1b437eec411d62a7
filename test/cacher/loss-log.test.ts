import { expect, it } from 'vitest';
import { LossLog } from '../../src/cacher/loss-log.ts';

it('finds the first loss after an RV, over growth and wrap-around', () => {
  const log = new LossLog();
  for (let i = 1; i <= 1_000; i += 1) log.add({ rv: i * 2, recordTime: i });
  expect(log.firstAfter(0)).toBe(1);
  expect(log.firstAfter(2)).toBe(2);
  expect(log.firstAfter(1_001)).toBe(501);
  expect(log.firstAfter(2_000)).toBeUndefined();
});

it('remembers as many as the largest ring; of an older loss it gives the oldest it knows', () => {
  const log = new LossLog();
  for (let i = 1; i <= 102_400 + 10; i += 1) log.add({ rv: i, recordTime: i });
  expect(log.firstAfter(0)).toBe(11);
  expect(log.firstAfter(102_409)).toBe(102_410);
});

it('forgets all after a relist', () => {
  const log = new LossLog();
  log.add({ rv: 1, recordTime: 1 });
  log.clear();
  expect(log.firstAfter(0)).toBeUndefined();
  log.add({ rv: 5, recordTime: 9 });
  expect(log.firstAfter(0)).toBe(9);
});
