import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planStory } from '../../src/scenario/story.ts';

const outcomesOf = (cacheSize: number | 'auto', count: number, durationMs = count * 4) =>
  planStory({ cacheSize, burst: { count, durationMs } }).expectations.find((one) => one.watcher === 'B')?.outcomes;

describe('planStory', () => {
  it.each([
    ['a burst far larger than a pinned ring', 100, 500, ['ring-buffer-expiry']],
    ['a burst that a pinned ring holds', 1000, 500, ['resumed']],
    ['a dynamic ring, which grows', 'auto', 500, ['resumed']],
    ['a burst at the brink of the ring', 100, 100, ['resumed', 'ring-buffer-expiry']],
    ['no burst', 100, 0, ['resumed']],
  ] as const)('%s', (_, cacheSize, count, outcomes) => {
    expect(outcomesOf(cacheSize, count)).toEqual(outcomes);
  });

  it('leaves a dynamic ring undecided where the absence outlasts its 75 s', () => {
    expect(outcomesOf('auto', 500, 80_000)).toEqual(['resumed', 'ring-buffer-expiry']);
  });

  it('keeps its steps in order of time, and E returns only after the compaction', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(100_000), (count, durationMs) => {
        const { steps } = planStory({ cacheSize: 100, burst: { count, durationMs } });
        expect(steps.map((step) => step.at)).toEqual(steps.map((step) => step.at).toSorted((a, b) => a - b));
        const compact = steps.findIndex((step) => step.do === 'compact');
        const back = steps.findIndex((step) => step.do === 'return' && step.watcher === 'E');
        expect(back).toBeGreaterThan(compact);
      }),
    );
  });
});
