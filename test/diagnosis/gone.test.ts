import { describe, expect, it } from 'vitest';
import type { WatchTarget } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { decideGone, GONE_TABLE } from '../../src/diagnosis/gone.ts';
import { goneSigns } from '../../src/diagnosis/gone-signs.ts';
import { places, sceneOf } from '../../src/diagnosis/scene.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FactsBuilder, failure, INITIALIZATIONS, seconds } from './facts-builder.ts';

/** One row of cases/README §3A: what the run was like, and what has to come out. */
interface Row {
  name: string;
  story: (b: FactsBuilder) => number;
  row: string;
  class: string;
  sub?: string;
  confidence: string;
  others?: string[];
  refusedBy?: string;
}

const ETCD_WORDS = 'etcdserver: mvcc: required revision has been compacted';
const TEXT_B = 'The resourceVersion for the provided watch is too old.';
const TEXT_D = 'The resourceVersion for the provided list is too old.';
const TEXT_E = 'The provided continue parameter is too old to display a consistent list result.';

/** Stream 1 of a cached resource, ended early by the server; its resume is refused at once. R is `age` s old then. */
function earlyEnd(b: FactsBuilder, resource = 'secrets', age = 22) {
  const target = b.target(resource);
  b.stream(target, {
    at: 0,
    end: 'eof',
    until: 82,
    rv: '310000',
    timeout: 500,
    last: ['310120', 82 - age],
    bookmarks: [60],
    events: 1,
  });
  b.goneA(target, 82.05, '310120', '310377', 82 - age);
  return target;
}

/** Stream 1 ended as asked at 45 s; R came `age` s before that. */
function plannedEnd(b: FactsBuilder, age: number, more: Parameters<FactsBuilder['stream']>[1] | object = {}) {
  const target = b.target('endpoints');
  const until = Math.max(45, age + 5);
  b.stream(target, {
    at: 0,
    end: 'eof',
    until,
    rv: '52000',
    timeout: until,
    last: ['52140', until - age],
    bookmarks: [until - age],
    ...more,
  });
  b.goneA(target, until + 0.05, '52140', '52466', until - age);
  return { target, at: until + 0.05 };
}

function sibling(b: FactsBuilder, resource: string, byteAt: number) {
  return b.stream(b.target(resource, { namespace: 'batch' }), {
    at: 0,
    rv: '100',
    timeout: 900,
    last: ['400', 5],
    byteAt,
    events: 9,
  });
}

/** One process answers before and after, and tells the floor of the refusal. With `counter`, that stands still. */
function oneServer(b: FactsBuilder, target: WatchTarget, at: number, floor: string, counter?: string) {
  const samples = { process_start_time_seconds: 1_800_000_000, ...(counter === undefined ? {} : { [counter]: 2 }) };
  b.metrics(target, 0.1, samples);
  b.metrics(target, at, samples);
  for (const after of [0, 2]) b.floor(target, at + after, floor);
}

