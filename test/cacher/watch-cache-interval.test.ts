import { describe, expect, it } from 'vitest';
import { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import { WatchCacheHistory } from '../../src/cacher/watch-cache-history.ts';
import { RingInterval } from '../../src/cacher/watch-cache-interval.ts';
import { stored } from '../support/lab.ts';

const object = stored('a', 1);

function filled(capacity: number, count: number) {
  const history = new WatchCacheHistory(capacity, () => {});
  let rv = 0;
  const add = (n: number) => {
    for (let i = 0; i < n; i += 1) {
      rv += 1;
      history.append(
        new WatchCacheEvent({ type: 'ADDED', object, prevObject: undefined, key: 'a', rv, recordTime: 0 }),
      );
    }
  };
  add(count);
  return { history, add };
}

/** RVs of the next `count` events, or how it ended. */
function take(interval: RingInterval, count: number): (number | string | undefined)[] {
  return Array.from({ length: count }, () => {
    const event = interval.next();
    return event instanceof WatchCacheEvent ? event.rv : event;
  });
}

describe('RingInterval', () => {
  it('gives its slice, and nothing of what came later', () => {
    const { history, add } = filled(300, 10);
    const interval = new RingInterval(history, 7, 10);
    add(5);
    expect(take(interval, 5)).toEqual([8, 9, 10, undefined, undefined]);
  });

  it('reads 100 at a time: what is read cannot be lost any more, what is not can', () => {
    const { history, add } = filled(200, 200);
    const interval = new RingInterval(history, 0, 200);
    expect(take(interval, 1)).toEqual([1]);
    add(101);
    expect(take(interval, 99)).toEqual(Array.from({ length: 99 }, (_, i) => i + 2));
    expect(take(interval, 2)).toEqual(['invalidated', 'invalidated']);
  });

  it('goes on as long as its next event is there, to the very one', () => {
    const { history, add } = filled(200, 200);
    const interval = new RingInterval(history, 0, 200);
    take(interval, 100);
    add(100);
    expect(take(interval, 101)).toEqual([...Array.from({ length: 100 }, (_, i) => i + 101), undefined]);
  });

  it('is invalidated by a relist, unless it is at its end', () => {
    const { history } = filled(200, 200);
    const [midway, done] = [new RingInterval(history, 0, 200), new RingInterval(history, 200, 200)];
    take(midway, 100);
    history.reset();
    expect(take(midway, 1)).toEqual(['invalidated']);
    expect(take(done, 1)).toEqual([undefined]);
  });

  it('survives that the ring grows under it', () => {
    const history = new WatchCacheHistory('auto', () => {});
    const add = (rv: number) =>
      history.append(
        new WatchCacheEvent({ type: 'ADDED', object, prevObject: undefined, key: 'a', rv, recordTime: 0 }),
      );
    for (let rv = 1; rv <= 100; rv += 1) add(rv);
    const interval = new RingInterval(history, 50, 100);
    for (let rv = 101; rv <= 1_000; rv += 1) add(rv);
    expect(take(interval, 51)).toEqual([...Array.from({ length: 50 }, (_, i) => i + 51), undefined]);
  });
});
