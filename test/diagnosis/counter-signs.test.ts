import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { FactsBuilder, INITIALIZATIONS } from './facts-builder.ts';

const PROCESS = 'process_start_time_seconds';

/**
 * A client lists at RV 1025, leaves within milliseconds, and is refused 2.5 s later: what was read in between decides whether the
 * ring was overrun or the cache rebuilt.
 */
function leftAtOnce(read: (b: FactsBuilder, target: ReturnType<FactsBuilder['target']>) => void): Finding {
  const b = new FactsBuilder();
  const target = b.target('pods');
  b.list(target, 0.001, '1025');
  b.stream(target, { at: 0.01, end: 'stopped', until: 0.02, rv: '1025', rvAt: 0.005, origin: 'list' });
  read(b, target);
  b.stream(target, {
    at: 2.5,
    rv: '1025',
    rvAt: 0.005,
    origin: 'list',
    error: { message: 'too old resource version: 1025 (1425)', reason: 'Expired', code: 410 },
  });
  b.list(target, 2.6, '1525', { why: '410' });
  return diagnose(b.run(10)).find(({ key }) => key.endsWith('refusal')) as Finding;
}

const counter = (value: number, process = 7) => ({ [INITIALIZATIONS]: value, [PROCESS]: process });

describe('a client that left within milliseconds of its LIST', () => {
  it('knows an overrun ring by a counter read in that moment that stands still, and a floor that still reached its RV', () => {
    const found = leftAtOnce((b, target) => {
      b.metrics(target, 0.03, counter(1));
      b.floor(target, 0.03, '1000');
      b.metrics(target, 2.53, counter(1));
    });
    // Of that moment, not of before it: never high.
    expect(found).toMatchObject({ class: 'ring-buffer-expiry', sub: 'overrun', confidence: 'medium' });
  });

  it('knows a rebuilt cache by the same counter, where it rose', () => {
    const found = leftAtOnce((b, target) => {
      b.metrics(target, 0.03, counter(1));
      b.floor(target, 0.03, '1000');
      b.metrics(target, 2.53, counter(2));
    });
    expect(found.class).toBe('cache-rebuilt');
    expect(found.text).toContain('went from 1 to 2');
  });

  it('does not trust a reading of which nothing shows that the cache still had its RV', () => {
    const found = leftAtOnce((b, target) => {
      b.metrics(target, 0.03, counter(1));
      b.floor(target, 0.03, '1425');
      b.metrics(target, 2.53, counter(1));
    });
    expect(found).toMatchObject({ class: 'cache-rebuilt', confidence: 'low' });
  });
});

describe('a 410 of a young RV that nothing decides says which reading is missing', () => {
  it.each<[string, (b: FactsBuilder, target: ReturnType<FactsBuilder['target']>) => void, string]>([
    ['no probes', () => undefined, 'no probe asked for it'],
    [
      'refused',
      (b, target) =>
        b.probes.push({ ...answer(b, target), kind: 'metrics', outcome: { kind: 'failed', detail: 'HTTP 403' } }),
      '/metrics told nothing of it',
    ],
    ['none before', (b, target) => b.metrics(target, 2.53, counter(1)), 'not read before the refusal, only after'],
    [
      'none after',
      (b, target) => b.metrics(target, 0.03, counter(1)),
      'read before the refusal only, and not yet after',
    ],
    [
      'another process',
      (b, target) => {
        b.metrics(target, 0.03, counter(1, 7));
        b.metrics(target, 2.53, counter(1, 8));
      },
      'two processes told it',
    ],
    [
      'too late before',
      (b, target) => {
        b.metrics(target, 1.9, counter(1));
        b.metrics(target, 2.53, counter(1));
      },
      'had it been read before 1025 was given',
    ],
  ])('%s', (_name, read, words) => {
    const found = leftAtOnce(read);
    expect(found.class).toBe('cache-rebuilt');
    expect(found.confidence).toBe('low');
    expect(found.text).toContain(words);
    expect(found.text).toContain('a sibling watch of the same resource');
  });
});

function answer(b: FactsBuilder, target: ReturnType<FactsBuilder['target']>): FactsBuilder['probes'][number] {
  b.metrics(target, 0.03, {});
  return b.probes.pop() as FactsBuilder['probes'][number];
}