const ROWS: Row[] = [
  {
    name: 'text B',
    story: (b) => {
      b.stream(b.target('events'), { at: 0, rv: '5521890', error: { message: TEXT_B, code: 410 } });
      return 10;
    },
    row: 'etcd refused',
    class: 'upstream-compaction',
    sub: 'direct',
    confidence: 'high',
    refusedBy: 'etcd',
  },
  {
    name: 'text D on a list',
    story: (b) => {
      b.list(b.target('pods'), 0, undefined, {
        methodPath: '/api/v1/pods?resourceVersion=88&resourceVersionMatch=Exact',
        httpStatus: 410,
        refusal: { status: failure({ message: TEXT_D, code: 410 }), hadContinue: false },
      });
      return 10;
    },
    row: 'etcd refused',
    class: 'upstream-compaction',
    sub: 'direct',
    confidence: 'high',
    refusedBy: 'etcd',
  },
  {
    name: 'raw words of etcd, whoever passes them on',
    story: (b) => {
      b.stream(b.target('flunders.wardle.example.io'), {
        at: 0,
        rv: '4410',
        error: { message: ETCD_WORDS, code: 410 },
      });
      return 10;
    },
    row: 'etcd refused',
    class: 'upstream-compaction',
    sub: 'direct',
    confidence: 'high',
    refusedBy: 'etcd',
  },
  {
    name: 'text E on a watch: the initial list ran into a compaction',
    story: (b) => {
      b.stream(b.target('events'), { at: 0, error: { message: TEXT_E, code: 410 } });
      return 10;
    },
    row: 'etcd refused',
    class: 'upstream-compaction',
    sub: 'direct',
    confidence: 'high',
    refusedBy: 'etcd',
  },
  {
    name: 'text E with continue in the request',
    story: (b) => {
      b.list(b.target('pods'), 0, undefined, {
        httpStatus: 410,
        refusal: { status: failure({ message: TEXT_E, code: 410 }), hadContinue: true, tokenRv: '710020' },
      });
      return 10;
    },
    row: 'continue token',
    class: 'continue-token-expired',
    confidence: 'high',
    refusedBy: 'etcd',
  },
  {
    name: 'no words',
    story: (b) => {
      b.stream(b.target('configmaps'), {
        at: 0,
        rv: '300551',
        status: 410,
        end: 'rejected',
        facts: { headers: { via: '1.1 edge' } },
      });
      return 10;
    },
    row: 'no words',
    class: 'ambiguous-410',
    confidence: 'low',
    others: ['ring-buffer-expiry', 'upstream-compaction', 'cache-rebuilt'],
    refusedBy: 'unknown',
  },
  {
    name: 'foreign words',
    story: (b) => {
      b.stream(b.target('configmaps'), {
        at: 0,
        rv: '300551',
        error: { message: 'resource expired, try again', code: 410 },
      });
      return 10;
    },
    row: 'no words',
    class: 'ambiguous-410',
    confidence: 'low',
    refusedBy: 'unknown',
  },
  {
    name: 'floors differ: young R, so a younger replica',
    story: (b) => {
      const { target, at } = plannedEnd(b, 2);
      b.floor(target, 0.1, '51910');
      b.floor(target, at + 1, '51910');
      return 60;
    },
    row: 'younger replica',
    class: 'ring-buffer-expiry',
    sub: 'other-replica',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'floors differ and the signs of a rebuild: the class by those, the sub by this',
    story: (b) => {
      const target = earlyEnd(b);
      b.floor(target, 84, '309000');
      return 100;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    sub: 'other-replica',
    confidence: 'medium',
  },
  {
    name: 'first request with an RV from outside, compacted or not',
    story: (b) => {
      const target = b.target('services');
      b.goneA(target, 0, '70110', '88412');
      b.exact(target, 0.2, '70110', false);
      return 10;
    },
    row: 'from outside',
    class: 'ring-buffer-expiry',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'rebuild signs, P2 = 410',
    story: (b) => {
      const target = earlyEnd(b);
      b.exact(target, 82.2, '310120', false);
      return 150;
    },
    row: 'rebuilt, compacted',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'medium',
  },
  {
    name: 'rebuild signs, P2 = 410, counter +1, R younger than 5 min',
    story: (b) => {
      const target = earlyEnd(b);
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      b.exact(target, 82.2, '310120', false);
      b.metrics(target, 82.2, { [INITIALIZATIONS]: 3 });
      for (const at of [82.2, 84.2]) b.floor(target, at, '310377');
      return 150;
    },
    row: 'rebuilt, compacted',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'high',
  },
  {
    name: 'the same with an R of ten minutes: its compaction is a matter of course',
    story: (b) => {
      const target = b.target('secrets');
      b.stream(target, {
        at: 0,
        end: 'eof',
        until: 700,
        rv: '310000',
        timeout: 1500,
        last: ['310120', 60],
        bookmarks: [60],
      });
      b.goneA(target, 700.05, '310120', '310377', 60);
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      b.exact(target, 700.2, '310120', false);
      b.metrics(target, 700.2, { [INITIALIZATIONS]: 3 });
      return 720;
    },
    row: 'rebuilt, compacted',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'medium',
  },
  {
    name: 'the same, but an earlier P2 had found R alive',
    story: (b) => {
      const target = b.target('secrets');
      b.stream(target, {
        at: 0,
        end: 'eof',
        until: 700,
        rv: '310000',
        timeout: 1500,
        last: ['310120', 60],
        bookmarks: [60],
      });
      b.goneA(target, 700.05, '310120', '310377', 60);
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      b.exact(target, 500, '310120', true);
      b.exact(target, 700.2, '310120', false);
      b.metrics(target, 700.2, { [INITIALIZATIONS]: 3 });
      for (const at of [700.2, 702.2]) b.floor(target, at, '310377');
      return 720;
    },
    row: 'rebuilt, compacted',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'high',
  },
  {
    name: 'rebuild signs, P2 = 200',
    story: (b) => {
      const target = earlyEnd(b);
      b.exact(target, 82.2, '310120', true);
      return 150;
    },
    row: 'rebuilt, not compacted',
    class: 'cache-rebuilt',
    confidence: 'medium',
  },
  {
    name: 'rebuild signs, P2 = 200, counter +1',
    story: (b) => {
      const target = earlyEnd(b);
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      b.exact(target, 82.2, '310120', true);
      b.metrics(target, 82.2, { [INITIALIZATIONS]: 3 });
      for (const at of [82.2, 84.2]) b.floor(target, at, '310377');
      return 150;
    },
    row: 'rebuilt, not compacted',
    class: 'cache-rebuilt',
    confidence: 'high',
  },
  {
    name: 'P2 = 200 for an RV of a LIST: the cache may have been behind it, and been refused below it',
    story: (b) => {
      const target = b.target('secrets');
      b.list(target, 0, '310120');
      b.stream(target, { at: 0.1, end: 'eof', until: 6, rv: '310120', origin: 'list', rvAt: 0.05, timeout: 500 });
      b.goneA(target, 6.05, '310120', '310377', 0.05, { origin: 'list' });
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      b.exact(target, 6.2, '310120', true);
      b.metrics(target, 6.2, { [INITIALIZATIONS]: 3 });
      b.floor(target, 6.2, '310377');
      return 60;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: ['upstream-compaction'],
  },
  {
    name: 'rebuild signs after a slow read: it may have been dropped, and the ring rolled over',
    story: (b) => {
      const target = earlyEnd(b);
      Object.assign(b.streams[0]!, { readStalledMs: 4_000, readStallEndedAt: b.run(80).now });
      b.exact(target, 82.2, '310120', true);
      return 150;
    },
    row: 'rebuilt, not compacted',
    class: 'cache-rebuilt',
    confidence: 'low',
    others: ['ring-buffer-expiry'],
  },
  {
    name: 'rebuild signs, no P2',
    story: (b) => {
      earlyEnd(b);
      return 150;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: ['upstream-compaction'],
  },
  {
    name: 'rebuild signs with an old R (a cache that was cut off sends no bookmarks): still a rebuild',
    story: (b) => {
      earlyEnd(b, 'secrets', 80);
      return 150;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
  },
  {
    name: 'rebuild signs ruled out by a sibling, which may watch another apiserver, R young',
    story: (b) => {
      earlyEnd(b);
      sibling(b, 'secrets', 120);
      return 150;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'rebuild signs ruled out by a sibling, one apiserver by all signs, R young',
    story: (b) => {
      const target = earlyEnd(b);
      sibling(b, 'secrets', 120);
      oneServer(b, target, 82.2, '310377');
      return 150;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'high',
  },
  {
    name: 'a sibling that is open and mute may be on a dead path',
    story: (b) => {
      const target = earlyEnd(b);
      sibling(b, 'secrets', 5);
      oneServer(b, target, 82.2, '310377');
      return 150;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'what a sibling had got before it was read proves nothing of after',
    story: (b) => {
      const target = earlyEnd(b);
      const stalled = sibling(b, 'secrets', 120);
      Object.assign(stalled, { readStalledMs: 40_000, readStallEndedAt: b.run(120).now });
      oneServer(b, target, 82.2, '310377');
      return 122;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
  },
  {
    name: 'start times that differ: of several apiservers neither sibling nor counter speaks of the one that refused',
    story: (b) => {
      const target = earlyEnd(b);
      sibling(b, 'secrets', 120);
      const start = b.run(0).now / 1000;
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2, process_start_time_seconds: start - 900 });
      b.metrics(target, 82.2, { [INITIALIZATIONS]: 2, process_start_time_seconds: start - 300 });
      for (const at of [82.2, 84.2]) b.floor(target, at, '310377');
      return 150;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: ['upstream-compaction'],
  },
  {
    name: 'rebuild signs ruled out by the counter, R old',
    story: (b) => {
      const target = earlyEnd(b, 'secrets', 80);
      oneServer(b, target, 82.2, '310377', INITIALIZATIONS);
      return 150;
    },
    row: 'window slid',
    class: 'ring-buffer-expiry',
    sub: 'rolled-over',
    confidence: 'high',
  },
  {
    name: 'rebuild signs ruled out by a floor that moves with the writes',
    story: (b) => {
      const target = earlyEnd(b);
      for (const [i, floor] of ['310378', '310390', '310400'].entries()) b.floor(target, 84 + i * 2, floor);
      return 150;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'a floor that moves is no answer to the signs of a rebuild where the ring is small: it fills within seconds',
    story: (b) => {
      const target = earlyEnd(b);
      b.metrics(target, 82.2, { watch_cache_capacity: 51 });
      for (const [i, floor] of ['310378', '310390', '310400'].entries()) b.floor(target, 84 + i * 2, floor);
      return 150;
    },
    row: 'rebuilt, cause open',
    class: 'cache-rebuilt',
    confidence: 'medium',
  },
  {
    name: 'P2 = 410 where nothing was rebuilt proves nothing',
    story: (b) => {
      const { target, at } = plannedEnd(b, 400);
      b.exact(target, at + 1, '52140', false);
      return 500;
    },
    row: 'window slid',
    class: 'ring-buffer-expiry',
    sub: 'rolled-over',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'a filtered watch without bookmarks: R old since little comes',
    story: (b) => {
      const { target, at } = plannedEnd(b, 400, {
        noBookmarksAsked: true,
        bookmarks: [],
        facts: { hasSelector: true },
      });
      oneServer(b, target, at + 1, '52466', INITIALIZATIONS);
      return 500;
    },
    row: 'window slid',
    class: 'ring-buffer-expiry',
    sub: 'idle-filtered-watch',
    confidence: 'high',
  },
  {
    name: 'cut off for minutes, nothing else known',
    story: (b) => {
      const target = b.target('replicasets.apps');
      b.stream(target, {
        at: 0,
        end: 'reset',
        until: 65,
        rv: '2200',
        timeout: 590,
        last: ['2260', 60],
        bookmarks: [60],
      });
      b.stream(target, { at: 66, rv: '2260', rvAt: 60, end: 'refused' });
      b.goneA(target, 195, '2260', '2590', 60);
      return 260;
    },
    row: 'window slid',
    class: 'ring-buffer-expiry',
    sub: 'rolled-over',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'young R after the planned end, a sibling lived on',
    story: (b) => {
      plannedEnd(b, 2);
      sibling(b, 'endpoints', 60);
      return 65;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'medium',
  },
  {
    name: 'young R after the planned end, nothing else known',
    story: (b) => {
      plannedEnd(b, 2);
      return 65;
    },
    row: 'young, nothing known',
    class: 'cache-rebuilt',
    confidence: 'low',
    others: ['ring-buffer-expiry'],
  },
  {
    name: 'an R that we read late, the cache known to be the same: old or overrun stays open',
    story: (b) => {
      const target = b.target('secrets');
      const facts = { readStalledMs: 70_000, readStallEndedAt: b.run(72).now };
      b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['310120', 72], facts });
      b.goneA(target, 82.05, '310120', '310377', 72);
      sibling(b, 'secrets', 120);
      return 150;
    },
    row: 'same cache, age open',
    class: 'ring-buffer-expiry',
    confidence: 'medium',
  },
  {
    name: 'fewer revisions since R than the ring holds: whatever a sibling lived through, the ring did not lose them',
    story: (b) => {
      const { target, at } = plannedEnd(b, 2);
      sibling(b, 'endpoints', 60);
      b.metrics(target, at + 0.1, { watch_cache_capacity: 575 });
      b.list(target, at + 0.1, '52470', { why: '410' });
      return 65;
    },
    row: 'rebuilt while away',
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: ['upstream-compaction', 'ring-buffer-expiry'],
  },
  {
    name: 'as many revisions since R as the ring holds: it may have lost them',
    story: (b) => {
      const { target, at } = plannedEnd(b, 2);
      sibling(b, 'endpoints', 60);
      b.metrics(target, at + 0.1, { watch_cache_capacity: 330 });
      b.list(target, at + 0.1, '52470', { why: '410' });
      return 65;
    },
    row: 'overrun',
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'young R after our own absence',
    story: (b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'stopped', until: 1, rv: '1000', last: ['1041', 0.9, 'event'], events: 3 });
      b.goneA(target, 3.5, '1041', '1448', 0.9);
      return 5;
    },
    row: 'young, nothing known',
    class: 'cache-rebuilt',
    confidence: 'low',
    others: ['ring-buffer-expiry'],
  },
  {
    name: 'counter +1 while we were away',
    story: (b) => {
      const { target, at } = plannedEnd(b, 2);
      b.metrics(target, 1, { [INITIALIZATIONS]: 1 });
      b.metrics(target, at + 1, { [INITIALIZATIONS]: 2 });
      return 65;
    },
    row: 'rebuilt while away',
    class: 'cache-rebuilt',
    confidence: 'medium',
  },
  {
    name: 'counter +1 while we were away, P2 = 410 of a young R',
    story: (b) => {
      const { target, at } = plannedEnd(b, 2);
      b.metrics(target, 1, { [INITIALIZATIONS]: 1 });
      b.exact(target, at + 0.5, '52140', false);
      b.metrics(target, at + 1, { [INITIALIZATIONS]: 2 });
      return 65;
    },
    row: 'rebuilt while away, compacted',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'medium',
    others: ['cache-rebuilt', 'ring-buffer-expiry'],
  },
  {
    name: 'counter +1 while we were away, P2 = 410 of an R that was due to be compacted',
    story: (b) => {
      const { target, at } = plannedEnd(b, 400, { at: 0 });
      b.metrics(target, 1, { [INITIALIZATIONS]: 1 });
      b.exact(target, at + 0.5, '52140', false);
      b.metrics(target, at + 1, { [INITIALIZATIONS]: 2 });
      return at + 20;
    },
    row: 'rebuilt while away',
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: ['upstream-compaction', 'ring-buffer-expiry'],
  },
  {
    name: 'an RV that an earlier stream was granted but that came from outside: its age stays open',
    story: (b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 45, rv: '77', timeout: 45 });
      b.goneA(target, 45.1, '77', '500');
      return 60;
    },
    row: 'age open',
    class: 'ring-buffer-expiry',
    confidence: 'medium',
    others: ['cache-rebuilt'],
  },
  {
    name: 'the old RV of an initial object, held since the stream began',
    story: (b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 45, timeout: 45, last: ['320', 0.2, 'event'], events: 5 });
      b.goneA(target, 45.1, '320', '90000', 0.2);
      return 60;
    },
    row: 'from outside',
    class: 'ring-buffer-expiry',
    confidence: 'medium',
  },
];

function story(row: Row): { finding: Finding; decided: ReturnType<typeof decideGone> } {
  const b = new FactsBuilder();
  const run = b.run(row.story(b));
  const finding = diagnose(run).find(({ facts }) => facts.refused_by !== undefined);
  if (!finding) throw new Error('no 410 was found');
  const place = places(sceneOf(run)).find(({ stream, list }) =>
    finding.stream === undefined ? list !== undefined : stream?.stream === finding.stream,
  );
  if (!place) throw new Error('no such place');
  return { finding, decided: decideGone(goneSigns(place)) };
}

describe('a 410 whose Status lacks members', () => {
  const classOf = (error: Parameters<typeof failure>[0]) => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), { at: 0, rv: '5', error });
    return diagnose(b.run(5))[0]?.class;
  };
  const message = 'too old resource version: 5 (9)';

  it('is one by its reason, or by the watch cache’s sentence where it has neither code nor reason', () => {
    expect(classOf({ message, reason: 'Expired' })).toBe('ring-buffer-expiry');
    expect(classOf({ message, reason: 'Gone', code: 0 })).toBe('ring-buffer-expiry');
    expect(classOf({ message })).toBe('ring-buffer-expiry');
    expect(classOf({ reason: 'Expired' })).toBe('ambiguous-410');
  });

  it('is none where code or reason say something else', () => {
    expect(classOf({ message, code: 500 })).not.toBe('ring-buffer-expiry');
    expect(classOf({ message, reason: 'InternalError' })).not.toBe('ring-buffer-expiry');
    expect(classOf({ message: 'gone', reason: 'Unknown' })).not.toBe('ambiguous-410');
  });
});

