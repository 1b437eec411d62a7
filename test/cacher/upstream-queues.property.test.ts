import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { line } from '../support/lab.ts';
import { type Asked, Bench, SIZE } from './upstream-bench.ts';

type Step =
  | { do: 'write'; apps: ('x' | 'y')[] }
  | { do: 'stall' | 'open' | 'leave'; who: number }
  | { do: 'connect'; asked: Asked }
  | { do: 'advance'; ms: number }
  | { do: 'terminateAll' };

const asked = fc.constantFrom<Asked[]>('all', 'selected', 'bookmarks', 'owed', 'owed');
const who = fc.nat(3);

/** Times that never meet a tick. */
const ms = fc.constantFrom(7, 23, 61, 337, 1_013, 1_013, 2_003, 61_007);

/** As many as fill both queues and more. */
const apps = fc.array(fc.constantFrom<('x' | 'y')[]>('x', 'x', 'x', 'y'), {
  minLength: 1,
  maxLength: 2 * SIZE + 3,
  size: 'max',
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ do: fc.constant('write' as const), apps }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('stall' as const), who }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('open' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('connect' as const), asked }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('advance' as const), ms }) },
  { weight: 1, arbitrary: fc.constant({ do: 'terminateAll' as const }) },
);

/** `between` comes after each of several writes. */
async function play(bench: Bench, one: Step, between: () => Promise<void>): Promise<void> {
  if (one.do === 'write') {
    for (const app of one.apps) {
      bench.write(app);
      await between();
    }
    return undefined;
  }
  if (one.do === 'connect') return bench.connect(one.asked);
  if (one.do === 'advance') return bench.advance(one.ms);
  if (one.do === 'terminateAll') return bench.terminateAll();
  const pair = bench.pairs[one.who % bench.pairs.length];
  if (!pair) return undefined;
  return bench[one.do](pair);
}

describe('watchers and their dispatcher', () => {
  it('deliver, wait, end and count as upstream’s two queues do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
        async (first, steps) => {
          const bench = new Bench(true);
          for (const one of first) bench.connect(one);
          await bench.settle();
          for (const [n, one] of steps.entries()) {
            await play(bench, one, () => bench.settle());
            await bench.settle();
            expect(bench.real, `after step ${n}`).toEqual(bench.expected);
          }
          bench.stop();
        },
      ),
      { numRuns: 300 },
    );
  });

  it('send every client its events once and in order, whatever comes between two turns', async () => {
    const turn = fc.constant({ do: 'turn' as const });
    const any = fc.oneof({ weight: 5, arbitrary: step }, { weight: 2, arbitrary: turn });
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        fc.array(any, { minLength: 10, maxLength: 60, size: 'max' }),
        async (first, steps) => {
          const bench = new Bench(false);
          for (const one of first) bench.connect(one);
          for (const one of steps)
            await (one.do === 'turn' ? bench.clock.turn() : play(bench, one, async () => undefined));
          for (const pair of bench.pairs) bench.open(pair);
          await bench.settle();
          await bench.advance(200);
          for (const { client, gone, model } of bench.pairs) {
            const all = bench.events.flatMap((event) => {
              const delivery = model.news(event);
              return delivery ? [line(delivery)] : [];
            });
            const seen = client.lines.filter((text) => !text.startsWith('BOOKMARK'));
            expect(seen).toEqual(gone || client.ended ? all.slice(0, seen.length) : all);
          }
          bench.stop();
        },
      ),
      { numRuns: 300 },
    );
  });
});
