import { describe, expect, it } from 'vitest';
import { Workload } from '../../src/scenario/workload.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';

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
  const workload = new Workload({
    pods: storage('pods'),
    events: storage('events'),
    clock,
    random,
    namespace: 'default',
    objects,
  });
  const count = async (resource: string) =>
    (await store.range({ start: `/registry/${resource}/`, end: `/registry/${resource}0` })).count;
  return { store, workload, count };
}

describe('Workload', () => {
  it('creates so many pods, and changes one a write: one revision each', async () => {
    const { store, workload, count } = lab(3);
    await workload.create();
    expect(await count('pods')).toBe(3);
    const before = await store.revision();
    for (let n = 0; n < 7; n++) await workload.changePod();
    expect((await store.revision()) - before).toBe(7);
    expect(await count('pods')).toBe(3);
  });

  it('writes a revision for each event, and never has more than 200 of them', async () => {
    const { store, workload, count } = lab(3);
    const before = await store.revision();
    for (let n = 0; n < 450; n++) await workload.writeEvent();
    expect((await store.revision()) - before).toBe(450);
    expect(await count('events')).toBe(200);
  });

  it('writes the whole burst, and stops in its middle when it is asked to', async () => {
    const { store, workload } = lab(3);
    await workload.create();
    const before = await store.revision();
    await workload.burst({ count: 50, durationMs: 0 }, new AbortController().signal);
    expect((await store.revision()) - before).toBe(50);
    await workload.burst({ count: 50, durationMs: 0 }, AbortSignal.abort());
    expect((await store.revision()) - before).toBe(50);
  });
});
