import { describe, expect, it } from 'vitest';
import type { ControlFacts } from '../../src/client/control-facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FactsBuilder, type StreamStory, seconds } from './facts-builder.ts';

/** A stream that was bookmarked at 60, 120 and 180 s, and then fell silent; seen `now` seconds after its start. */
function silent(now: number, more: Partial<StreamStory> = {}, control?: Partial<ControlFacts>): Finding[] {
  const b = new FactsBuilder();
  const target = b.target('pods');
  b.stream(target, { at: 0, rv: '1', timeout: 3000, last: ['301', 180], bookmarks: [60, 120, 180], ...more });
  return found(b, now, control);
}

function found(b: FactsBuilder, now: number, control?: Partial<ControlFacts>): Finding[] {
  const facts: ControlFacts = { state: 'live', asked: '/x', startedAt: seconds(0), frames: 9, opens: 1, ...control };
  return diagnose({ ...b.run(now), ...(control ? { control: facts } : {}) });
}

const summary = (findings: readonly Finding[]) => findings.map(({ class: name, confidence }) => [name, confidence]);

describe('a silent stream whose connection does not answer a ping', () => {
  const ping = { facts: { httpVersion: '2', pingUnansweredSince: seconds(210) } };

  it('is a stall of medium confidence, before a bookmark is missing', () => {
    const [finding] = silent(226, ping);
    expect(summary(finding ? [finding] : [])).toEqual([['silent-stall', 'medium']]);
    expect(finding?.text).toContain('HTTP/2 ping of its connection has had no answer for 16 s');
    expect(finding?.lines.why).toBe('pings unanswered');
  });

  it('is high where another connection lives', () => {
    const [finding] = silent(226, { facts: { ...ping.facts, pathAliveAt: seconds(220) } });
    expect(finding).toMatchObject({ class: 'silent-stall', confidence: 'high' });
    expect(finding?.text).toContain('Node leases kept coming over another connection (6 s ago)');
    expect(finding?.ruledOut).toContain('a dead path or apiserver (node leases come over another connection)');
  });

  it('is nothing where the ping was answered', () => {
    expect(silent(226, { facts: { httpVersion: '2', pongAt: seconds(211) } })).toEqual([]);
  });
});

describe('a silent stream beside a control stream', () => {
  const alive = (at: number) => ({ facts: { pathAliveAt: seconds(at) } });

  it('is quiet while nothing is missing, however alive the path', () => {
    expect(silent(235, alive(230))).toEqual([]);
    expect(silent(200, alive(198))).toEqual([]);
  });

  it('is a stall with the second missing bookmark, where it takes three without', () => {
    expect(silent(320)).toEqual([]);
    const findings = silent(320, alive(315));
    expect(summary(findings)).toEqual([['silent-stall', 'medium']]);
    expect(findings[0]?.lines.why).toBe('2 bookmarks missing');
  });

  it('is none without bookmarks: a quiet resource has nothing to say', () => {
    const quiet = { bookmarks: [], noBookmarksAsked: true, timeout: 6000 };
    expect(silent(2000, { ...quiet, ...alive(1995) })).toEqual([]);
  });

  it('says nothing of a path that was heard long before', () => {
    expect(silent(320, alive(290))).toEqual([]);
    expect(silent(320, alive(100))).toEqual([]);
  });

  it('that fell silent as well, and gets no answer to a new connection: the path or the apiserver', () => {
    const control = {
      state: 'unanswered',
      unansweredBy: 'silence',
      lastByteAt: seconds(178),
      unansweredSince: seconds(193),
    } as const;
    const [finding] = silent(210, {}, control);
    expect(finding).toMatchObject({ class: 'silent-stall', confidence: 'medium' });
    expect(finding?.candidates.map((one) => one.class)).toEqual(['silent-stall', 'unreachable', 'connection-lost']);
    expect(finding?.text).toContain('fell silent as well 32 s ago, and a new connection gets no answer');
    expect(finding?.lines.do).toContain('whether the apiserver answers anybody');
  });

  it('whose new connections are refused is no dead path: an apiserver that leaves lets open streams live on', () => {
    const control = { lastByteAt: seconds(178), unansweredSince: seconds(193), state: 'unanswered' } as const;
    expect(silent(210, {}, { ...control, unansweredBy: 'refusal' })).toEqual([]);
    expect(silent(210, {}, { ...control, unansweredBy: 'gateway' })).toEqual([]);
  });

  it('that died long before this stream fell silent proves nothing about it', () => {
    const control = {
      state: 'unanswered',
      unansweredBy: 'silence',
      lastByteAt: seconds(60),
      unansweredSince: seconds(75),
    } as const;
    expect(silent(210, {}, control)).toEqual([]);
  });

  it('that was refused changes nothing', () => {
    const control = { state: 'refused', refused: { httpStatus: 403, detail: '' }, lastByteAt: seconds(1) } as const;
    expect(silent(230, {}, control)).toEqual([]);
    expect(summary(silent(380, {}, control))).toEqual([['silent-stall', 'medium']]);
  });
});

describe('bookmarks that were not due', () => {
  const asked = (at: number, answer: Parameters<FactsBuilder['probe']>[2], now = 400) => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, rv: '1', timeout: 3000, last: ['301', 180], bookmarks: [60, 120, 180] });
    b.probe(target, at, answer);
    return summary(found(b, now));
  };

  it('are not missing: the cache has not moved, or a second watch is as quiet', () => {
    expect(asked(370, { kind: 'rv', rv: rv('301') })).toEqual([]);
    expect(asked(370, { kind: 'side', frames: 0, waitedMs: 5000 })).toEqual([]);
    expect(asked(370, { kind: 'side', frames: 0, waitedMs: 5000, lastRv: rv('301') })).toEqual([]);
  });

  it('are missing where the cache has moved, or a second watch got one', () => {
    expect(asked(370, { kind: 'rv', rv: rv('350') })).toEqual([['silent-stall', 'medium']]);
    expect(asked(370, { kind: 'side', frames: 0, waitedMs: 5000, lastRv: rv('350') })).toEqual([
      ['silent-stall', 'medium'],
    ]);
  });

  it('an answer from before the first one was due says nothing', () => {
    expect(asked(200, { kind: 'side', frames: 0, waitedMs: 5000 })).toEqual([['silent-stall', 'medium']]);
  });

  it('are not told before the probes of that moment have had time to answer', () => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), { at: 0, rv: '1', timeout: 3000, last: ['301', 180], bookmarks: [60, 120, 180] });
    const run = { ...b.run(374), probing: true };
    expect(diagnose(run)).toEqual([]);
    expect(summary(diagnose({ ...b.run(379), probing: true }))).toEqual([['silent-stall', 'medium']]);
  });
});
