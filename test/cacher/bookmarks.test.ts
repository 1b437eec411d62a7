import { describe, expect, it } from 'vitest';
import { nextBookmarkTime } from '../../src/cacher/bookmarks.ts';

const NOW = 1_000_000;

describe('nextBookmarkTime', () => {
  it.each([
    { ends: 'in an hour', deadline: NOW + 3_600_000, due: NOW + 60_000 },
    { ends: 'in a minute', deadline: NOW + 60_000, due: NOW + 58_000 },
    { ends: 'in 3 s', deadline: NOW + 3_000, due: NOW + 1_000 },
    { ends: 'in exactly 2 s, as timeoutSeconds=2 does', deadline: NOW + 2_000, due: undefined },
    { ends: 'in 1 s', deadline: NOW + 1_000, due: undefined },
  ])('of a watch that ends $ends', ({ deadline, due }) => {
    expect(nextBookmarkTime(NOW, { deadline, owesInitialEventsEnd: false })).toBe(due);
  });

  it('is now as long as the end of the initial events is owed', () => {
    expect(nextBookmarkTime(NOW, { deadline: NOW + 1_000, owesInitialEventsEnd: true })).toBe(NOW);
  });
});
