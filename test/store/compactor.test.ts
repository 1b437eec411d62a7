import { describe, expect, it } from 'vitest';
import { COMPACT_REV_KEY, COMPACTION_INTERVAL_MS, Compactor } from '../../src/store/compactor.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { FakeClock } from '../support/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  const trace: TraceEvent[] = [];
  const store = new MvccStore({ clock, trace: (event) => trace.push(event) });
  const write = async (count: number) => {
    for (let i = 0; i < count; i += 1) await store.put('/registry/a', new Uint8Array(1));
    return store.revision();
  };
  return { clock, trace, store, write, compactor: () => new Compactor({ store, clock }) };
}

const compactedValue = async (store: MvccStore) => {
  const { kvs } = await store.range({ start: COMPACT_REV_KEY, end: `${COMPACT_REV_KEY}\0` });
  return Buffer.from(kvs[0]!.value).toString();
};

describe('Compactor', () => {
  it('compacts to the revision of one interval ago: nothing in the first round', async () => {
    const { store, write, compactor } = setUp();
    const one = compactor();
    await write(10);
    await one.round();
    expect(store.state()).toMatchObject({ revision: 12, compactedRevision: 0 });
    await write(10);
    await one.round();
    expect(store.state()).toMatchObject({ revision: 23, compactedRevision: 12 });
    expect(await compactedValue(store)).toBe('12');
    await one.round();
    expect(store.state()).toMatchObject({ revision: 24, compactedRevision: 23 });
  });

  it('takes one revision a round, also where nothing else happens', async () => {
    const { store, compactor } = setUp();
    const one = compactor();
    for (let i = 0; i < 4; i += 1) await one.round();
    expect(await store.revision()).toBe(5);
  });

  it('is won by one of several apiservers; the others adopt and take over when it is gone', async () => {
    const { store, compactor, trace } = setUp();
    const [a, b] = [compactor(), compactor()];
    await a.round();
    await b.round();
    expect(await store.revision()).toBe(2);
    await a.round();
    await b.round();
    expect(trace).toMatchObject([{ what: 'compact', rv: 2, why: 'interval' }]);
    await b.round();
    await b.round();
    expect(store.state()).toMatchObject({ revision: 5, compactedRevision: 4 });
  });

  it('runs every five minutes, so history lives five to ten', async () => {
    const { store, clock, write, compactor } = setUp();
    const abort = new AbortController();
    const running = compactor().run(abort.signal);
    const old = await write(1);
    await clock.advance(COMPACTION_INTERVAL_MS - 1);
    expect(await store.revision()).toBe(old);
    await clock.advance(1);
    expect(store.state()).toMatchObject({ revision: old + 1, compactedRevision: 0 });
    await write(5);
    await clock.advance(COMPACTION_INTERVAL_MS - 1);
    expect(store.state().compactedRevision).toBe(0);
    await clock.advance(1);
    expect(store.state().compactedRevision).toBe(old + 1);
    abort.abort();
    await running;
    expect(clock.timers).toBe(0);
  });

  it('does not survive a defect', async () => {
    const { store, clock, compactor } = setUp();
    const running = compactor().run(new AbortController().signal);
    store.put = () => Promise.reject(new TypeError('a defect'));
    const outcome = expect(running).rejects.toThrow('a defect');
    await clock.advance(COMPACTION_INTERVAL_MS);
    await outcome;
  });

  it('survives that somebody else compacted further', async () => {
    const { store, clock, write, compactor } = setUp();
    const abort = new AbortController();
    const running = compactor().run(abort.signal);
    await clock.advance(COMPACTION_INTERVAL_MS);
    await store.compact(await write(3));
    await clock.advance(2 * COMPACTION_INTERVAL_MS);
    expect(store.state()).toMatchObject({ revision: 7, compactedRevision: 6 });
    abort.abort();
    await running;
  });
});
