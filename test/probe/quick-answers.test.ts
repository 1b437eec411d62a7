import { describe, expect, it } from 'vitest';
import { type Answer, listRv, refusalOf } from '../../src/probe/ask.ts';
import type { Measured } from '../../src/probe/measured.ts';
import { revisionRate } from '../../src/probe/measured.ts';
import { cachedOrNot, cacheLag, plural, readWindow, windowFloor } from '../../src/probe/quick-cache.ts';
import { findEtcdFloor } from '../../src/probe/quick-etcd.ts';
import {
  headersAtOnce,
  refusalFramed,
  timeoutHonoured,
  uncompressed,
  watchList,
} from '../../src/probe/quick-stream.ts';
import { type ResourceVersion, rv } from '../../src/protocol/resource-version.ts';
import type { Status } from '../../src/protocol/status.ts';

const answer = (over: Partial<Answer> & { http?: number; headers?: Record<string, string> } = {}): Answer => {
  const { http = 200, headers = {}, ...rest } = over;
  return {
    path: '/x',
    askedAt: 1_000,
    answeredAt: 1_100,
    head: { status: http, httpVersion: '1.1', headers, framed: true, connection: 1 },
    headAfterMs: 3,
    endAfterMs: 3_002,
    end: 'eof',
    detail: '',
    frames: [],
    bytes: 0,
    ...rest,
  };
};
const unanswered = (over: Partial<Answer> = {}): Answer => {
  const { head: _, headAfterMs: __, ...rest } = answer({ end: 'no-response', detail: 'ECONNREFUSED', ...over });
  return rest;
};
const status = (code: number, message: string) =>
  ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', metadata: {}, code, message }) as Status;
const ERROR = { type: 'ERROR' as const, initialEventsEnd: false };
const GONE = { status: status(410, 'too old resource version: 1 (4711)'), frames: [ERROR] };
const empty = (): Measured => ({ floors: [], heads: [], newest: [] });
const read = (at: number, value: string) => ({ rv: rv(value), askedAt: at, answeredAt: at + 10 });

describe('streams', () => {
  it.each<[string, Answer, string]>([
    ['at once', answer(), 'pass'],
    ['after seconds', answer({ headAfterMs: 3_000 }), 'fail'],
    ['not at all', unanswered({ detail: '' }), 'fail'],
    ['nor anything else', unanswered({ end: 'reset' }), 'fail'],
    ['while we left', unanswered({ end: 'stopped' }), 'skip'],
    ['refused', answer({ http: 403 }), 'skip'],
  ])('headers %s', (_, given, expected) => expect(headersAtOnce(given).result).toBe(expected));

  it.each<[string, Answer, string]>([
    ['honoured', answer(), 'pass'],
    ['too early', answer({ endAfterMs: 900 }), 'warn'],
    ['too late', answer({ endAfterMs: 5_000 }), 'warn'],
    ['without the last chunk', answer({ end: 'truncated' }), 'fail'],
    ['never', answer({ end: 'no-response', endAfterMs: 8_000 }), 'fail'],
    ['with an ERROR', answer(GONE), 'skip'],
    ['of a watch without an answer', unanswered(), 'skip'],
    ['stopped by us', answer({ end: 'stopped' }), 'skip'],
    ['refused', answer({ http: 429 }), 'skip'],
  ])('timeoutSeconds %s', (_, given, expected) => expect(timeoutHonoured(given, 3).result).toBe(expected));

  it.each<[string, Answer, string]>([
    ['in the stream', answer(GONE), 'pass'],
    ['as HTTP status', answer({ http: 410 }), 'warn'],
    ['without a proper end', answer({ ...GONE, end: 'reset' }), 'warn'],
    ['twice', answer({ ...GONE, frames: [ERROR, ERROR] }), 'warn'],
    ['with another code', answer({ ...GONE, status: status(500, 'x') }), 'warn'],
    ['not at all', answer(), 'skip'],
    ['by a cut', answer({ end: 'truncated' }), 'skip'],
    ['for want of rights', answer({ http: 403 }), 'skip'],
  ])('refused %s', (_, given, expected) => expect(refusalFramed(given).result).toBe(expected));

  it.each<[string, Answer, string, boolean | undefined]>([
    ['off', answer({ http: 422 }), 'info', false],
    ['on', answer({ frames: [{ type: 'BOOKMARK', initialEventsEnd: true }] }), 'info', true],
    ['without its bookmark', answer({ frames: [{ type: 'BOOKMARK', initialEventsEnd: false }] }), 'warn', false],
    ['with an ERROR', answer({ status: status(504, 'x') }), 'warn', false],
    ['not answered', unanswered(), 'skip', undefined],
  ])('streaming lists %s', (_, given, expected, on) => {
    expect(watchList(given)).toMatchObject({ result: expected, facts: on === undefined ? {} : { watch_list: on } });
  });

  it('compression', () => {
    expect(uncompressed(answer()).result).toBe('pass');
    expect(uncompressed(answer({ headers: { 'content-encoding': 'gzip' } })).result).toBe('warn');
  });

  it('a refusal in words', () => {
    expect(refusalOf(answer({ http: 403, status: status(403, 'pods is forbidden') }))).toBe(
      'HTTP 403: pods is forbidden',
    );
    expect(refusalOf(unanswered())).toBe('no answer: ECONNREFUSED');
  });
});

