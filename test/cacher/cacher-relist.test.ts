import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lab, PODS, refused } from '../support/lab.ts';
import { Link } from '../support/store-link.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await new Lab().start();
});
afterEach(() => lab.stop());

/** A lab whose cache can be cut off. */
async function withLink(): Promise<Link> {
  lab.stop();
  lab = new Lab();
  const link = new Link(lab.store);
  await lab.start();
  return link;
}

describe('after a compaction of its own watch', () => {
  it('readiness goes at once, watchers end a second later without an ERROR, their resumes meet the rebuilt cache', async () => {
    const link = await withLink();
    await lab.create('a');
    await lab.clock.turn();
    const log = await lab.watch(100);
    link.compactedAway();
    await lab.clock.turn();
    expect(lab.cacher.state()).toMatchObject({ ready: false, generation: 1 });
    expect(log.ended).toBe(false);
    const missed = await lab.update('a', { note: 'missed' });
    await lab.clock.advance(999);
    expect(log.ended).toBe(false);
    await lab.clock.advance(1);
    expect(log.lines).toEqual(['ADDED a@101']);
    expect(log.ended).toBe(true);
    expect(lab.cacher.state()).toMatchObject({
      ready: true,
      generation: 2,
      listResourceVersion: missed,
      size: 0,
      floor: missed,
    });
    const resumed = await lab.watch(101);
    expect(resumed.lines).toEqual([`ERROR 410 too old resource version: 101 (${missed})`]);
    expect(resumed.events[0]).toMatchObject({
      cause: { because: 'rebuilt', rebuiltBecause: 'compacted', floor: missed },
    });
  });

  it('the trace tells it in order, and the metrics count it', async () => {
    const link = await withLink();
    link.compactedAway();
    await lab.clock.advance(1_000);
    expect(lab.trace.map(({ at: _, ...event }) => event)).toEqual([
      { what: 'ready', resource: 'pods', generation: 1, rv: 100 },
      { what: 'reinit', resource: 'pods', generation: 1, because: 'compacted' },
      { what: 'ready', resource: 'pods', generation: 2, rv: 100 },
    ]);
    expect(lab.metric('apiserver_watch_cache_initializations_total')).toBe(2);
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(0);
  });

  it('a real compaction harms a connected cache in no way', async () => {
    const log = await lab.watch(100);
    await lab.create('a');
    await lab.clock.turn();
    await lab.store.compact(101);
    await lab.update('a', { note: '1' });
    await lab.clock.advance(5_000);
    expect(log.lines).toEqual(['ADDED a@101', 'MODIFIED a@102']);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1, floor: 100 });
    expect((await lab.watch(100)).lines).toEqual(['ADDED a@101', 'MODIFIED a@102']);
  });

  it('that falls into a cut is met when the watch comes back', async () => {
    const link = await withLink();
    await lab.create('a');
    await lab.clock.turn();
    link.internalError();
    for (let i = 0; i < 3; i += 1) await lab.update('a', { note: String(i) });
    await lab.store.compact(104);
    await lab.clock.advance(1_100);
    expect(lab.trace).toContainEqual(expect.objectContaining({ what: 'reinit', because: 'compacted' }));
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2, floor: 104 });
  });
});

describe('after a compaction of the state before the next change', () => {
  it('is tried again as any internal error, and is a compaction all the same', async () => {
    const link = await withLink();
    await lab.create('a');
    await lab.clock.turn();
    link.internalError();
    const next = await lab.update('a', { note: '1' });
    await lab.store.compact(next);
    await lab.clock.advance(29_000);
    expect(lab.cacher.state().generation).toBe(1);
    await lab.clock.advance(4_000);
    expect(lab.trace).toContainEqual(expect.objectContaining({ what: 'reinit', because: 'compacted' }));
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2, floor: next });
  });
});

