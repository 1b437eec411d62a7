import { describe, expect, it } from 'vitest';
import { VerdictCheck } from '../../src/cli/verdict-check.ts';
import type { ListFacts, StreamFacts } from '../../src/client/facts.ts';
import type { Finding, FindingClass } from '../../src/diagnosis/finding.ts';
import type { RefusalCause, TraceEvent } from '../../src/store/trace.ts';

const TARGET = { index: 0, path: '/api/v1/pods', group: '', version: 'v1', resource: 'pods' };

function finding(name: FindingClass, over: Partial<Finding> = {}): Finding {
  const confidence = over.confidence ?? 'high';
  return {
    class: name,
    confidence,
    candidates: [{ class: name, confidence }],
    facts: {},
    target: 0,
    stream: 1,
    ...over,
  } as Finding;
}

const stream = (over: Partial<StreamFacts> = {}) =>
  ({ stream: 1, target: TARGET, headers: { 'audit-id': 'x' }, openedAt: 1000, endedAt: 9000, ...over }) as StreamFacts;

function check(...events: TraceEvent[]) {
  const verdicts = new VerdictCheck();
  for (const event of events) verdicts.take(event);
  return verdicts;
}

const refuse = (cause: RefusalCause, auditId = 'x'): TraceEvent => ({
  what: 'refuse',
  at: 5000,
  resource: 'pods',
  auditId,
  requested: '7',
  ...cause,
});
const byCache = { facts: { refused_by: 'watch-cache' } };

describe('the server’s trace against a 410', () => {
  it.each<[string, RefusalCause, Finding, object]>([
    ['the ring', { refusedBy: 'watch-cache', because: 'ring' }, finding('ring-buffer-expiry', byCache), { ok: true }],
    [
      'a rebuild after a compaction',
      { refusedBy: 'watch-cache', because: 'rebuilt', rebuiltBecause: 'compacted' },
      finding('upstream-compaction', byCache),
      { ok: true },
    ],
    [
      'a start',
      { refusedBy: 'watch-cache', because: 'rebuilt', rebuiltBecause: 'start' },
      finding('cache-rebuilt', byCache),
      { ok: true },
    ],
    [
      'etcd',
      { refusedBy: 'etcd', because: 'compacted' },
      finding('upstream-compaction', { facts: { refused_by: 'etcd' } }),
      { ok: true },
    ],
    [
      'another class',
      { refusedBy: 'watch-cache', because: 'ring' },
      finding('cache-rebuilt', byCache),
      { ok: false, says: 'ring-buffer-expiry, refused by watch-cache' },
    ],
    [
      'another who',
      { refusedBy: 'watch-cache', because: 'ring' },
      finding('ring-buffer-expiry', { facts: { refused_by: 'etcd' } }),
      { ok: false, says: 'ring-buffer-expiry, refused by watch-cache' },
    ],
    [
      'one who was not sure, and named it',
      { refusedBy: 'watch-cache', because: 'ring' },
      finding('cache-rebuilt', {
        ...byCache,
        confidence: 'low',
        candidates: [
          { class: 'cache-rebuilt', confidence: 'low' },
          { class: 'ring-buffer-expiry', confidence: 'low' },
        ],
      }),
      { ok: true, says: 'ring-buffer-expiry, refused by watch-cache' },
    ],
  ])('%s', (_, cause, one, expected) => {
    expect(check(refuse(cause)).judge(one, { streams: [stream()], lists: [] })).toEqual(expected);
  });

  it('knows when nothing was refused, and has nothing to say of a stream that it does not know', () => {
    expect(check().judge(finding('ring-buffer-expiry', byCache), { streams: [stream()], lists: [] })).toEqual({
      ok: false,
      says: 'nothing was refused',
    });
    expect(check().judge(finding('ring-buffer-expiry', byCache), { streams: [], lists: [] })).toBeUndefined();
  });

  it('joins a page of a list by its Audit-Id', () => {
    const page = {
      target: TARGET,
      headers: { 'audit-id': 'p' },
      refusal: { hadContinue: true },
    } as unknown as ListFacts;
    const one = finding('continue-token-expired', { facts: { refused_by: 'etcd' } });
    const { stream: _none, ...ofList } = one;
    const verdicts = check(refuse({ refusedBy: 'etcd', because: 'compacted' }, 'p'));
    expect(verdicts.judge(ofList as Finding, { streams: [], lists: [page] })).toEqual({ ok: true });
  });
});

describe('the server’s trace against an end', () => {
  const terminate = (auditId: string): TraceEvent => ({
    what: 'terminate',
    at: 8000,
    resource: 'pods',
    watcher: 3,
    auditId,
  });
  const reinit = (at: number, apiserver = 0): TraceEvent => ({
    what: 'reinit',
    at,
    resource: 'pods',
    generation: 2,
    because: 'compacted',
    apiserver,
  });
  const restart: TraceEvent = { what: 'restart', at: 8500, how: 'orderly', apiserver: 0 };

  it.each<[string, TraceEvent[], Finding, object]>([
    ['a planned end', [], finding('server-timeout'), { ok: true }],
    [
      'a planned end of another stream’s trouble',
      [terminate('y'), reinit(2000)],
      finding('server-timeout'),
      { ok: true },
    ],
    ['no planned end', [reinit(8900)], finding('server-timeout'), { ok: false, says: 'the cache was rebuilt' }],
    ['a slow watcher', [terminate('x')], finding('slow-watcher-terminated'), { ok: true }],
    [
      'another slow watcher',
      [terminate('y')],
      finding('slow-watcher-terminated'),
      { ok: false, says: 'it ended as planned' },
    ],
    [
      'no slow watcher',
      [reinit(8900)],
      finding('slow-watcher-terminated'),
      { ok: false, says: 'the cache was rebuilt' },
    ],
    ['a rebuild on another apiserver', [reinit(8900, 1)], finding('server-timeout'), { ok: true }],
    ['a shutdown', [restart], finding('apiserver-shutdown'), { ok: true }],
    [
      'a guess that named it',
      [reinit(8900)],
      finding('slow-watcher-terminated', {
        confidence: 'medium',
        candidates: [
          { class: 'slow-watcher-terminated', confidence: 'medium' },
          { class: 'cache-rebuilt', confidence: 'low' },
        ],
      }),
      { ok: true, says: 'the cache was rebuilt' },
    ],
  ])('%s', (_, events, one, expected) => {
    expect(check(...events).judge(one, { streams: [stream()], lists: [] })).toEqual(expected);
  });

  it('knows an RV that the store has not come to', () => {
    const written: TraceEvent = { what: 'write', at: 1, resource: 'pods', verb: 'update', key: 'k', rv: 1050 };
    const asked = (rv: string) =>
      check(written).judge(finding('rv-too-large', { facts: { requested_rv: rv } }), { streams: [], lists: [] });
    expect(asked('9999')).toEqual({ ok: true });
    expect(asked('1040')).toBeUndefined();
  });

  it('says nothing of what its trace does not know', () => {
    expect(check().judge(finding('connection-lost'), { streams: [stream()], lists: [] })).toBeUndefined();
  });

  it('knows what it did to whom, and why', () => {
    const verdicts = check(terminate('x'), refuse({ refusedBy: 'watch-cache', because: 'ring' }));
    expect(verdicts.did('terminate', ['x'], [])).toBe(true);
    expect(verdicts.did('terminate', ['y'], [])).toBe(false);
    expect(verdicts.did('refuse', ['x'], ['ring-buffer-expiry'])).toBe(true);
    expect(verdicts.did('refuse', ['x'], ['upstream-compaction'])).toBe(false);
  });
});