describe('a ring that is known to be pinned', () => {
  /** A client that left within milliseconds of its LIST, and came back after the burst. */
  function leftAtOnce(head: string) {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.list(target, 0, '1041');
    b.stream(target, { at: 0.06, end: 'stopped', until: 0.07, rv: '1041', rvAt: 0, origin: 'list' });
    b.goneA(target, 3, '1041', '1448', 0, { origin: 'list' });
    b.list(target, 3.1, head, { why: '410' });
    return b.run(10);
  }
  const found = (head: string, pinned?: number) => {
    const gone = diagnose(leftAtOnce(head), pinned === undefined ? {} : { pinned }).find(
      ({ facts }) => facts.refused_by,
    );
    return [gone?.class, gone?.sub, gone?.confidence];
  };

  it('was overrun where as many revisions lie above its floor as it holds', () => {
    expect(found('1548', 100)).toEqual(['ring-buffer-expiry', 'overrun', 'medium']);
  });

  it.each([
    ['it is not known to be pinned', '1548', undefined],
    ['it cannot be full: it began anew', '1500', 100],
  ])('is no reason where %s', (_, head, pinned) => {
    expect(found(head, pinned)).toEqual(['cache-rebuilt', undefined, 'low']);
  });
});

describe('the truth table of a 410, row by row', () => {
  it.each(ROWS)('$name', (row) => {
    const { finding, decided } = story(row);
    expect(decided.row).toBe(row.row);
    expect([finding.class, finding.sub, finding.confidence]).toEqual([row.class, row.sub, row.confidence]);
    expect(finding.facts.refused_by).toBe(row.refusedBy ?? 'watch-cache');
    const others = finding.candidates.slice(1).map((one) => one.class);
    for (const name of row.others ?? []) expect(others).toContain(name);
  });

  it('is asked from top to bottom: each row is the first that fits in some story', () => {
    const deciding = new Set(ROWS.map(({ row }) => row));
    const rows = GONE_TABLE.filter((row) => row.class !== undefined).map(({ name }) => name);
    expect(rows.filter((name) => !deciding.has(name))).toEqual([]);
  });

  it('has its rows in the order of the document', () => {
    expect(GONE_TABLE.map(({ name, class: as, sub }) => [name, as, typeof sub === 'function' ? '…' : sub])).toEqual([
      ['etcd refused', 'upstream-compaction', 'direct'],
      ['continue token', 'continue-token-expired', undefined],
      ['no words', 'ambiguous-410', undefined],
      ['floors differ', undefined, 'other-replica'],
      ['from outside', 'ring-buffer-expiry', undefined],
      ['rebuilt, compacted', 'upstream-compaction', 'through-cache'],
      ['rebuilt, not compacted', 'cache-rebuilt', undefined],
      ['rebuilt, cause open', 'cache-rebuilt', undefined],
      ['rebuilt while away, compacted', 'upstream-compaction', 'through-cache'],
      ['rebuilt while away', 'cache-rebuilt', undefined],
      ['window slid', 'ring-buffer-expiry', '…'],
      ['overrun', 'ring-buffer-expiry', 'overrun'],
      ['same cache, age open', 'ring-buffer-expiry', undefined],
      ['younger replica', 'ring-buffer-expiry', undefined],
      ['age open', 'ring-buffer-expiry', undefined],
      ['young, nothing known', 'cache-rebuilt', undefined],
    ]);
  });
});

