import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { SEVERITY } from '../../src/diagnosis/severity.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import { CLASS_NAME } from '../../src/diagnosis/words.ts';
import { FactsBuilder } from './facts-builder.ts';

function some(overrides: Partial<Finding>): Finding {
  const b = new FactsBuilder();
  b.goneA(b.target('pods'), 0, '1', '2');
  return { ...diagnose(b.run(5))[0]!, ...overrides };
}

const run = new FactsBuilder().run(5);

describe('the verdict of a run', () => {
  it('is the highest severity, then the higher confidence, then the first', () => {
    const note = some({ id: 'f1', severity: 'note', confidence: 'high' });
    const low = some({ id: 'f2', severity: 'warning', confidence: 'low' });
    const medium = some({ id: 'f3', severity: 'warning', confidence: 'medium' });
    const later = some({ id: 'f4', severity: 'warning', confidence: 'medium' });
    expect(verdictOf([note, low, medium, later], run).id).toBe('f3');
    expect(verdictOf([note, low], run).id).toBe('f2');
  });

  it('leads with the target that was named first where two met the same thing in one moment', () => {
    const own = (at: number) => some({ id: 'own', target: 0, at });
    const sibling = some({ id: 'sibling', target: 1, at: 1_000 });
    expect(verdictOf([sibling, own(1_400)], run).id).toBe('own');
    expect(verdictOf([sibling, own(60_000)], run).id).toBe('sibling');
    expect(verdictOf([own(900), sibling], run).id).toBe('own');
  });

  it('lets nothing compete that another finding explains', () => {
    const explained = some({ id: 'f1', severity: 'error', explainedBy: 'f2' });
    const other = some({ id: 'f2', severity: 'note' });
    expect(verdictOf([explained, other], run).id).toBe('f2');
  });

  it('is healthy where nothing was found, and as sure as it may be', () => {
    const health = (build: (b: FactsBuilder) => unknown, now: number) => {
      const b = new FactsBuilder();
      build(b);
      const verdict = verdictOf([], b.run(now));
      return [verdict.class, verdict.confidence, /bookmark/i.test(verdict.text)];
    };
    expect(health(() => undefined, 5)).toEqual(['healthy', 'low', false]);
    expect(
      health((b) => b.stream(b.target('pods'), { at: 0, rv: '1', last: ['4', 9, 'event'], events: 3 }), 12),
    ).toEqual(['healthy', 'high', true]);
    const quiet = {
      at: 0,
      rv: '1',
      last: ['4', 9, 'event'] as [string, number, 'event'],
      events: 2,
      noBookmarksAsked: true,
    };
    expect(health((b) => b.stream(b.target('jobs.batch'), quiet), 390)).toEqual(['healthy', 'medium', true]);
  });
});

describe('severity', () => {
  it('is by default as the contract says', () => {
    const by = (severity: string) =>
      Object.keys(SEVERITY).filter((name) => SEVERITY[name as keyof typeof SEVERITY] === severity);
    expect(by('info').sort()).toEqual(['healthy', 'server-timeout']);
    expect(by('note')).toHaveLength(9);
    expect(by('warning')).toHaveLength(13);
    expect(by('error')).toHaveLength(12);
  });
});

describe('the words shown first', () => {
  it('are of a closed list for a 410', () => {
    const names = [
      'ring-buffer-expiry',
      'upstream-compaction',
      'cache-rebuilt',
      'continue-token-expired',
      'ambiguous-410',
    ] as const;
    expect(names.map((name) => CLASS_NAME[name])).toEqual([
      'RING-BUFFER EXPIRY',
      'UPSTREAM COMPACTION',
      'CACHE REBUILT',
      'CONTINUE TOKEN EXPIRED',
      'UNDECIDED',
    ]);
  });

  it('stand in five lines: verdict, who refused with both RVs, why, what is ruled out, what to do', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, rv: '1', end: 'stopped', until: 120, last: ['20481', 110], bookmarks: [60, 110] });
    b.goneA(target, 389, '20481', '22390', 110);
    b.exact(target, 389.2, '20481', true);
    b.list(target, 389.3, '24102', { why: '410' });
    expect(diagnose(b.run(390))[0]?.lines).toEqual({
      verdict: 'RING-BUFFER EXPIRY · rolled over · medium',
      refusedBy: 'watch cache, in the stream (HTTP 200): 20481 < floor 22390',
      why: '20481 was 279 s old: we were away for 269 s; the window slid past it',
      ruledOut: 'compaction (etcd still has 20481)',
      do: 'nothing if it comes once: it heals by a relist. Nobody has to be woken.',
    });
  });
});
