import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { cacherMetrics } from '../../src/cacher/cacher-metrics.ts';
import { WatchCache } from '../../src/cacher/watch-cache.ts';
import { WatchCacheHistory } from '../../src/cacher/watch-cache-history.ts';
import type { WatchCacheInterval } from '../../src/cacher/watch-cache-interval.ts';
import { objectRange } from '../../src/store/object-range.ts';
import { ExpiredError } from '../../src/store/storage-errors.ts';
import { Metrics } from '../../src/util/metrics.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { PODS, predicate, refused, stored } from '../support/lab.ts';

let clock: FakeClock;
let cache: WatchCache;

function make(capacity: number | 'auto'): void {
  clock = new FakeClock();
  const history = new WatchCacheHistory(capacity, () => {});
  const metrics = cacherMetrics(new Metrics(), 'pods', '/registry/pods');
  cache = new WatchCache({ clock, history, resourcePrefix: '/registry/pods', metrics });
}

beforeEach(() => make(4));

/** `ADDED a@101 as 105`: the object's own RV, and the one that the event counts as. */
function read(interval: WatchCacheInterval): string[] {
  const seen: string[] = [];
  for (let event = interval.next(); event; event = interval.next()) {
    if (event === 'invalidated') return [...seen, event];
    seen.push(`${event.type} ${event.object.object.metadata.name}@${event.object.rv} as ${event.rv}`);
  }
  return seen;
}

const since = (rv: number, sendInitialEvents?: boolean) => read(cache.getAllEventsSince(rv, sendInitialEvents));

function refusal(rv: number, sendInitialEvents?: boolean): ExpiredError {
  try {
    cache.getAllEventsSince(rv, sendInitialEvents);
  } catch (error) {
    expect(error).toBeInstanceOf(ExpiredError);
    return error as ExpiredError;
  }
  throw new Error(`RV ${rv} was accepted`);
}

/** Listed at 100 with b and a; then updates of a at 101 … 100 + n. */
function listedAndUpdated(n: number): void {
  cache.replace([stored('b', 90), stored('a', 95)], 100, 'start');
  for (let i = 1; i <= n; i += 1) cache.processEvent('MODIFIED', stored('a', 100 + i));
}

