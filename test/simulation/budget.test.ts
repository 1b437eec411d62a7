import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetOf } from '../../src/probe/budget.ts';
import { Lab } from '../support/lab.ts';
import { playBudget, type Return } from './budget-play.ts';
import { type Workload, workload } from './budget-workload.ts';

const RUNS = 120;
const SEED = 410;

/** What a return shows that the budget excluded. */
function broken({ bound, kind, refused, because, awayMs }: Return, { cached }: Workload): string[] {
  const where = `${kind} client, away ${Math.round(awayMs / 1000)} s, ${bound}`;
  if (bound !== 'at most') return refused === undefined ? [] : [`${where}: refused by ${refused} (${because})`];
  if (refused === undefined) return [`${where}: not refused`];
  const said = cached ? 'watch-cache ring' : 'etcd compacted';
  return `${refused} ${because}` === said ? [] : [`${where}: refused by ${refused} (${because}), not by ${said}`];
}

/** A write of something that is no pod. */
async function touch({ store }: Lab): Promise<void> {
  const [found] = (await store.range({ start: '/other', end: '/other0' })).kvs;
  await store.put('/other', new Uint8Array(1), found?.modRevision ?? 0);
}

describe('the budget, against what happens to clients that are away', () => {
  it(`in ${RUNS} workloads: no 410 below a bound, always one above, of the class that was said`, {
    timeout: 120_000,
  }, async () => {
    const wrong: { broken: string[]; workload: Workload; budget: unknown; input: unknown }[] = [];
    const seen = { guaranteed: 0, 'at least': 0, 'at most': 0 };
    for (const drawn of fc.sample(fc.noBias(workload), { numRuns: RUNS, seed: SEED })) {
      const { budget, input, returns } = await playBudget(drawn);
      for (const { bound } of returns) seen[bound] += 1;
      const found = returns.flatMap((one) => broken(one, drawn));
      if (found.length > 0) wrong.push({ broken: found, workload: drawn, budget: budget.history, input });
    }
    expect(wrong).toEqual([]);
    // Each kind of bound was put to the test.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS);
  });

  it('after a quiet time a burst of as many changes as the least ring holds ends an RV, and no sooner', async () => {
    const lab = new Lab({ store: { progressNotifyMs: 5_000 } });
    await lab.create('a');
    await lab.start();
    // A full ring that has lost events, all of them old.
    for (let i = 0; i < 130; i += 1) {
      await lab.burst('a', 1);
      await lab.clock.advance(1_000);
    }
    await lab.clock.advance(100_000);
    // The cache comes on without a change of the resource (a bookmark would say so), and others write on.
    await touch(lab);
    await lab.clock.advance(20_000);
    const resume = lab.cacher.state().resourceVersion;
    await touch(lab);
    const { survivesChanges } = budgetOf({ cached: true, capacity: lab.cacher.state().capacity });
    await lab.burst('a', survivesChanges);
    expect((await lab.watch(resume)).lines).toHaveLength(survivesChanges);
    await lab.burst('a', 1);
    expect((await lab.watch(resume)).lines[0]).toMatch(/^ERROR 410 too old resource version/);
    lab.stop();
  });
});