describe('the cache', () => {
  it('its window is in its refusal', () => {
    const told = empty();
    readWindow(answer(GONE), told);
    expect(told).toMatchObject({ cached: true, floors: [{ floor: '4711', askedAt: 1_000, answeredAt: 1_100 }] });
  });

  it('etcd’s own words', () => {
    const told = empty();
    readWindow(answer({ status: status(410, 'The resourceVersion for the provided watch is too old.') }), told);
    expect(told).toMatchObject({ cached: false, floors: [] });
  });

  it('a watch that opens reaches back to the beginning; a broken one says nothing', () => {
    const told = empty();
    readWindow(answer(), told);
    expect(told.floors.map(({ floor }) => floor)).toEqual(['1']);
    readWindow(answer({ end: 'reset' }), told);
    readWindow(unanswered(), told);
    expect(told.floors).toHaveLength(1);
  });

  it('a list at RV 0 of one object: a cache sends all', () => {
    const list = (items: number, token: string) =>
      answer({ document: { items: Array.from({ length: items }, () => ({})), metadata: { continue: token } } });
    expect(cachedOrNot(empty(), list(7, '')).facts).toEqual({ cached: true });
    expect(cachedOrNot(empty(), list(1, 'abc')).facts).toEqual({ cached: false });
    expect(cachedOrNot(empty(), list(1, '')).result).toBe('skip');
    expect(cachedOrNot(empty(), answer({ http: 403 })).answer).toBe('not told: HTTP 403');
    expect(cachedOrNot(empty(), undefined).result).toBe('skip');
  });

  it('floors of several connections', () => {
    const floors = (...values: string[]) => ({
      ...empty(),
      cached: true,
      floors: values.map((value) => ({ floor: rv(value), askedAt: 0, answeredAt: 0 })),
    });
    expect(windowFloor(floors('5', '5'), rv('105')).answer).toBe('RV 5, 100 revisions back; the same on 2 connections');
    expect(windowFloor(floors('5', '9', '6'), rv('10'))).toMatchObject({
      answer: 'RV 5 to 9, 1 revision back, by connection',
      facts: { floor: '9', lowest_floor: '5', replicas: '2 or more' },
    });
    expect(windowFloor(floors('5', '6', '9'), undefined).facts.replicas).toBe('unknown');
    expect(windowFloor(empty(), undefined).answer).toBe('no floor was told');
    expect(windowFloor(empty(), undefined, answer({ http: 429 })).answer).toBe('no floor was told: HTTP 429');
  });

  it('its lag', () => {
    const lag = (cache: string, etcd: string) =>
      cacheLag({ ...empty(), newest: [read(0, cache)], heads: [read(20, etcd)] });
    expect(lag('100', '100').result).toBe('pass');
    expect(lag('101', '100').result).toBe('pass');
    expect(lag('100', '1234')).toMatchObject({ result: 'info', facts: { behind: 1_134 } });
    expect(lag('x', '1')).toMatchObject({ result: 'warn' });
    expect(cacheLag(empty()).result).toBe('skip');
  });

  it('numbers in words', () => {
    expect([0, 1, 999, 1_000, 1_234_567].map((value) => plural(value, 'revision'))).toEqual([
      '0 revisions',
      '1 revision',
      '999 revisions',
      '1,000 revisions',
      '1,234,567 revisions',
    ]);
  });
});

