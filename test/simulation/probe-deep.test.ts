import { describe, expect, it } from 'vitest';
import { budgetOf } from '../../src/probe/budget.ts';
import { budgetInput } from '../../src/probe/budget-input.ts';
import { deepOutcomes } from '../../src/probe/deep-checks.ts';
import { type ProbePlan, playDeep } from './probe-play.ts';

const PLAN: ProbePlan = {
  resource: 'pods',
  cacheSize: 'auto',
  writesPerSecond: 2,
  othersPerSecond: 1,
  progressNotifyMs: 5_000,
  metrics: true,
  forMs: 330_000,
  path: {},
};

async function probe(over: Partial<ProbePlan>) {
  const played = await playDeep({ ...PLAN, ...over });
  const outcomes = deepOutcomes(played.facts);
  const results = Object.fromEntries(outcomes.map(({ check, result }) => [check.id, result]));
  const answers = Object.fromEntries(outcomes.map(({ check, answer }) => [check.id, answer]));
  const input = budgetInput({ cached: (over.resource ?? 'pods') === 'pods' }, played.facts);
  return { ...played, outcomes, results, answers, input, budget: budgetOf(input) };
}

describe('the deep half against an embedded apiserver', () => {
  it('a healthy one', async () => {
    const { results, answers, notes, mostOpen, input, facts } = await probe({});
    expect(results).toEqual({
      'bookmark-rhythm': 'pass',
      'closing-bookmark': 'pass',
      'planned-end': 'pass',
      'idle-cut': 'pass',
      'window-age': 'info',
      'etcd-age': 'info',
      'write-rate': 'info',
    });
    expect(answers['bookmark-rhythm']).toMatch(/^5 in 5 m 23 s, 60 s apart on average/);
    expect(notes.filter((note) => note.startsWith('bookmark'))).toHaveLength(7);
    expect(mostOpen).toBeLessThanOrEqual(4);
    expect(facts?.requests).toBeLessThan(100);
    expect(input.events?.low).toBeLessThan(2);
    expect(input.events?.high).toBeGreaterThan(2);
    expect(input.capacity).toBe(200);
    expect(input.windowAge).toMatchObject({ atLeastMs: expect.any(Number), atMostMs: expect.any(Number) });
  });

  it('a path that drops bookmarks', async () => {
    const { results, budget } = await probe({ path: { dropsBookmarks: true } });
    expect(results).toMatchObject({ 'bookmark-rhythm': 'fail', 'closing-bookmark': 'warn', 'planned-end': 'pass' });
    expect(budget.assumes).toContain('no-bookmarks');
    expect(budget.away.bookmarks.atLeastMs).toBe(0);
  });

  it('an idle timer that bookmarks outlive', async () => {
    const { results, answers, input } = await probe({ path: { idleMs: 100_000 }, writesPerSecond: 0.02 });
    expect(results).toMatchObject({ 'idle-cut': 'warn', 'bookmark-rhythm': 'pass', 'planned-end': 'pass' });
    expect(answers['idle-cut']).toMatch(/^two silent watches were cut after the same silence, 100 s/);
    expect(input.cutAfterMs).toBeCloseTo(100_000, -3);
  });

  it('one that they do not', async () => {
    const { results, budget } = await probe({ path: { idleMs: 50_000 }, writesPerSecond: 0.001 });
    expect(results).toMatchObject({ 'idle-cut': 'fail', 'planned-end': 'fail', 'bookmark-rhythm': 'skip' });
    expect(budget.assumes).toContain('cut-before-bookmark');
  });

  it('a limit on the age', async () => {
    const { results, answers } = await probe({ path: { ageMs: 120_000 }, writesPerSecond: 5 });
    expect(results).toMatchObject({ 'planned-end': 'fail', 'idle-cut': 'warn' });
    expect(answers['planned-end']).toMatch(/ an age limit$/);
    expect(answers['idle-cut']).toMatch(/ an age limit, no idle timer$/);
  });

  it('a pinned ring: the rule is broken, nothing is guaranteed', async () => {
    const { results, budget, input } = await probe({ cacheSize: 60, writesPerSecond: 2, metrics: false });
    expect(results['window-age']).toBe('warn');
    expect(input.windowAge?.atLeastMs).toBeLessThan(31_000);
    expect(input.windowAge?.atMostMs).toBeGreaterThan(29_000);
    expect(budget.history.guaranteedMs).toBe(0);
    expect(budget.history.atLeastMs).toBeLessThan(30_000);
    expect(budget.history.atMostMs).toBeGreaterThan(30_000);
  });

  it('a resource without cache, and a compaction interval that is not the default', async () => {
    const { results, input, budget } = await probe({ resource: 'events', compactEveryMs: 60_000 });
    expect(results).toMatchObject({ 'bookmark-rhythm': 'info', 'closing-bookmark': 'info', 'window-age': 'info' });
    expect(input.etcdAge?.atLeastMs).toBeGreaterThanOrEqual(30_000);
    expect(input.etcdAge?.atMostMs).toBeLessThanOrEqual(150_000);
    expect(budget.refusedBy).toBe('etcd');
    expect(budget.assumes).toEqual(['compaction-measured']);
  });

  it('nothing changes, and etcd is silent: no bookmark was due', async () => {
    const { results, budget } = await probe({
      writesPerSecond: 0.0001,
      othersPerSecond: 0.0001,
      progressNotifyMs: 600_000,
    });
    expect(results).toMatchObject({ 'bookmark-rhythm': 'info', 'closing-bookmark': 'info', 'idle-cut': 'pass' });
    expect(budget.assumes).toContain('bookmarks-unseen');
    expect(budget.history.atMostMs).toBeUndefined();
  });

  it('an apiserver that restarts meanwhile: the floor jumped, and nothing is concluded from it', async () => {
    const { results, input } = await probe({ restartAtMs: 150_000 });
    expect(results['window-age']).toBe('warn');
    expect(input.windowAge).toBeUndefined();
    expect(results['planned-end']).toBe('warn');
  });

  it('in half a minute there is no bookmark to be seen', async () => {
    const { results } = await probe({ forMs: 30_000 });
    expect(results).toMatchObject({ 'bookmark-rhythm': 'skip', 'closing-bookmark': 'pass', 'planned-end': 'pass' });
  });
});
