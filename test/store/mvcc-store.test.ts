import { describe, expect, it } from 'vitest';
import { MvccStore, type MvccStoreOptions } from '../../src/store/mvcc-store.ts';
import { prefixEnd } from '../../src/store/storage.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage('MvccStore', async () => {
  const clock = new FakeClock();
  return {
    storage: new MvccStore({ clock, initialRevision: 432 }),
    passProgressInterval: () => clock.advance(7_500),
    close: async () => {},
  };
});

const range = { start: '/registry/', end: prefixEnd('/registry/') };
const bytes = (size: number) => new Uint8Array(size);

function makeStore(options: Partial<MvccStoreOptions> = {}) {
  const clock = new FakeClock();
  const trace: TraceEvent[] = [];
  const store = new MvccStore({ clock, trace: (event) => trace.push(event), ...options });
  return { clock, trace, store };
}

describe('MvccStore on its own', () => {
  it('begins at revision 1, as an empty etcd, or where it is told', async () => {
    expect(await makeStore().store.revision()).toBe(1);
    expect(await makeStore({ initialRevision: 300 }).store.revision()).toBe(300);
  });

  it('answers within microtasks: no operation costs a turn of the event loop', async () => {
    const { store } = makeStore();
    let turns = 0;
    const count = setImmediate(() => {
      turns += 1;
    });
    const responses = store.watch({ ...range, startRevision: 0, signal: new AbortController().signal });
    for (let i = 0; i < 50; i += 1) {
      await store.put(`/registry/${i}`, bytes(1));
      await responses.next();
      await store.range(range);
    }
    clearImmediate(count);
    expect(turns).toBe(0);
  });

  it('starts a watch at the call, not at the first read', async () => {
    const { store } = makeStore();
    const responses = store.watch({ ...range, startRevision: 0, signal: new AbortController().signal });
    await store.put('/registry/a', bytes(1));
    expect((await responses.next()).value).toMatchObject({ kind: 'events', revision: 2 });
  });

  it('forgets a watch that ended: nothing of it is held', async () => {
    const { store, clock } = makeStore();
    const abort = new AbortController();
    store.watch({ ...range, startRevision: 0, progressNotify: true, signal: abort.signal });
    const left = store.watch({ ...range, startRevision: 0, signal: new AbortController().signal });
    expect(store.state().watches).toBe(2);
    abort.abort();
    await left.return();
    expect(store.state().watches).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('notifies progress once an interval, and after an event one to two intervals later', async () => {
    const { store, clock } = makeStore({ progressNotifyMs: 5_000 });
    const responses = store.watch({
      ...range,
      startRevision: 0,
      progressNotify: true,
      signal: new AbortController().signal,
    });
    const seen: [number, string][] = [];
    const start = clock.now();
    const reading = (async () => {
      for await (const response of responses) seen.push([clock.now() - start, response.kind]);
    })();
    await clock.advance(5_000);
    await clock.advance(2_000);
    await store.put('/registry/a', bytes(1));
    await clock.advance(13_000);
    await responses.return();
    await reading;
    expect(seen).toEqual([
      [5_000, 'progress'],
      [7_000, 'events'],
      [15_000, 'progress'],
      [20_000, 'progress'],
    ]);
  });

  describe('bounds', () => {
    it('compacts early at 80 % of the quota, says so, and goes on', async () => {
      const { store, trace } = makeStore({ quotaBytes: 10_000 });
      for (let i = 0; i < 100; i += 1) await store.put('/registry/a', bytes(1_000));
      const compactions = trace.filter((event) => event.what === 'compact');
      expect(compactions.length).toBeGreaterThan(5);
      expect(compactions[0]).toMatchObject({ why: 'quota', rv: 8 });
      expect(store.state().bytes).toBeLessThanOrEqual(10_000);
      expect(await store.revision()).toBe(101);
    });

    it('refuses a write beyond the quota with etcd’s text, and takes one again after a delete and a compaction', async () => {
      const { store } = makeStore({ quotaBytes: 10_000 });
      for (let i = 0; i < 9; i += 1) await store.put(`/registry/${i}`, bytes(1_000));
      const before = await store.revision();
      await expect(store.put('/registry/x', bytes(1_000))).rejects.toMatchObject({
        code: 'no-space',
        message: 'etcdserver: mvcc: database space exceeded',
      });
      expect(await store.revision()).toBe(before);
      await store.delete('/registry/0');
      await store.compact(await store.revision());
      expect(await store.put('/registry/x', bytes(1_000))).toMatchObject({ ok: true });
    });

    it('does not compact for nothing: where all is live state, the write is refused at once', async () => {
      const { store, trace } = makeStore({ quotaBytes: 10_000 });
      for (let i = 0; i < 9; i += 1) await store.put(`/registry/${i}`, bytes(1_000));
      expect(trace).toEqual([]);
    });

    it('cuts off a watch that holds more than the quota of compacted history, as compacted', async () => {
      const { store } = makeStore({ quotaBytes: 10_000 });
      const signal = new AbortController().signal;
      const hoarder = store.watch({ ...range, startRevision: 0, signal });
      const reader = store.watch({ ...range, startRevision: 0, signal });
      for (let i = 0; i < 30; i += 1) {
        await store.put('/registry/a', bytes(1_000));
        await reader.next();
      }
      await expect(hoarder.next()).rejects.toMatchObject({ code: 'compacted' });
      await store.put('/registry/a', bytes(1));
      expect((await reader.next()).value).toMatchObject({ kind: 'events' });
    });

    it('gives back the bytes of everything that a compaction takes', async () => {
      const { store } = makeStore();
      await store.put('/registry/a', bytes(100));
      const one = store.state().bytes;
      for (let i = 0; i < 10; i += 1) await store.put('/registry/a', bytes(100));
      await store.put('/registry/b', bytes(100));
      await store.delete('/registry/b');
      await store.compact(await store.revision());
      expect(store.state()).toMatchObject({ bytes: one, historyEvents: 1 });
    });
  });
});