describe('getAllEventsSince, row by row', () => {
  it('1. sendInitialEvents=true: the whole store as ADDED in key order, each event as of the cache’s RV, at any RV', () => {
    listedAndUpdated(2);
    const state = ['ADDED a@102 as 102', 'ADDED b@90 as 102'];
    expect([since(0, true), since(102, true), since(1, true), since(999, true)]).toEqual([state, state, state, state]);
  });

  it('2a. oldest = list RV + 1 while nothing was overwritten, events or not', () => {
    listedAndUpdated(0);
    expect(since(100)).toEqual([]);
    expect(refusal(99).message).toBe('too old resource version: 99 (100)');
    listedAndUpdated(3);
    expect(cache.floor).toBe(100);
    expect(since(100)).toEqual(['MODIFIED a@101 as 101', 'MODIFIED a@102 as 102', 'MODIFIED a@103 as 103']);
  });

  it('2a. and so for hours: what etcd has compacted or what time has passed does not count', async () => {
    listedAndUpdated(1);
    await clock.advance(24 * 3_600_000);
    expect(since(100)).toEqual(['MODIFIED a@101 as 101']);
  });

  it('2b. oldest = the ring’s first event once something was overwritten', () => {
    listedAndUpdated(6);
    expect(cache.floor).toBe(102);
    expect(since(102)).toHaveLength(4);
    expect(refusal(101).message).toBe('too old resource version: 101 (102)');
  });

  it('2c. neither list nor event: not initialised, a raw 500', () => {
    expect(() => cache.getAllEventsSince(0, undefined)).toThrow("watch cache isn't correctly initialized");
    expect(() => cache.getAllEventsSince(5, false)).toThrow("watch cache isn't correctly initialized");
  });

  it('3. R = 0 and sendInitialEvents absent: the whole store as in 1', () => {
    listedAndUpdated(6);
    expect(since(0)).toEqual(['ADDED a@106 as 106', 'ADDED b@90 as 106']);
  });

  it('4. R = 0 and sendInitialEvents=false: from now', () => {
    listedAndUpdated(6);
    expect(since(0, false)).toEqual([]);
  });

  it('5. R < oldest - 1: 410 with R and oldest - 1', () => {
    listedAndUpdated(6);
    expect(refusal(1).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'too old resource version: 1 (102)',
      reason: 'Expired',
      code: 410,
    });
    expect(refusal(1, false).message).toBe('too old resource version: 1 (102)');
  });

  it('6. else the ring from the first event after R, which may be none, also for a future R', () => {
    listedAndUpdated(6);
    expect(since(104)).toEqual(['MODIFIED a@105 as 105', 'MODIFIED a@106 as 106']);
    expect([since(106), since(107), since(5_000, false)]).toEqual([[], [], []]);
  });

  it('expired exactly when R < oldest - 1, and else exactly what came after R', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.constant('write' as const) },
      { weight: 2, arbitrary: fc.constant('progress' as const) },
      { weight: 1, arbitrary: fc.constant('relist' as const) },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 40 }), (capacity, steps) => {
        make(capacity);
        let rv = 100;
        let writes: number[] = [];
        let listed = rv;
        cache.replace([], rv, 'start');
        for (const one of steps) {
          rv += 1;
          if (one === 'progress') cache.updateResourceVersion(rv);
          if (one === 'write') {
            cache.processEvent('MODIFIED', stored('a', rv));
            writes.push(rv);
          }
          if (one === 'relist') {
            cache.replace([], rv, 'error');
            listed = rv;
            writes = [];
          }
        }
        const held = writes.slice(-capacity);
        const oldest = writes.length > capacity ? held[0]! : listed + 1;
        for (let asked = 95; asked <= rv + 2; asked += 1) {
          if (asked < oldest - 1) {
            expect(refusal(asked).message).toBe(`too old resource version: ${asked} (${oldest - 1})`);
          } else {
            expect(since(asked)).toEqual(held.filter((one) => one > asked).map((one) => `MODIFIED a@${one} as ${one}`));
          }
        }
        expect(cache.floor).toBe(oldest - 1);
        expect(cache.resourceVersion).toBe(rv);
      }),
    );
  });
});

describe('the cause of a refusal', () => {
  it('is the ring where the RV was the cache’s own, with the age of what was lost first', async () => {
    listedAndUpdated(1);
    await clock.advance(10_000);
    cache.processEvent('MODIFIED', stored('a', 102));
    await clock.advance(5_000);
    for (let rv = 103; rv <= 106; rv += 1) cache.processEvent('MODIFIED', stored('a', rv));
    const common = { refusedBy: 'watch-cache', because: 'ring', floor: 102 };
    expect(refusal(100).refusal).toEqual({ ...common, lostAgeMs: 15_000 });
    expect(refusal(101).refusal).toEqual({ ...common, lostAgeMs: 5_000 });
  });

  it('is the rebuild that took it away: the first list after the RV', () => {
    cache.replace([], 100, 'start');
    cache.replace([], 200, 'compacted');
    cache.replace([], 300, 'error');
    const rebuilt = { refusedBy: 'watch-cache', because: 'rebuilt', floor: 300 };
    expect(refusal(50).refusal).toEqual({ ...rebuilt, rebuiltBecause: 'start' });
    expect(refusal(150).refusal).toEqual({ ...rebuilt, rebuiltBecause: 'compacted' });
    expect(refusal(200).refusal).toEqual({ ...rebuilt, rebuiltBecause: 'error' });
    expect(refusal(299).refusal).toEqual({ ...rebuilt, rebuiltBecause: 'error' });
  });

  it('is the ring where that had lost the RV before the cache was rebuilt', () => {
    listedAndUpdated(10);
    cache.replace([], 200, 'compacted');
    expect(refusal(103).refusal).toMatchObject({ because: 'ring', floor: 200 });
    expect(refusal(106).refusal).toMatchObject({ because: 'rebuilt', rebuiltBecause: 'compacted' });
  });

  it('is the rebuild also where the ring has rolled over since', () => {
    listedAndUpdated(10);
    expect(refusal(99).refusal).toMatchObject({
      because: 'rebuilt',
      rebuiltBecause: 'start',
      ringToo: true,
      floor: 106,
    });
    expect(refusal(100).refusal).toMatchObject({ because: 'ring', floor: 106 });
  });
});

