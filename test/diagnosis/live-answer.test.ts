import { describe, expect, it } from 'vitest';
import type { ProbeKind, ProbeOutcome, RunFacts } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { type LiveAnswer, liveAnswer } from '../../src/diagnosis/live-answer.ts';
import { liveWords } from '../../src/diagnosis/words-live.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FactsBuilder, type StreamStory } from './facts-builder.ts';

type Probes = Partial<Record<ProbeKind, ProbeOutcome | ProbeOutcome[]>>;

function asked(story: Omit<StreamStory, 'at'>, probes: Probes, resource = 'pods'): LiveAnswer {
  const builder = new FactsBuilder();
  const pods = builder.target(resource);
  builder.stream(pods, { rv: '41877', ...story, at: 0 });
  const run: RunFacts = builder.run(2);
  for (const [kind, outcomes] of Object.entries(probes)) {
    for (const outcome of [outcomes].flat())
      run.probes.push({
        kind: kind as ProbeKind,
        target: pods,
        askedAt: run.now,
        answeredAt: run.now,
        asked: '',
        outcome,
      });
  }
  return liveAnswer('41877', run, diagnose(run));
}

const textA = { error: { message: 'too old resource version: 41877 (96214)', code: 410, reason: 'Expired' } } as const;
const textB = {
  error: { message: 'The resourceVersion for the provided watch is too old.', code: 410, reason: 'Expired' },
} as const;
const floor = (at: string): ProbeOutcome => ({ kind: 'floor', floor: rv(at) });
const compacted: ProbeOutcome = { kind: 'compacted' };
const alive: ProbeOutcome = { kind: 'alive', rv: rv('41877') };
const at = (value: string): ProbeOutcome => ({ kind: 'rv', rv: rv(value) });
const failed = (detail: string): ProbeOutcome => ({ kind: 'failed', detail });

describe('what a cluster answers about one RV', () => {
  it('refused by the cache, compacted in etcd: relisting is the only way', () => {
    const live = asked(textA, { exact: compacted, window: floor('96214'), 'cache-rv': at('97000') });
    expect(live).toMatchObject({
      watch: 'gone',
      refusedBy: 'watch-cache',
      etcd: 'compacted',
      apart: '54337',
      unseen: [],
    });
    expect(liveWords(live).title).toBe(
      '41877 is 54,337 revisions below the floor, etcd has compacted it too; relisting is the only way',
    );
  });

  it('refused by the cache, etcd alone still has it', () => {
    const live = asked(textA, { exact: alive, window: floor('96214') });
    expect(live).toMatchObject({ watch: 'gone', etcd: 'holds' });
    expect(liveWords(live).title).toMatch(/only etcd still has it/);
    expect(liveWords(live).text).toMatch(/A compaction was not what took it/);
  });

  it('refused by the cache, etcd could not be asked', () => {
    const live = asked(textA, {
      exact: failed('HTTP 403: pods is forbidden'),
      window: failed('HTTP 429'),
      'cache-rv': failed('HTTP 429'),
    });
    expect(live.unseen).toEqual([
      // The floor was told by the refusal itself.
      { what: 'whether etcd still has it', why: 'HTTP 403' },
      { what: 'the cache’s own RV', why: 'HTTP 429' },
    ]);
    expect(liveWords(live)).toMatchObject({
      title: '41877 is 54,337 revisions below the floor: list again',
      text: expect.stringMatching(
        /Not seen: whether etcd still has it \(HTTP 403\); the cache’s own RV \(HTTP 429\)\.$/,
      ),
    });
  });

  it('refused by etcd itself', () => {
    const live = asked(textB, { exact: compacted, window: compacted });
    expect(live).toMatchObject({
      watch: 'gone',
      refusedBy: 'etcd',
      etcd: 'compacted',
      uncached: true,
      class: 'upstream-compaction',
    });
    expect(live).not.toHaveProperty('floors');
  });

  it('still served, with the window’s reach', () => {
    const live = asked({}, { window: floor('41000'), 'cache-rv': at('41900'), exact: failed('whatever') });
    expect(live).toMatchObject({ watch: 'served', class: 'healthy', apart: '877', unseen: [] });
    expect(liveWords(live).title).toBe(
      'RV 41877 is still served: the window still reaches it, and 877 revisions further back',
    );
  });

  it('ahead of a cache and of etcd; an idle resource’s cache only lags', () => {
    const ahead = asked({}, { 'cache-rv': at('41800'), exact: failed('HTTP 504') });
    expect(ahead).toMatchObject({ watch: 'ahead', class: 'rv-too-large' });
    expect(liveWords(ahead).title).toContain('by 77 revisions');
    const lagging = asked({}, { 'cache-rv': at('41800'), exact: alive });
    expect(lagging.watch).toBe('served');
    expect(liveWords(lagging).text).toContain('idle resource is at 41800');
  });

  it.each<[string, ProbeOutcome]>([
    ['compacted before', compacted],
    ['young', { kind: 'open' }],
  ])('speaks of etcd where there is no watch cache: %s', (_, window) => {
    const served = liveWords(asked({}, { window, 'cache-rv': at('41900') }, 'events'));
    expect(served.title).toBe('RV 41877 is still served: etcd has it');
    expect(served.text).toContain('etcd is at 41900 now');
    const ahead = liveWords(asked({}, { window, 'cache-rv': at('41800'), exact: failed('HTTP 500') }, 'events'));
    expect(ahead.title).toContain('etcd is at 41800');
    for (const { text } of [served, ahead]) expect(text).not.toMatch(/[Tt]he cache|another apiserver|window/);
    expect(asked({}, { window: { kind: 'open' } }).uncached).toBe(false);
  });

  it('floors that disagree are several apiservers', () => {
    const live = asked(textA, { window: [floor('40000'), floor('96214')], exact: alive });
    expect(live.floors).toEqual({ low: '40000', high: '96214' });
    expect(liveWords(live).text).toContain('at least two apiservers answer, and one of them still serves it');
  });

  it('an answer that was none', () => {
    const refused = asked({ end: 'refused' }, { exact: failed('no answer'), window: failed('no answer') });
    expect(refused).toMatchObject({ watch: 'no-answer', class: 'unreachable', etcd: 'unseen' });
    const forbidden = asked({ end: 'rejected', status: 403 }, {});
    expect(forbidden.watch).toBe('rejected');
    expect(liveWords(forbidden).text).toMatch(/could not be seen/);
  });

  it('keeps within the lengths of a finding', () => {
    const long = failed(`no answer: ${'x'.repeat(5000)}`);
    const { title, text, next } = liveWords(asked(textA, { exact: long, window: long, metrics: long, version: long }));
    expect(title.length).toBeLessThanOrEqual(120);
    expect(text.length).toBeLessThanOrEqual(900);
    expect(next.length).toBeLessThanOrEqual(5);
  });
});
