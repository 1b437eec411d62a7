import { describe, expect, it } from 'vitest';
import { type ProbePlan, playQuick } from './probe-play.ts';

const PLAN: ProbePlan = {
  resource: 'pods',
  cacheSize: 100,
  writesPerSecond: 20,
  othersPerSecond: 1,
  progressNotifyMs: 5_000,
  metrics: true,
  forMs: 0,
  path: {},
};

async function probe(over: Partial<ProbePlan>) {
  const { measured, outcomes, tookMs } = await playQuick({ ...PLAN, ...over });
  const results = Object.fromEntries(outcomes.map(({ check, result }) => [check.id, result]));
  const answers = Object.fromEntries(outcomes.map(({ check, answer }) => [check.id, answer]));
  const facts = Object.fromEntries(outcomes.map((outcome) => [outcome.check.id, outcome.facts]));
  if (!measured) throw new Error(`nothing was measured: ${JSON.stringify(answers)}`);
  return { measured, results, answers, facts, tookMs, requests: outcomes.reduce((sum, one) => sum + one.requests, 0) };
}

describe('the quick half against an embedded apiserver', () => {
  it('a healthy one, within seconds and a bounded number of requests', async () => {
    // node:http dates its answers by the real clock.
    const date = 'Thu, 01 Jan 2026 00:00:11 GMT';
    const { results, measured, tookMs, requests } = await probe({ path: { headers: { date } } });
    expect(results).toEqual({
      list: 'pass',
      path: 'pass',
      tls: 'info',
      'date-skew': 'pass',
      refusal: 'pass',
      'malformed-rv': 'pass',
      cached: 'info',
      'window-floor': 'info',
      'cache-lag': 'pass',
      'etcd-floor': 'info',
      'watch-list': 'info',
      gzip: 'pass',
      headers: 'pass',
      timeout: 'pass',
      bookmark: 'pass',
      'flow-control': 'info',
      metrics: 'pass',
    });
    expect(measured).toMatchObject({ cached: true, serverVersion: 'v1.30.3', samples: { watch_cache_capacity: 100 } });
    expect(measured.floors).toHaveLength(3);
    expect(tookMs).toBeLessThan(15_000);
    expect(requests).toBeLessThan(30);
  });

  it('a path that holds headers back', async () => {
    const { results, answers } = await probe({ path: { holdsHeaders: true } });
    expect(results.headers).toBe('fail');
    expect(answers.headers).toBe('held back until the watch ended, 3.0 s');
  });

  it('a path that names itself, and compresses', async () => {
    const headers = { via: '1.1 edge', server: 'envoy', 'content-encoding': 'gzip' };
    const { results, answers } = await probe({ path: { headers } });
    expect(answers.path).toBe('v1.30.3 over HTTP/1.1; on the way: server: envoy, via: 1.1 edge');
    expect(results.gzip).toBe('warn');
  });

  it('a clock that is wrong', async () => {
    const headers = { date: 'Thu, 01 Jan 2026 01:00:00 GMT' };
    const { results, answers } = await probe({ path: { headers } });
    expect(results['date-skew']).toBe('warn');
    expect(answers['date-skew']).toMatch(/ahead of ours$/);
  });

  it('a path that ends streams too early', async () => {
    const { results } = await probe({ path: { ageMs: 1_200 } });
    expect(results.timeout).toBe('fail');
  });

  it('/metrics that may not be read: the refusal tells of the cache', async () => {
    const { results, measured } = await probe({ path: { forbids: /^\/metrics/ } });
    expect(results.metrics).toBe('info');
    expect(measured).toMatchObject({ cached: true });
    expect(measured.samples).toBeUndefined();
  });

  it('a resource without cache: by /metrics, by etcd’s refusal, by how it pages', async () => {
    const told = [
      await probe({ resource: 'events' }),
      await probe({ resource: 'events', compactEveryMs: 3_000, path: { forbids: /^\/metrics/ } }),
      await probe({ resource: 'events', path: { forbids: /^\/metrics/ } }),
    ];
    expect(told.map(({ measured }) => measured.cached)).toEqual([false, false, false]);
    expect(told.map(({ answers }) => answers.cached?.replace(/.*\(/, ''))).toEqual([
      'by /metrics, where no ring of it is)',
      'by the words of its refusal)',
      'by how it pages a list at RV 0)',
    ]);
  });

  it('etcd’s own floor by bisection', async () => {
    const { measured, facts } = await probe({ compactEveryMs: 3_000 });
    const { low, high } = measured.etcdFloor!;
    expect(Number(high)).toBeGreaterThan(1_000);
    expect(Number(high) - Number(low)).toBeLessThanOrEqual(2);
    expect(facts['etcd-floor']?.asked).toBeLessThanOrEqual(12);
  });

  it('several apiservers behind one address', async () => {
    const { measured } = await probe({ servers: 2 });
    expect(measured.floors).toHaveLength(3);
  });

  it('a path that drops bookmarks', async () => {
    const { results } = await probe({ path: { dropsBookmarks: true } });
    expect(results.bookmark).toBe('warn');
  });

  it('a resource that may not be listed ends it', async () => {
    const { measured, outcomes } = await playQuick({ ...PLAN, path: { forbids: /\/pods/ } });
    expect(measured).toBeUndefined();
    expect(outcomes).toMatchObject([{ check: { id: 'list' }, result: 'fail', answer: 'HTTP 403', requests: 1 }]);
  });
});
