import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
});
