import { describe, expect, it } from 'vitest';
import type { CheckOutcome, CheckResult, ProbeReport } from '../../src/probe/check.ts';
import { compareReports } from '../../src/probe/via.ts';

const outcome = (id: string, result: CheckResult, facts: CheckOutcome['facts'] = {}): CheckOutcome => ({
  check: { id, title: id, half: 'quick' },
  result,
  answer: result,
  facts,
  tookMs: 1,
  requests: 1,
});
const report = (...outcomes: CheckOutcome[]): ProbeReport => ({
  server: 's',
  resource: 'pods',
  startedAt: 0,
  outcomes,
});
const differs = (direct: CheckOutcome, via: CheckOutcome) =>
  compareReports(report(direct), report(via)).map((one) => one.differs?.kind ?? 'same');

describe('compareReports', () => {
  it.each<[CheckResult, CheckResult, string]>([
    ['pass', 'pass', 'same'],
    ['pass', 'info', 'same'],
    ['pass', 'fail', 'worse'],
    ['pass', 'warn', 'worse'],
    ['warn', 'fail', 'worse'],
    ['fail', 'pass', 'better'],
    ['pass', 'skip', 'other'],
    ['skip', 'fail', 'other'],
  ])('%s against %s: %s', (direct, via, expected) => {
    expect(differs(outcome('a', direct), outcome('a', via))).toEqual([expected]);
  });

  it('another HTTP version or a foreign header differs; times, RVs and rates move by themselves', () => {
    const facts = { http_version: '2', via: '', took_ms: 12, cache_rv: '100', events_per_s_low: 2 };
    expect(
      differs(outcome('a', 'info', facts), outcome('a', 'info', { ...facts, took_ms: 99, cache_rv: '7' })),
    ).toEqual(['same']);
    expect(differs(outcome('a', 'info', facts), outcome('a', 'info', { ...facts, http_version: '1.1' }))).toEqual([
      'other',
    ]);
    expect(differs(outcome('a', 'info', facts), outcome('a', 'info', { ...facts, server: 'nginx' }))).toEqual([
      'other',
    ]);
  });

  it('windows may be those of two apiservers, and it says so', () => {
    const [compared] = compareReports(report(outcome('window-floor', 'pass')), report(outcome('window-floor', 'warn')));
    expect(compared?.differs).toEqual({ kind: 'worse', because: expect.stringContaining('different apiservers') });
  });

  it('keeps the order, and what only one of them was asked', () => {
    const compared = compareReports(
      report(outcome('a', 'pass'), outcome('b', 'pass')),
      report(outcome('c', 'fail'), outcome('b', 'pass')),
    );
    expect(compared.map(({ check, direct, via }) => [check.id, direct?.result, via?.result])).toEqual([
      ['a', 'pass', undefined],
      ['b', 'pass', 'pass'],
      ['c', undefined, 'fail'],
    ]);
  });
});