describe('after other trouble', () => {
  it('an internal error is tried again, and no client notices', async () => {
    const link = await withLink();
    const log = await lab.watch(100);
    link.internalError();
    await lab.create('a');
    await lab.clock.advance(100);
    expect(log.lines).toEqual(['ADDED a@101']);
    expect(log.ended).toBe(false);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1 });
  });

  it('a watch is opened again after the last progress notify, so a compaction up to there does no harm', async () => {
    const link = await withLink();
    for (let i = 0; i < 10; i += 1) await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    await lab.clock.advance(5_000);
    link.internalError();
    await lab.store.compact(110);
    await lab.clock.advance(5_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1, resourceVersion: 110, floor: 100 });
  });

  it('internal errors for more than 30 s rebuild the cache', async () => {
    const link = await withLink();
    const log = await lab.watch(100);
    for (let ms = 0; ms < 30_000; ms += 100) {
      link.internalError();
      await lab.clock.advance(100);
    }
    expect(lab.cacher.state().generation).toBe(1);
    expect(log.ended).toBe(false);
    for (let ms = 0; ms < 300; ms += 100) {
      link.internalError();
      await lab.clock.advance(100);
    }
    expect(lab.cacher.state()).toMatchObject({ ready: false });
    await lab.clock.advance(1_000);
    expect(log.ended).toBe(true);
    expect(lab.trace).toContainEqual(expect.objectContaining({ what: 'reinit', because: 'error' }));
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2 });
  });

  it('after that relist they are tried again for as long: each run has a patience of its own', async () => {
    const link = await withLink();
    const trouble = async (ms: number) => {
      for (let past = 0; past < ms; past += 100) {
        link.internalError();
        await lab.clock.advance(100);
      }
    };
    await trouble(30_300);
    await lab.clock.advance(1_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2 });
    const log = await lab.watch(100);
    await trouble(29_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2 });
    expect(log.ended).toBe(false);
  });

  it('a watch that ends without a reason is opened again where it had lasted, and is a failure where it had not', async () => {
    const link = await withLink();
    const log = await lab.watch(100);
    await lab.clock.advance(1_000);
    await link.closed();
    await lab.create('a');
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@101']);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1 });
    await lab.clock.advance(1_000);
    await link.closed();
    await lab.clock.turn();
    await link.closed();
    await lab.clock.turn();
    expect(lab.cacher.state()).toMatchObject({ ready: false, generation: 1 });
    await lab.clock.advance(1_000);
    expect(lab.trace).toContainEqual(expect.objectContaining({ what: 'reinit', because: 'error' }));
    expect(log.ended).toBe(true);
  });

  it('two troubles more than a minute apart are not one', async () => {
    const link = await withLink();
    link.internalError();
    await lab.clock.advance(60_100);
    for (let ms = 0; ms < 29_000; ms += 100) {
      link.internalError();
      await lab.clock.advance(100);
    }
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1 });
  });

  it('a list that fails is tried each second; the first cause is remembered', async () => {
    const link = await withLink();
    await lab.create('a');
    await lab.clock.turn();
    const log = await lab.watch(100);
    link.broken = true;
    link.compactedAway();
    await lab.clock.advance(5_000);
    expect(log.ended).toBe(true);
    expect(lab.cacher.state()).toMatchObject({ ready: false, generation: 1 });
    link.broken = false;
    await lab.update('a', { note: '1' });
    await lab.clock.advance(1_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 2, listResourceVersion: 102 });
    expect(lab.trace.filter((event) => event.what === 'reinit')).toHaveLength(1);
    const resumed = await lab.watch(101);
    expect(resumed.events[0]).toMatchObject({ cause: { rebuiltBecause: 'compacted' } });
  });

  it('the first fill may fail as well: nobody calls that a rebuild', async () => {
    lab.stop();
    lab = new Lab();
    const link = new Link(lab.store);
    link.broken = true;
    await lab.start();
    await lab.clock.advance(3_000);
    link.broken = false;
    await lab.clock.advance(1_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: 1 });
    expect((await lab.watch(50)).events[0]).toMatchObject({ cause: { because: 'rebuilt', rebuiltBecause: 'start' } });
    expect(lab.trace.map((event) => event.what)).toEqual(['ready']);
  });
});

