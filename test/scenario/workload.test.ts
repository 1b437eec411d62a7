import { describe, expect, it } from 'vitest';
import { Workload } from '../../src/scenario/workload.ts';
import { burstOf, trickleOf, WriteAgenda } from '../../src/scenario/write-agenda.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from '../support/fake-clock.ts';

function lab(objects: number) {
  const clock = new SystemClock();
  const random = seededRandom(1);
  const store = new MvccStore({ clock });
  const storage = (resource: string) =>
    new ObjectStore({
      store,
      clock,
      random,
      resourcePrefix: `/registry/${resource}`,
      namespaced: true,
      groupResource: resource,
    });
  const workload = new Workload({ storage, clock, random, namespace: 'default', objects });
  const keys = async (resource: string) =>
    (await store.range({ start: `/registry/${resource}/`, end: `/registry/${resource}0` })).kvs.map(({ key }) =>
      key.replace(/^.*\//, ''),
    );
  return { store, workload, keys };
}

describe('Workload', () => {
  it('creates so many pods, and changes the next one a write: one revision each', async () => {
    const { store, workload, keys } = lab(3);
    await workload.create();
    expect(await keys('pods')).toEqual(['web-00', 'web-01', 'web-02']);
    const before = await store.revision();
    for (let n = 0; n < 7; n++) await workload.write({ resource: 'pods' });
    expect((await store.revision()) - before).toBe(7);
    expect(await keys('pods')).toHaveLength(3);
  });

  it('writes a revision for each event, and never has more than 200 of them', async () => {
    const { store, workload, keys } = lab(3);
    const before = await store.revision();
    for (let n = 0; n < 450; n++) await workload.write({ resource: 'events' });
    expect((await store.revision()) - before).toBe(450);
    expect(await keys('events')).toHaveLength(200);
  });

  it('writes what it is told: name, labels and size', async () => {
    const { store, workload } = lab(3);
    await workload.write({ resource: 'configmaps', name: 'web', size: 5000, labels: { app: 'shop' } });
    const { kvs } = await store.range({ start: '/registry/configmaps/', end: '/registry/configmaps0' });
    const [one] = kvs;
    expect(one?.value.length).toBeGreaterThan(5000);
    expect(JSON.parse(new TextDecoder().decode(one?.value))).toMatchObject({
      metadata: { name: 'web', labels: { app: 'shop' } },
    });
  });

  it('deletes by name, or the first of its own', async () => {
    const { workload, keys } = lab(4);
    await workload.create();
    await workload.delete('pods', { name: 'web-02' });
    await workload.delete('pods', { count: 2 });
    expect(await keys('pods')).toEqual(['web-03']);
    await expect(workload.delete('pods', { name: 'web-02' })).rejects.toThrow('not found');
  });
});

describe('WriteAgenda', () => {
  it('does writes in the order in which they are due; of equal ones the source added first', async () => {
    const clock = new FakeClock();
    const over = new AbortController();
    const agenda = new WriteAgenda(clock, over.signal);
    const written: string[] = [];
    const start = clock.now();
    const write = (name: string) => async () => {
      written.push(`${name} ${clock.now() - start}`);
    };
    const running = agenda.run();
    const failed = () => {};
    agenda.add(trickleOf(2, 0, { write: write('trickle'), failed }));
    let finished = false;
    const done = () => {
      finished = true;
    };
    agenda.add(burstOf({ count: 4, durationMs: 1000, start: 0 }, { write: write('burst'), failed, done }));
    await clock.advance(1000);
    expect(written).toEqual(['burst 0', 'trickle 250', 'burst 250', 'burst 500', 'trickle 750', 'burst 750']);
    expect(finished).toBe(true);
    over.abort();
    await clock.advance(1);
    await running;
    await clock.advance(5000);
    expect(written).toHaveLength(6);
  });

  it('takes out a source whose write is refused, tells it, and goes on with the others', async () => {
    const clock = new FakeClock();
    const over = new AbortController();
    const agenda = new WriteAgenda(clock, over.signal);
    const told: string[] = [];
    const refused = {
      write: () => Promise.reject(new Error('no space')),
      failed: (error: unknown) => told.push(String(error)),
    };
    const running = agenda.run();
    agenda.add(trickleOf(1, 0, { ...refused, failed: (error) => void refused.failed(error) }));
    agenda.add(trickleOf(1, 0, { write: async () => void told.push('written'), failed: () => {} }));
    await clock.advance(2000);
    expect(told).toEqual(['Error: no space', 'written', 'written']);
    over.abort();
    await clock.advance(1);
    await running;
  });

  it('stands still for who waits until it has caught up: what was due is written, and no time has passed', async () => {
    const clock = new FakeClock();
    const over = new AbortController();
    const agenda = new WriteAgenda(clock, over.signal);
    const running = agenda.run();
    let written = 0;
    // Each write takes 100 ms: ten of them are due within one.
    const write = async () => {
      await clock.sleep(100);
      written += 1;
    };
    const failed = () => {};
    agenda.add(burstOf({ count: 10, durationMs: 1, start: 0 }, { write, failed, done: () => {} }));
    agenda.add(trickleOf(1, 500, { write, failed }));
    let caughtUp = false;
    const waited = agenda.caughtUp(200).then(() => {
      caughtUp = true;
    });
    await clock.advance(950);
    expect([written, caughtUp]).toEqual([9, false]);
    await clock.advance(100);
    await waited;
    expect(written).toBe(10);
    expect(agenda.now()).toBeLessThan(300);
    await agenda.caughtUp(900);
    over.abort();
    await clock.advance(200);
    await running;
  });

  it('lets nobody wait once all is over', async () => {
    const clock = new FakeClock();
    const over = new AbortController();
    const agenda = new WriteAgenda(clock, over.signal);
    const running = agenda.run();
    const stuck = new Promise<void>(() => {});
    agenda.add(
      burstOf({ count: 2, durationMs: 100, start: 50 }, { write: () => stuck, failed: () => {}, done: () => {} }),
    );
    const waited = agenda.caughtUp(100);
    over.abort();
    await clock.advance(1);
    await running;
    await expect(waited).resolves.toBeUndefined();
    await agenda.caughtUp(100);
  });
});