describe('the RV of a list', () => {
  it('stands in its document, or where that is too long at its beginning', () => {
    const beginning =
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"42","continue":"x"},"items":[{"metadata":{"resourceVersion":"7"';
    expect(listRv(answer({ document: { metadata: { resourceVersion: '5' } } }))).toBe('5');
    expect(listRv(answer({ beginning }))).toBe('42');
    expect(listRv(answer({ document: { metadata: {} }, beginning }))).toBeUndefined();
    expect(listRv(answer({ beginning: '<html>' }))).toBeUndefined();
    expect(listRv(answer({ http: 403, beginning }))).toBeUndefined();
  });
});

describe('the bisection of etcd', () => {
  const etcd =
    (floor: bigint, asked: string[] = []) =>
    async (at: ResourceVersion) => {
      asked.push(at);
      return BigInt(at) >= floor ? ({ kind: 'alive', rv: at } as const) : ({ kind: 'compacted', rv: at } as const);
    };

  it('nothing compacted: one question', async () => {
    const told = empty();
    const asked: string[] = [];
    expect((await findEtcdFloor(rv('999999'), etcd(0n, asked), told)).facts).toEqual({ etcd_floor: '1', asked: 1 });
    expect(asked).toEqual(['1']);
  });

  it.each([2n, 500n, 99_000n, 100_000n])(
    'a floor at %s lies in the range, after 12 questions at most',
    async (floor) => {
      const told = empty();
      const asked: string[] = [];
      await findEtcdFloor(rv('100000'), etcd(floor, asked), told);
      expect(asked.length).toBeLessThanOrEqual(12);
      expect(BigInt(told.etcdFloor!.high)).toBeGreaterThanOrEqual(floor);
      expect(BigInt(told.etcdFloor!.low)).toBeLessThan(floor);
      expect(BigInt(told.etcdFloor!.high) - BigInt(told.etcdFloor!.low)).toBeLessThan(100_000n / 1_000n);
    },
  );

  it('an answer that is none ends it', async () => {
    const told = empty();
    const said = await findEtcdFloor(rv('100'), async () => ({ kind: 'failed', detail: 'HTTP 429' }), told);
    expect(said).toMatchObject({ result: 'skip', answer: 'etcd did not tell: HTTP 429' });
    expect(told.etcdFloor).toBeUndefined();
  });
});

describe('the write rate from two readings', () => {
  it('needs a second between them, and an order', () => {
    expect(revisionRate({ heads: [read(0, '100'), read(4_000, '140')] })?.low).toBeGreaterThan(5);
    expect(revisionRate({ heads: [read(0, '100'), read(500, '140')] })).toBeUndefined();
    expect(revisionRate({ heads: [read(0, '140'), read(4_000, '100')] })).toBeUndefined();
    expect(revisionRate({ heads: [read(0, 'a'), read(4_000, 'b')] })).toBeUndefined();
    expect(revisionRate({ heads: [] })).toBeUndefined();
  });
});