describe('while the cache is not ready', () => {
  let link: Link;
  beforeEach(async () => {
    link = await withLink();
    await lab.create('a');
    await lab.clock.turn();
    link.compactedAway();
    await lab.clock.turn();
  });

  it('a watch waits for it, and then starts', async () => {
    const opening = lab.cacher.watch(PODS, lab.params(0));
    await lab.clock.advance(1_000);
    expect((await (await opening).next())?.type).toBe('ADDED');
  });

  it('a watch whose time is up first is 503 in the words of its context', async () => {
    link.broken = true;
    const abort = new AbortController();
    const timed = refused(lab.cacher.watch(PODS, lab.params(0, { timeoutMs: 5_000, signal: abort.signal })));
    lab.clock.timer(5_000, () => abort.abort());
    const left = new AbortController();
    const gone = refused(lab.cacher.watch(PODS, lab.params(0, { signal: left.signal })));
    await lab.clock.advance(2_000);
    left.abort();
    expect((await gone).status).toMatchObject({ code: 503, reason: 'ServiceUnavailable', message: 'context canceled' });
    await lab.clock.advance(3_000);
    expect((await timed).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'context deadline exceeded',
      reason: 'ServiceUnavailable',
      code: 503,
    });
  });

  it('a list or get at "0" is served by the store, limit and all; at N it waits', async () => {
    await lab.create('b');
    expect(await lab.list({ resourceVersion: '0', limit: 1 })).toMatchObject({
      names: ['a@101'],
      resourceVersion: '102',
    });
    expect((await lab.cacher.get(`${PODS}ns/b`, { resourceVersion: '0' })).rv).toBe(102);
    const waiting = lab.list({ resourceVersion: '102' });
    const got = lab.cacher.get(`${PODS}ns/b`, { resourceVersion: '102' });
    await lab.clock.advance(1_000);
    expect((await waiting).names).toEqual(['a@101', 'b@102']);
    expect((await got).rv).toBe(102);
  });

  it('a list or get whose request ends first is 503', async () => {
    link.broken = true;
    const abort = new AbortController();
    const waiting = refused(lab.list({ resourceVersion: '101', signal: abort.signal }));
    const got = refused(lab.cacher.get(`${PODS}ns/a`, { resourceVersion: '101', signal: abort.signal }));
    abort.abort();
    for (const one of [await waiting, await got]) {
      expect(one.status).toMatchObject({ code: 503, message: 'context deadline exceeded' });
    }
  });

  it('a watch that was accepted before, and is ready only after the rebuild, ends at once without a word', async () => {
    await lab.clock.advance(1_000);
    await lab.create('c');
    await lab.clock.turn();
    const opening = lab.cacher.watch(PODS, lab.params('200', { sendInitialEvents: true }));
    await lab.clock.turn();
    link.compactedAway();
    await lab.clock.advance(1_000);
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    for (let i = 0; i < 100; i += 1) await lab.update('a', { note: String(i) });
    const watcher = await opening;
    expect(await watcher.next()).toBeUndefined();
    expect(lab.cacher.state()).toMatchObject({ generation: 3, watchers: [] });
  });

  it('stopped for good: 503 for all, and every watch ends', async () => {
    await lab.clock.advance(1_000);
    const log = await lab.watch(0, { signal: new AbortController().signal });
    lab.stop();
    await lab.clock.turn();
    expect(log.ended).toBe(true);
    const signal = new AbortController().signal;
    for (const promise of [
      lab.cacher.watch(PODS, lab.params(0, { signal })),
      lab.list({ resourceVersion: '101' }),
      lab.cacher.get(`${PODS}ns/a`, { resourceVersion: '101' }),
    ]) {
      expect((await refused(promise)).status).toMatchObject({ code: 503, message: 'apiserver cacher is stopped' });
    }
    expect(lab.clock.timers).toBe(0);
  });
});

describe('the list that fills a cache', () => {
  it('is read in pages of 10000 at one revision, and at once in full where that is compacted meanwhile', async () => {
    lab.stop();
    lab = new Lab();
    for (let i = 0; i <= 10_000; i += 1) await lab.create(`p${i}`);
    const { range } = lab.store;
    const limits: (number | undefined)[] = [];
    lab.store.range = async (request) => {
      limits.push(request.limit);
      if (limits.length === 2) await lab.store.compact(await lab.create('late'));
      return range.call(lab.store, request);
    };
    await lab.start();
    expect(limits).toEqual([10_000, 10_000, 0]);
    expect(lab.cacher.state()).toMatchObject({ ready: true, listResourceVersion: 10_102 });
    expect((await lab.list({ resourceVersion: '0' })).names).toHaveLength(10_002);
  });
});