describe('state', () => {
  const all = objectRange(PODS, predicate(), { resourcePrefix: '/registry/pods', namespaced: true });
  const names = async (requested = '0') => {
    const { objects, rv } = await cache.waitUntilFreshAndList(requested, all);
    return [objects.map((one) => `${one.object.metadata.name}@${one.rv}`), rv];
  };

  it('follows the events, in the order of keys', async () => {
    listedAndUpdated(1);
    cache.processEvent('ADDED', stored('c', 102));
    const deleted = cache.processEvent('DELETED', stored('b', 103));
    expect(deleted.prevObject?.rv).toBe(90);
    cache.updateResourceVersion(110);
    expect(await names()).toEqual([['a@101', 'c@102'], 110]);
    cache.replace([stored('z', 120)], 121, 'error');
    expect(await names()).toEqual([['z@120'], 121]);
    expect(cache.listResourceVersion).toBe(121);
  });

  it('gives one object, or none', async () => {
    listedAndUpdated(1);
    expect((await cache.waitUntilFreshAndGet('0', `${PODS}ns/a`))?.rv).toBe(101);
    expect(await cache.waitUntilFreshAndGet('101', `${PODS}ns/none`)).toBeUndefined();
  });

  it('shares the initial events among watchers that start at the same RV', () => {
    listedAndUpdated(1);
    const first = cache.getAllEventsSince(0, undefined).next();
    expect(cache.getAllEventsSince(0, undefined).next()).toBe(first);
    cache.updateResourceVersion(105);
    expect(since(0)).toEqual(['ADDED a@101 as 105', 'ADDED b@90 as 105']);
  });
});

describe('waiting for freshness', () => {
  it('ends as soon as an event or a progress notify is there', async () => {
    listedAndUpdated(1);
    const waits = ['102', '103'].map((rv) => cache.waitUntilFreshAndBlock(rv));
    cache.processEvent('MODIFIED', stored('a', 102));
    await waits[0];
    cache.updateResourceVersion(104);
    await waits[1];
    expect(clock.timers).toBe(0);
  });

  it('does not begin where the cache is there already, or anything will do', async () => {
    listedAndUpdated(1);
    for (const rv of ['', '0', '100', '101']) await cache.waitUntilFreshAndBlock(rv);
    expect(clock.timers).toBe(0);
  });

  it('gives up after 3 s with the exact 504', async () => {
    listedAndUpdated(1);
    const waiting = refused(cache.waitUntilFreshAndBlock('00500'));
    await clock.advance(2_999);
    cache.updateResourceVersion(150);
    await clock.advance(1);
    expect((await waiting).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: Too large resource version: 500, current: 150',
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    });
  });

  it('names an RV beyond 2^53 as it was asked', async () => {
    listedAndUpdated(1);
    const waiting = refused(cache.waitUntilFreshAndBlock('18446744073709551615'));
    await clock.advance(3_000);
    expect((await waiting).message).toBe('Timeout: Too large resource version: 18446744073709551615, current: 101');
  });
});

describe('suggestedWatchChannelSize', () => {
  it.each([
    // capacity, no trigger, trigger unused, trigger used
    [100, 10, 10, 10],
    [750, 10, 10, 10],
    [751, 11, 11, 10],
    [12_800, 100, 171, 10],
    [102_400, 100, 1000, 10],
  ])('at capacity %i', (capacity, noTrigger, unused, used) => {
    make(capacity);
    expect(cache.suggestedWatchChannelSize(false, false)).toBe(noTrigger);
    expect(cache.suggestedWatchChannelSize(true, false)).toBe(unused);
    expect(cache.suggestedWatchChannelSize(true, true)).toBe(used);
  });
});
