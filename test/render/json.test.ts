import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rv } from '../../src/protocol/resource-version.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { RecordMaker, recordLine, summaryRecord } from '../../src/render/json.ts';
import {
  endItem,
  errorItem,
  eventItem,
  finding,
  findingItem,
  listItem,
  openItem,
  PODS,
  phaseItem,
  probeItem,
  START,
} from '../support/feed-items.ts';

const AT = '2026-11-30T12:04:32.000Z';
const common = { schema: 'kwatch/v1', at: AT };
const record = (item: FeedItem, object = false) => new RecordMaker({ object }).record(item);
/** As a reader of the pipe gets it: absent fields are gone. */
const read = (item: FeedItem, object = false) => JSON.parse(recordLine(record(item, object)!));

describe('records', () => {
  it('open: headers that matter in HTTP’s spelling, the others and credentials left out', () => {
    const headers = {
      'audit-id': 'f3c1',
      'retry-after': '1',
      'x-kubernetes-pf-flowschema-uid': 'u',
      date: 'x',
      connection: 'close',
      'set-cookie': 'token',
    };
    expect(read(openItem(START, { headers }))).toEqual({
      record: 'open',
      ...common,
      stream: 1,
      verb: 'watch',
      method_path: openItem(START).methodPath,
      requested_rv: '20410',
      http_status: 200,
      http_version: '1.1',
      headers: { 'Audit-Id': 'f3c1', 'Retry-After': '1', 'X-Kubernetes-Pf-Flowschema-Uid': 'u' },
    });
  });

  it('open: the server’s version once it is known', () => {
    const maker = new RecordMaker({ object: false });
    expect(recordLine(maker.record(openItem(START))!)).not.toContain('server_version');
    maker.record(probeItem(START, { kind: 'version', gitVersion: 'v1.30.3' }));
    expect(maker.record(openItem(START))).toMatchObject({ server_version: 'v1.30.3' });
  });

  it('event', () => {
    const item = eventItem(
      START,
      { name: 'web-0', uid: 'u1', rv: '20475' },
      { sincePreviousMs: 417.4, rvStep: 4, bytes: 3210 },
    );
    expect(read(item)).toEqual({
      record: 'event',
      ...common,
      stream: 1,
      type: 'MODIFIED',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web-0',
      uid: 'u1',
      rv: '20475',
      bytes: 3210,
      since_previous_ms: 417,
    });
  });

  it('event: an ERROR carries its Status as received', () => {
    const item = errorItem(START, 'too old resource version: 1 (2)');
    expect(read(item)).toMatchObject({ type: 'ERROR', status: item.status });
  });

  it('event with --object: the whole object, Secret data masked', () => {
    expect(read(eventItem(START, { name: 'web-0', rv: '1' }), true).object).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web-0', namespace: 'shop', resourceVersion: '1' },
    });
    const raw = new TextEncoder().encode('{"type":"ADDED","object":{"kind":"Secret","data":{"p":"aHVudGVyMg=="}}}');
    expect(read(eventItem(START, { kind: 'Secret' }, { raw }), true).object).toEqual({
      kind: 'Secret',
      data: { p: '[masked]' },
    });
    const half = new TextEncoder().encode('{"type":"ADDED","object":{"kind":"Secret","data":{"p":"aHVudGVyMg==');
    expect(recordLine(record(eventItem(START, {}, { raw: half }), true)!)).not.toContain('aHVudGVyMg');
  });

  it('malformed: 200 characters, escaped, none of a Secret', () => {
    const item = { kind: 'malformed', at: START, stream: 2, target: PODS, reason: 'not JSON', bytes: 900 } as const;
    const text = read({ ...item, text: `\x1b[31m${'x'.repeat(500)}` }).text as string;
    expect(text.startsWith('\\x1b[31m')).toBe(true);
    expect(text.length).toBeLessThan(210);
    const secrets = { ...PODS, resource: 'secrets' };
    expect(read({ ...item, target: secrets, text: '"p":"aHVudGVyMg=="' }).text).not.toContain('aHVudGVyMg');
  });

  it('end: ages from the headers on, whole milliseconds', () => {
    const facts = {
      stream: 3,
      openedAt: START - 312_000.4,
      lastByteAt: START - 15_000.7,
      events: 3,
      bookmarks: 1,
      lastRv: rv('20481'),
    };
    expect(read(endItem(START, facts))).toEqual({
      record: 'end',
      ...common,
      stream: 3,
      end: 'eof',
      duration_ms: 312_000,
      idle_ms: 15_001,
      events: 3,
      bookmarks: 1,
      last_rv: '20481',
      http_status: 200,
    });
  });

  it('list: with the gap proof, at most 20 names each', () => {
    const names = Array.from({ length: 30 }, (_, i) => `shop/web-${i}`);
    const gap = {
      created: { count: 30, names },
      changed: { count: 0, names: [] },
      deleted: { count: 1, names: ['shop/a'] },
    };
    const told = read(listItem(START, { why: '410', gap }));
    expect(told).toMatchObject({
      record: 'list',
      why: '410',
      rv: '20410',
      items: 43,
      pages: 1,
      created: 30,
      changed: 0,
      deleted: 1,
    });
    expect(told.created_names).toHaveLength(20);
    expect(read(listItem(START))).not.toHaveProperty('created');
  });

  it('probe: its answer, and the connection it came on', () => {
    expect(read(probeItem(START, { kind: 'floor', floor: rv('22390') }))).toEqual({
      record: 'probe',
      ...common,
      kind: 'window',
      asked: '/…',
      answer: { kind: 'floor', floor: '22390' },
      connection: 7,
    });
    const side = probeItem(START, { kind: 'side', frames: 3, waitedMs: 1500.5 });
    expect(read(side).answer).toEqual({ kind: 'side', frames: 3, waited_ms: 1501 });
  });

  it('finding: the fields of the contract and no others', () => {
    const told = read(findingItem(START, { rev: 2, explainedBy: 'f2' }, { ok: true }));
    const {
      key: _key,
      streams: _streams,
      target: _target,
      ruledOut: _ruledOut,
      lines: _lines,
      explainedBy,
      at: _at,
      ...rest
    } = finding();
    expect(explainedBy).toBeUndefined();
    expect(told).toEqual({ record: 'finding', ...common, ...rest, rev: 2, explained_by: 'f2' });
  });

  it('trace: fields in snake_case, resourceVersions as strings, the watcher’s label', () => {
    const item = {
      kind: 'trace',
      at: START,
      what: 'refuse',
      resource: 'pods',
      auditId: 'a',
      requested: '1041',
      refusedBy: 'watch-cache',
      floor: 1448,
      because: 'ring',
      lostAgeMs: 2500.2,
    } as const;
    expect(read({ watcher: 'B', ...item })).toEqual({
      record: 'trace',
      ...common,
      watcher: 'B',
      what: 'refuse',
      resource: 'pods',
      audit_id: 'a',
      requested: '1041',
      refused_by: 'watch-cache',
      floor: '1448',
      because: 'ring',
      lost_age_ms: 2500,
    });
    expect(read({ kind: 'trace', at: START, what: 'resize', from: 100, to: 200 })).toMatchObject({
      from: 100,
      to: 200,
    });
  });

  it('nothing of phases and notes: they are for people', () => {
    expect(record(phaseItem(START, { state: 'listing' }))).toBeUndefined();
    expect(record({ kind: 'note', at: START, text: 'hello' })).toBeUndefined();
  });

  it('is one line without a control character, whatever an object is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const line = recordLine(record(eventItem(START, { name, namespace: name }))!);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(JSON.parse(line).name).toBe(JSON.parse(JSON.stringify(name)));
      }),
    );
  });
});

describe('summary', () => {
  it('counts findings by class and names the verdict', () => {
    const findings = [finding(), finding({ id: 'f2' }), finding({ id: 'f3', class: 'server-timeout' })];
    const summary = {
      at: START,
      verdict: findings[0]!,
      findings,
      streams: 3,
      events: 12,
      bookmarks: 2,
      lastRv: '24188',
      exitCode: 0,
    };
    expect(JSON.parse(recordLine(summaryRecord(summary)))).toMatchObject({
      record: 'summary',
      ...common,
      verdict: { id: 'f1', class: 'ring-buffer-expiry', confidence: 'high', severity: 'note' },
      findings: { 'ring-buffer-expiry': 2, 'server-timeout': 1 },
      streams: 3,
      events: 12,
      bookmarks: 2,
      last_rv: '24188',
      exit_code: 0,
    });
  });
});
