import { describe, expect, it } from 'vitest';
import { OpenWatches } from '../../src/apiserver/open-watches.ts';

const watch = (userAgent: string) => ({ auditId: 'chosen', userAgent, groupResource: 'pods', requestedRv: '' });

describe('who watches an apiserver', () => {
  it('keeps each request until it has ended, also where clients chose the same Audit-Id', () => {
    const watches = new OpenWatches();
    const ended = watches.began(watch('a'));
    watches.began(watch('b'));
    ended();
    ended();
    expect([...watches.values()].map(({ userAgent }) => userAgent)).toEqual(['b']);
  });

  it('keeps no more of a User-Agent than a row could show', () => {
    const watches = new OpenWatches();
    watches.began(watch('x'.repeat(100_000)));
    expect([...watches.values()][0]?.userAgent).toHaveLength(200);
  });
});