describe('evidence that comes late, or speaks against itself', () => {
  it('calls nothing ruled out by a sibling before some seconds have passed', () => {
    const b = new FactsBuilder();
    earlyEnd(b);
    sibling(b, 'secrets', 82.5);
    expect(diagnose(b.run(83)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
    expect(diagnose(b.run(90)).find(({ facts }) => facts.refused_by)?.class).toBe('ring-buffer-expiry');
  });

  it('does not take a sibling that ended together with the stream for one that lived on', () => {
    const b = new FactsBuilder();
    earlyEnd(b);
    b.stream(b.target('secrets', { namespace: 'batch' }), {
      at: 0,
      rv: '100',
      timeout: 900,
      end: 'eof',
      until: 83,
      last: ['400', 82.4],
    });
    expect(diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
  });

  it('does not take what a sibling learnt of the new cache, a second before our end was seen, for old knowledge', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    const other = b.target('secrets', { namespace: 'batch' });
    b.stream(other, { at: 0, rv: '100', timeout: 900, end: 'eof', until: 81, last: ['400', 70] });
    b.list(other, 81.2, '310380', { why: '410' });
    b.stream(other, { at: 81.4, rv: '310380', rvAt: 81.3, origin: 'list', last: ['310400', 130], byteAt: 130 });
    b.metrics(target, 81.5, { [INITIALIZATIONS]: 3 });
    b.metrics(target, 82.2, { [INITIALIZATIONS]: 3 });
    expect(diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
  });

  it('takes a sibling that lived through a risen counter for one of another apiserver', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    sibling(b, 'secrets', 120);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
    b.metrics(target, 82.2, { [INITIALIZATIONS]: 3 });
    b.exact(target, 82.2, '310120', true);
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'medium']);
  });

  it('takes no sibling of another resource', () => {
    const b = new FactsBuilder();
    earlyEnd(b);
    sibling(b, 'configmaps', 120);
    expect(diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
  });

  it('says of a new process that it is one, and nothing of an early end where we had left', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    const start = b.run(0).now / 1000;
    b.stream(target, { at: 0, end: 'stopped', until: 60, rv: '1', timeout: 500, last: ['310120', 59], events: 30 });
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1, process_start_time_seconds: start - 900 });
    b.goneA(target, 62, '310120', '310377', 59);
    b.metrics(target, 62.2, { [INITIALIZATIONS]: 1, process_start_time_seconds: start + 61 });
    b.exact(target, 62.2, '310120', true);
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'medium']);
    expect(gone?.lines.why).toContain('started after 310120 was given');
    expect(gone?.text).not.toContain('early');
    const steps = gone?.next?.join('\n') ?? '';
    expect(steps).toContain('process_start_time_seconds');
    expect(steps).not.toMatch(/initializations_total|Terminating all watchers/);
  });

  it('does not count counters of two processes', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 2, process_start_time_seconds: 1_000 });
    b.metrics(target, 82.2, { [INITIALIZATIONS]: 2, process_start_time_seconds: 2_000 });
    expect(diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
  });

  it('is less sure of a rebuild where our own stalled read explains the early end as well', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    const read = { readStalledMs: 6_000, readStallEndedAt: b.run(80).now };
    b.stream(target, {
      at: 0,
      end: 'eof',
      until: 82,
      rv: '1',
      timeout: 500,
      last: ['310120', 81],
      events: 300,
      facts: read,
    });
    b.goneA(target, 82.05, '310120', '310377', 81);
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'low']);
    expect(gone?.candidates.map((one) => one.class)).toContain('ring-buffer-expiry');
  });

  it('sees no rebuild in an end that cannot be told from a cut', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    b.stream(target, {
      at: 0,
      end: 'eof-unframed',
      until: 82,
      rv: '1',
      timeout: 500,
      last: ['310120', 60],
      bookmarks: [60],
    });
    b.goneA(target, 82.05, '310120', '310377', 60);
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'low']);
  });

  it('takes a floor that had passed R while the stream lived for a window that slid', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b, 'secrets', 80);
    b.floor(target, 40, '310200');
    expect(diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.class).toBe('ring-buffer-expiry');
  });

  it('reads the counter next to the refusal: a rebuild that came later made no earlier 410', () => {
    const b = new FactsBuilder();
    const { target, at } = plannedEnd(b, 400);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 4 });
    b.metrics(target, at + 1, { [INITIALIZATIONS]: 4 });
    for (const after of [1, 3]) b.floor(target, at + after, '52466');
    b.metrics(target, at + 60, { [INITIALIZATIONS]: 5 });
    const gone = diagnose(b.run(at + 100)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.sub, gone?.confidence]).toEqual(['ring-buffer-expiry', 'rolled-over', 'high']);
  });

  it('takes a rise of the counter for a part of this 410 only where it was read since R was given', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    b.metrics(target, 0, { [INITIALIZATIONS]: 1 });
    // The stream began long after that reading: what was rebuilt before it has no part in its refusal.
    b.stream(target, { at: 60, end: 'stopped', until: 100, rv: '100', last: ['140', 99], bookmarks: [99] });
    b.goneA(target, 101, '140', '180', 99);
    b.metrics(target, 101.1, { [INITIALIZATIONS]: 2 });
    const gone = diagnose(b.run(130)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'low']);
  });

  /** A reader that stalls half a second after its stream was opened, reads on 5 s later, and finds a proper end. */
  function slowReader(b: FactsBuilder) {
    const target = b.target('secrets');
    const facts = { readStalledMs: 4_500, readStallEndedAt: seconds(5.2), events: 270 };
    b.stream(target, {
      at: 0.2,
      end: 'eof',
      until: 5.21,
      rv: '1025',
      timeout: 300,
      last: ['1295', 5.2, 'event'],
      facts,
    });
    b.goneA(target, 5.22, '1295', '1928', 5.2, { origin: 'event' });
    return target;
  }

  it('counts what was there when a short stream was asked for: a counter that stands still since', () => {
    const b = new FactsBuilder();
    const target = slowReader(b);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1 });
    b.metrics(target, 5.3, { [INITIALIZATIONS]: 1 });
    const gone = diagnose(b.run(8)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.sub]).toEqual(['ring-buffer-expiry', 'overrun']);
  });

  it('counts a sibling that was open when a short stream was asked for, and lives on', () => {
    const b = new FactsBuilder();
    slowReader(b);
    b.stream(b.target('secrets', { namespace: 'batch' }), { at: 0, rv: '1025', last: ['1900', 4.6], events: 900 });
    const gone = diagnose(b.run(8)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.sub]).toEqual(['ring-buffer-expiry', 'overrun']);
  });

  it('does not call that young which lay unread: it was handed out earlier', () => {
    const b = new FactsBuilder();
    const target = slowReader(b);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1 });
    b.metrics(target, 5.3, { [INITIALIZATIONS]: 1 });
    const gone = diagnose(b.run(8)).find(({ facts }) => facts.refused_by);
    expect(gone?.title).toBe('410: the ring was overrun, RV 1295 was at most 4.5 s old');
    expect(gone?.text).toContain('1295 had been handed out at most 4.5 s before (it lay in our socket unread).');
    expect(`${gone?.title} ${gone?.text} ${gone?.lines.why}`).not.toMatch(/only/);
  });

  it('tells of a stream that etcd refused in its midst where it had come to, not where it began', () => {
    const b = new FactsBuilder();
    const events = b.target('events');
    b.stream(events, {
      at: 0,
      until: 60,
      rv: '1561',
      events: 2,
      error: { message: TEXT_B, reason: 'Expired', code: 410 },
      facts: { cameTo: { rv: rv('1565'), at: seconds(58) } },
    });
    const [gone] = diagnose(b.run(70));
    expect([gone?.class, gone?.sub, gone?.confidence]).toEqual(['upstream-compaction', 'direct', 'high']);
    expect(gone?.title).toBe('410: etcd has compacted what came after RV 1565');
    expect(gone?.text).toContain('1565 had been handed out 2 s before');
    expect(gone?.text).not.toContain('1561');
    expect(gone?.facts).toMatchObject({ requested_rv: '1561', last_rv: '1565' });
  });

  it('takes nothing that was told while the end lay unread for a sign of the time before it', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    const facts = { readStalledMs: 16_000, readStallEndedAt: seconds(36) };
    b.stream(target, { at: 0, end: 'eof', until: 36, rv: '100', timeout: 500, last: ['140', 11], events: 5, facts });
    // The server had ended it at 20 s, when its cache was rebuilt.
    b.floor(target, 30, '180');
    b.goneA(target, 36.1, '140', '180', 11);
    oneServer(b, target, 36.2, '180');
    const gone = diagnose(b.run(60)).find(({ facts: told }) => told.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'low']);
  });

  it('orders floors by who was asked after whose answer, however close together', () => {
    const b = new FactsBuilder();
    const { target, at } = plannedEnd(b, 2);
    // Asked when the refusal had come, and answered in the same moment: two apiservers.
    b.probes.push({
      kind: 'window',
      target,
      askedAt: seconds(at + 0.02),
      answeredAt: seconds(at + 0.02),
      asked: '',
      outcome: { kind: 'floor', floor: rv('51910') },
    });
    const gone = diagnose(b.run(60)).find(({ facts }) => facts.refused_by);
    expect([gone?.sub, gone?.confidence]).toEqual(['other-replica', 'medium']);
  });

  it('asks no stream that we left before its first frame: it was granted nothing yet', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'stopped', until: 1, last: ['57', 0.1, 'event'], events: 29 });
    b.stream(target, { at: 1, end: 'stopped', until: 1.1, rv: '57', rvAt: 0.1 });
    b.goneA(target, 1.2, '57', '58', 0.1, { origin: 'event' });
    const last = places(sceneOf(b.run(20))).at(-1);
    expect(last && goneSigns(last).fromOutside).toBe(true);
  });

  it('takes a floor that moves minutes later for nothing: a rebuilt ring fills and turns as well', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    for (const [i, floor] of ['310378', '310390', '310400'].entries()) b.floor(target, 190 + i * 30, floor);
    const gone = diagnose(b.run(300)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'medium']);
  });

  it('does not call a younger process the one that had R, though its floor lies below what was known before the end', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    const life = { at: 0, end: 'eof', until: 68, rv: '1007', timeout: 500 } as const;
    b.stream(target, { ...life, last: ['1068', 60], bookmarks: [60] });
    b.stream(b.target('secrets', { namespace: 'batch' }), {
      at: 61,
      rv: '2935',
      last: ['3606', 62, 'event'],
      events: 600,
    });
    b.goneA(target, 68.01, '1068', '2927', 60);
    const samples = { process_start_time_seconds: seconds(60.8) / 1000, [INITIALIZATIONS]: 1 };
    for (const at of [61, 68.1]) b.metrics(target, at, samples);
    for (const at of [68.1, 70.1]) b.floor(target, at, '2927');
    const gone = diagnose(b.run(90)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.confidence]).toEqual(['cache-rebuilt', 'medium']);
  });

  it('takes a floor below an RV that was known before for an older cache', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b, 'secrets', 10);
    b.probe(target, 40, { kind: 'rv', rv: '400000' as never });
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect([gone?.class, gone?.sub]).toEqual(['ring-buffer-expiry', 'overrun']);
  });
});

