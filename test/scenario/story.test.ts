import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScript } from '../../src/scenario/read-script.ts';
import type { ExpectStep } from '../../src/scenario/script.ts';
import { scriptLine } from '../../src/scenario/script-line.ts';
import { storyScript } from '../../src/scenario/story.ts';
import { burstPad, cannotStall } from '../../src/scenario/story-foresight.ts';

function expected(of: string, cacheSize: number | 'auto', count: number, durationMs?: number) {
  const { steps } = storyScript({ cacheSize, burst: { count, durationMs }, objects: 40 });
  return steps
    .filter((step): step is ExpectStep => step.verb === 'expect' && step.of === of)
    .map(({ finding, resumed, sub }) => (resumed ? 'resumed' : [finding?.join(), sub].filter(Boolean).join(' ')));
}

const CUT = 'upstream-compaction through-cache';

describe('what the story expects of its numbers', () => {
  it.each([
    ['a burst far larger than a pinned ring', 100, 500, ['ring-buffer-expiry overrun', CUT]],
    ['a burst that a pinned ring holds', 1000, 500, ['resumed', CUT]],
    ['a dynamic ring, which grows', 'auto', 500, ['resumed', CUT]],
    ['a burst at the brink of the ring, which decides nothing', 100, 100, [CUT]],
    ['no burst', 100, 0, ['resumed', CUT]],
  ] as const)('of the traveller: %s', (_, cacheSize, count, outcomes) => {
    expect(expected('B', cacheSize, count)).toEqual(outcomes);
  });

  it('of the traveller: a dynamic ring is undecided where the absence outlasts its 75 s', () => {
    expect(expected('B', 'auto', 500, 80_000)).toEqual([CUT]);
  });

  it('of the slow reader: nothing where the burst fits into the buffers up to it, and else what the trace decides', () => {
    const numbers = (count: number) => ({ cacheSize: 100, burst: { count, durationMs: undefined }, objects: 40 });
    expect(expected('C', 100, 20)).toEqual([CUT]);
    expect([20, 500].map((count) => cannotStall(numbers(count)))).toEqual([true, false]);
    // 12 MB in all, more than any kernel takes in; from 12 KiB up to 48 KiB each.
    expect([20, 500, 5000].map((count) => burstPad(numbers(count)) / 1024)).toEqual([48, 23, 12]);
    expect(expected('C', 'auto', 5000)).toEqual(['slow-watcher-terminated', CUT]);
    expect(expected('C', 100, 5000)).toEqual(['slow-watcher-terminated', 'ring-buffer-expiry', CUT]);
  });
});

describe('the story as a script', () => {
  it('keeps its steps in order of time, and is a script that could be read from a file', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.option(fc.nat(100_000), { nil: undefined }), (count, durationMs) => {
        const { steps } = storyScript({ cacheSize: 100, burst: { count, durationMs: durationMs }, objects: 40 });
        const times = steps.map((step) => step.at ?? 0);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const text = `steps:\n${steps.map((step) => `${scriptLine(step)}\n`).join('')}`;
        const classes = ['upstream-compaction', 'ring-buffer-expiry', 'slow-watcher-terminated', 'server-timeout'];
        const read = readScript(new TextEncoder().encode(text), 'story.yaml', { replicas: 1, classes });
        expect(read.steps).toHaveLength(steps.length);
      }),
      { numRuns: 30 },
    );
  });
});