describe('what belongs to a 410', () => {
  it('is explained by it: the early end before it', () => {
    const b = new FactsBuilder();
    earlyEnd(b);
    const [end, gone] = diagnose(b.run(150));
    expect([end?.class, end?.explainedBy, gone?.id]).toEqual(['ambiguous-end', gone?.id, 'f2']);
  });

  it('is explained by it: the cut that made the absence in which the window slid', () => {
    const b = new FactsBuilder();
    const target = b.target('replicasets.apps');
    b.stream(target, { at: 0, end: 'reset', until: 65, rv: '2200', timeout: 590, last: ['2260', 60], bookmarks: [60] });
    b.stream(target, { at: 66, rv: '2260', rvAt: 60, end: 'refused' });
    b.goneA(target, 195, '2260', '2590', 60);
    const findings = diagnose(b.run(300));
    const gone = findings.find(({ facts }) => facts.refused_by);
    const cut = findings.find((one) => one.class === 'connection-lost');
    expect([gone?.class, gone?.explainedBy, cut?.explainedBy]).toEqual(['ring-buffer-expiry', undefined, gone?.id]);
  });

  it('is explained by it: the refused connections that made the absence, once it came to a 410', () => {
    const b = new FactsBuilder();
    const target = b.target('configmaps');
    b.stream(target, { at: 0, end: 'eof', until: 60, rv: '600', timeout: 60, last: ['640', 58], bookmarks: [58] });
    for (const at of [61, 80, 110]) b.stream(target, { at, rv: '640', rvAt: 58, end: 'refused' });
    const away = diagnose(b.run(120)).find((one) => one.class === 'unreachable');
    expect(away?.explainedBy).toBeUndefined();
    b.goneA(target, 160, '640', '690', 58);
    const findings = diagnose(b.run(200));
    const gone = findings.find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'ring-buffer-expiry', sub: 'rolled-over', confidence: 'medium' });
    expect(gone?.text).toMatch(/not connected for .*refused connections/);
    expect(findings.find((one) => one.class === 'unreachable')?.explainedBy).toBe(gone?.id);
  });

  it('is told by the gateway that was away, too, once the absence came to it', () => {
    const b = new FactsBuilder();
    const target = b.target('configmaps');
    b.stream(target, { at: 0, end: 'eof', until: 60, rv: '600', timeout: 60, last: ['640', 58], bookmarks: [58] });
    const body = { size: 60, text: '<html>502</html>' };
    const page = { status: 502, end: 'rejected' as const, facts: { headers: { server: 'haproxy' }, body } };
    for (const at of [61, 80]) b.stream(target, { at, rv: '640', rvAt: 58, ...page });
    b.stream(target, { at: 110, rv: '640', rvAt: 58, end: 'refused' });
    const gateway = () => diagnose(b.run(200)).find((one) => one.class === 'gateway-error');
    expect(gateway()?.text).not.toContain('410');
    b.goneA(target, 160, '640', '690', 58);
    expect(gateway()?.text).toContain(
      'The resume from RV 640, 102 s old by then, was refused with 410 (the history begins at 690)',
    );
  });

  it('explains no outage before anything had come: a 410 after it is another matter', () => {
    const b = new FactsBuilder();
    const target = b.target('configmaps');
    for (const at of [0, 20, 50]) b.stream(target, { at, rv: '640', end: 'refused' });
    b.goneA(target, 80, '640', '690');
    expect(diagnose(b.run(90)).find((one) => one.class === 'unreachable')?.explainedBy).toBeUndefined();
  });

  it('is the consequence of a GOAWAY where the apiserver behind the stream stopped: its cache went with it', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, {
      at: 0,
      rv: '700',
      timeout: 500,
      end: 'goaway',
      until: 65,
      last: ['742', 40, 'event'],
      facts: { endDetail: 'GOAWAY NO_ERROR, last stream 1' },
    });
    b.goneA(target, 65.3, '742', '895', 40);
    const gone = diagnose(b.run(70)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'cache-rebuilt', confidence: 'medium' });
    expect(gone?.text).toContain('by a GOAWAY (NO_ERROR), as an apiserver that stops does');
    expect(gone?.text).not.toContain('properly');
    // etcd having compacted R makes no compaction of it: the cache went with its process.
    b.exact(target, 66, '742', false);
    expect(diagnose(b.run(70)).find(({ facts }) => facts.refused_by)?.class).toBe('cache-rebuilt');
  });

  it('says of where R came only what is known of it', () => {
    const told = (before: Parameters<FactsBuilder['stream']>[1] | undefined, asked: { rv?: string; rvAt?: number }) => {
      const b = new FactsBuilder();
      const target = b.target('pods');
      if (before) b.stream(target, before);
      b.stream(target, {
        at: 100.5,
        ...asked,
        error: { message: 'too old resource version: 810 (900)', reason: 'Expired', code: 410 },
      });
      const gone = diagnose(b.run(130)).find(({ facts }) => facts.refused_by);
      return [gone?.text, ...(gone?.evidence ?? []), ...(gone?.next ?? [])].join(' ');
    };
    const initial = told(
      { at: 0, events: 4, last: ['810', 0.3, 'event'], end: 'reset', until: 100, timeout: 300 },
      { rv: '810', rvAt: 0.3 },
    );
    expect(initial).toContain('810 is the RV of an object of the initial state');
    expect(initial).toContain('at least 100 s old');
    const own = told(undefined, {});
    expect(own).toContain('The request carried no resourceVersion: 810 is one that the server had chosen itself');
    for (const text of [initial, own]) expect(text).not.toMatch(/from outside|do not store/);
    expect(told(undefined, { rv: '810' })).toMatch(/810 came from outside.*do not store an RV/);
  });

  it('blames no CRD, and not one cache alone, where streams of other resources ended in the same moment', () => {
    const b = new FactsBuilder();
    const ends = (name: string, until: number) => {
      const path = `/apis/lab.example.io/v1/${name}`;
      const target = b.target(`${name}.lab.example.io`, { path });
      b.stream(target, { at: 0, rv: '90', timeout: 540, end: 'eof', until, last: ['91', 60], bookmarks: [60] });
      return target;
    };
    const [widgets, gadgets] = [ends('widgets', 90), ends('gadgets', 90.3)];
    b.goneA(widgets, 90.2, '91', '97', 60);
    b.goneA(gadgets, 90.6, '91', '97', 60);
    const findings = diagnose(b.run(130));
    expect(findings.map((one) => one.class)).not.toContain('crd-changed');
    const gone = findings.find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'cache-rebuilt', confidence: 'medium' });
    expect(gone?.text).toContain('1 stream of another resource ended in the same moment');
  });

  it('says of a watch that was refused with HTTP 410 that a kube-apiserver does not do so', () => {
    const b = new FactsBuilder();
    const status = failure({ message: 'too old resource version: 81 (83)', reason: 'Expired', code: 410 });
    const facts = { body: { size: 200, text: '', status }, headers: { via: '1.1 mesh' } };
    b.stream(b.target('pods'), { at: 0, rv: '81', status: 410, end: 'rejected', facts });
    const [gone] = diagnose(b.run(5));
    expect(gone).toMatchObject({ class: 'ring-buffer-expiry', facts: { http_status: 410, refused_by: 'watch-cache' } });
    expect(gone?.text).toMatch(
      /with HTTP 410, where a kube-apiserver accepts the watch and then sends an ERROR event.*\(1\.1 mesh\) rewrote it/,
    );
  });

  it('tells of a slow list that its RV was old when it was read', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    const list = b.list(target, 0, '8000', { pages: 3 });
    list.endedAt = seconds(125);
    b.goneA(target, 125.2, '8000', '8400', 125, { origin: 'list' });
    const gone = diagnose(b.run(130)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'ring-buffer-expiry', sub: 'rolled-over' });
    expect(gone?.text).toContain('by our own clock (a list that took 125 s, in 3 pages');
    expect(gone?.next[0]).toMatch(/^limit: larger pages/);
  });

  it('finds a stale server behind lists that hand out the refused RV again and again', () => {
    const b = new FactsBuilder();
    const target = b.target('services');
    for (const at of [0, 3, 8]) {
      b.list(target, at, '5000', at === 0 ? {} : { why: '410' });
      b.goneA(target, at + 0.2, '5000', '5400', at + 0.05, { origin: 'list' });
    }
    const gone = diagnose(b.run(10)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'cache-rebuilt', confidence: 'low', severity: 'error' });
    expect(gone?.text).toContain('no cache lists an RV below its own floor (5400)');
  });

  it('says that bookmarks were asked for and did not come', () => {
    const gone = (bookmarks: number[]) => {
      const b = new FactsBuilder();
      const target = b.target('probes.lab.example.io');
      const last: [string, number, 'event' | 'bookmark'] = ['7', 20, bookmarks.length > 0 ? 'bookmark' : 'event'];
      b.stream(target, { at: 0, rv: '1', timeout: 420, end: 'eof', until: 420, last, events: 1, bookmarks });
      b.goneA(target, 420.3, '7', '90', 20);
      return diagnose(b.run(430)).find(({ facts }) => facts.refused_by);
    };
    expect(gone([])?.text).toContain('Bookmarks were asked for, but none came in 420 s');
    expect(gone([])?.next[0]).toMatch(/^kubectl get apiservice/);
    expect(gone([20])?.text).not.toContain('Bookmarks were asked for');
    for (const next of gone([20])?.next ?? []) expect(next).not.toContain('back-off');
  });

  it('names an absence only where it explains the age', () => {
    const text = (resumedAt: number) => {
      const b = new FactsBuilder();
      const target = b.target('pods');
      b.stream(target, { at: 0, rv: '1', timeout: 600, end: 'eof', until: 600, last: ['7', 20, 'event'], events: 1 });
      b.goneA(target, resumedAt, '7', '90', 20, { origin: 'event' });
      return diagnose(b.run(resumedAt + 5)).find(({ facts }) => facts.refused_by)?.text;
    };
    expect(text(602)).not.toContain('not connected for');
    expect(text(900)).toContain('not connected for 300 s after the end of the stream');
  });

  it('takes the cache at its word that it was being filled', () => {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    b.stream(target, { at: 0, rv: '60', timeout: 500, end: 'eof', until: 72, last: ['61', 60], bookmarks: [60] });
    const refusal = { message: 'storage is (re)initializing', reason: 'TooManyRequests', code: 429 };
    for (const at of [72.1, 73.2]) {
      const body = { size: 120, text: '', status: failure(refusal) };
      b.stream(target, { at, rv: '61', rvAt: 60, status: 429, end: 'rejected', facts: { body } });
    }
    b.goneA(target, 74.3, '61', '77', 60);
    const gone = diagnose(b.run(90)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'cache-rebuilt', confidence: 'medium' });
    expect(gone?.text).toContain('429 "storage is (re)initializing" (twice): the cache was being filled');
  });

  it('never says that etcd refused what the watch cache refused, whatever else is known', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    b.exact(target, 84, '310120', false);
    b.floor(target, 84.2, '310200');
    const gone = diagnose(b.run(90)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'upstream-compaction', sub: 'other-replica', confidence: 'medium' });
    expect(gone?.text).toMatch(/^The watch cache refused RV 310120/);
    expect(gone?.text).toContain('more than one apiserver (replica) answers here');
    expect(gone?.facts.refused_by).toBe('watch-cache');
  });

  it('says where no object has changed, though only changes turn a ring', () => {
    const text = (changed: number, namespace?: string) => {
      const b = new FactsBuilder();
      const target = b.target('things.lab.example.io', { path: '/apis/lab.example.io/v1/things' });
      if (namespace === undefined) delete target.namespace;
      b.stream(target, { at: 0, rv: '50', timeout: 600, end: 'eof', until: 600, noBookmarksAsked: true });
      b.goneA(target, 600.3, '50', '90', 0, { origin: 'list', noBookmarksAsked: true });
      const none = { count: 0, names: [] };
      const gap = { created: none, changed: { count: changed, names: [] }, deleted: none };
      b.list(target, 600.5, '99', { why: '410', gap });
      return diagnose(b.run(610)).find(({ facts }) => facts.refused_by)?.text;
    };
    const sentence = 'only changes of this resource turn its ring';
    expect(text(0)).toContain(sentence);
    expect(text(2)).not.toContain(sentence);
    expect(text(0, 'shop')).not.toContain(sentence);
  });

  it('tells two processes behind /metrics from one', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 2, process_start_time_seconds: 1_700_000_000 });
    b.metrics(target, 84, { [INITIALIZATIONS]: 2, process_start_time_seconds: 1_790_000_000 });
    const gone = diagnose(b.run(90)).find(({ facts }) => facts.refused_by);
    expect(gone).toMatchObject({ class: 'cache-rebuilt', confidence: 'medium' });
    expect(gone?.text).toContain('Two processes answered /metrics');
  });

  it('names the sibling that ended in the same moment', () => {
    const b = new FactsBuilder();
    earlyEnd(b);
    const other = b.target('secrets', { namespace: 'batch' });
    b.stream(other, { at: 0, rv: '100', timeout: 900, end: 'eof', until: 83, last: ['400', 82.4] });
    const gone = diagnose(b.run(150)).find(({ facts }) => facts.refused_by);
    expect(gone?.text).toContain('The sibling stream 3 on the same resource ended in the same moment');
  });

  it('says what could not be seen: nobody was asked, or the question was refused', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b);
    const text = () => diagnose(b.run(150)).find(({ facts }) => facts.refused_by)?.text;
    expect(text()).toContain('without probes nobody asked etcd whether it still has this RV');
    b.probe(target, 100, { kind: 'failed', detail: 'HTTP 403' });
    Object.assign(b.probes.at(-1)!, { kind: 'exact', httpStatus: 403 });
    expect(text()).toContain('an Exact list at it, which would tell of etcd, was refused (HTTP 403)');
  });

  it('says of an RV from outside, too, what could not be seen', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.goneA(target, 1, '300', '508');
    const text = (probing: boolean) => diagnose({ ...b.run(30), probing }).find(({ facts }) => facts.refused_by)?.text;
    expect(text(false)).toContain(
      'Not asked, without probes: whether etcd still has 300, and the counters of /metrics',
    );
    expect(text(true)).not.toContain('Not seen');
    b.probe(target, 2, { kind: 'failed', detail: 'HTTP 403' });
    Object.assign(b.probes.at(-1)!, { kind: 'exact', httpStatus: 403 });
    b.probe(target, 12, { kind: 'failed', detail: 'not answered within 10 s' });
    Object.assign(b.probes.at(-1)!, { kind: 'metrics', httpStatus: undefined });
    expect(text(true)).toContain('whether etcd still has 300 (HTTP 403), and the counters of /metrics');
    expect(text(true)).toContain('(no answer)');
  });

  it('is crd-changed on a custom resource, which explains the 410', () => {
    const b = new FactsBuilder();
    earlyEnd(b, 'widgets.stable.example.io');
    const [end, gone] = diagnose(b.run(150));
    expect([end?.class, end?.confidence, end?.explainedBy]).toEqual(['crd-changed', 'medium', undefined]);
    expect([gone?.class, gone?.explainedBy]).toEqual(['cache-rebuilt', 'f1']);
    expect(end?.candidates.map((one) => one.class)).toEqual(['crd-changed', 'cache-rebuilt']);
  });

  it('is no crd-changed where etcd had compacted R, or on a built-in resource', () => {
    const b = new FactsBuilder();
    const target = earlyEnd(b, 'widgets.stable.example.io');
    b.exact(target, 82.2, '310120', false);
    expect(diagnose(b.run(150)).map((one) => one.class)).toEqual(['ambiguous-end', 'upstream-compaction']);
  });

  it('becomes an error when it loops: the third within five minutes, or a relist that is refused', () => {
    const b = new FactsBuilder();
    const pods = b.target('pods');
    for (const [i, at] of [0, 60, 120].entries()) b.goneA(pods, at, `${10 + i}`, '500');
    expect(diagnose(b.run(130)).map((one) => one.severity)).toEqual(['note', 'note', 'error']);
    const c = new FactsBuilder();
    const other = c.target('pods');
    c.goneA(other, 0, '10', '500');
    c.list(other, 1, undefined, { why: '410', httpStatus: 500, refusal: { hadContinue: false } });
    expect(diagnose(c.run(5))[0]?.severity).toBe('error');
    c.list(other, 3, '900', { why: '410' });
    expect(diagnose(c.run(5))[0]?.severity).toBe('note');
  });

  it('tells how it healed', () => {
    const b = new FactsBuilder();
    const pods = b.target('pods');
    b.goneA(pods, 0, '10', '500');
    const gap = {
      created: { count: 3, names: [] },
      changed: { count: 41, names: [] },
      deleted: { count: 2, names: [] },
    };
    b.list(pods, 1, '24102', { why: '410', gap });
    expect(diagnose(b.run(5))[0]?.text).toContain(
      'Relisted at 24102; in between, unseen: 3 created, 41 changed, 2 deleted',
    );
  });
});
