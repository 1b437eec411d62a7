import { describe, expect, it } from 'vitest';
import { plural } from '../../src/probe/plural.ts';
import { cachedOrNot, cacheLag, readWindow, windowFloor } from '../../src/probe/quick-cache.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { answer, GONE, nothingMeasured, PAGE, reading, status, unanswered } from '../support/probe-answers.ts';

describe('the cache', () => {
  it('its window is in its refusal', () => {
    const told = nothingMeasured();
    readWindow(answer(GONE), told);
    expect(told).toMatchObject({ cached: true, floors: [{ floor: '4711', askedAt: 1_000, answeredAt: 1_100 }] });
  });

  it('its window is in a refusal by HTTP status, too', () => {
    const told = nothingMeasured();
    readWindow(answer({ http: 410, status: GONE.status }), told);
    expect(told.floors.map(({ floor }) => floor)).toEqual(['4711']);
    readWindow(answer({ http: 403 }), told);
    expect(told.floors).toHaveLength(1);
  });

  it('etcd’s own words', () => {
    const told = nothingMeasured();
    readWindow(answer({ status: status(410, 'The resourceVersion for the provided watch is too old.') }), told);
    expect(told).toMatchObject({ cached: false, floors: [] });
  });

  it('a watch that opens reaches back to the beginning; a broken one says nothing', () => {
    const told = nothingMeasured();
    readWindow(answer(), told);
    expect(told.floors.map(({ floor }) => floor)).toEqual(['1']);
    readWindow(answer({ end: 'reset' }), told);
    readWindow(answer(PAGE), told);
    readWindow(answer({ headers: { 'content-encoding': 'gzip' } }), told);
    readWindow(unanswered(), told);
    expect(told.floors).toHaveLength(1);
  });

  it('a list at RV 0 of one object: a cache sends all', () => {
    const list = (items: number, token: string) =>
      answer({ document: { items: Array.from({ length: items }, () => ({})), metadata: { continue: token } } });
    expect(cachedOrNot(nothingMeasured(), list(7, '')).facts).toEqual({ cached: true });
    expect(cachedOrNot(nothingMeasured(), list(1, 'abc')).facts).toEqual({ cached: false });
    expect(cachedOrNot(nothingMeasured(), list(1, '')).result).toBe('skip');
    expect(cachedOrNot(nothingMeasured(), answer({ http: 403 })).answer).toBe('not told: HTTP 403');
    expect(cachedOrNot(nothingMeasured(), undefined).result).toBe('skip');
  });

  it('floors of several connections', () => {
    const floors = (...values: string[]) => ({
      ...nothingMeasured(),
      cached: true,
      floors: values.map((value) => ({ floor: rv(value), askedAt: 0, answeredAt: 0 })),
    });
    expect(windowFloor(floors('5', '5'), rv('105')).answer).toBe('RV 5, 100 revisions back; the same on 2 connections');
    expect(windowFloor(floors('5', '9', '6'), rv('10'))).toMatchObject({
      answer: 'RV 5 to 9 by connection: the highest 1 revision back',
      facts: { floor: '9', lowest_floor: '5', replicas: '2 or more' },
    });
    expect(windowFloor(floors('5', '6', '9'), undefined).facts.replicas).toBe('unknown');
    expect(windowFloor(floors('5'), rv('105')).answer).toBe('RV 5, 100 revisions back; asked once');
    expect(windowFloor(floors('50'), rv('40')).answer).toBe('RV 50; asked once');
    expect(windowFloor(nothingMeasured(), undefined).answer).toBe('no floor was told');
    expect(windowFloor(nothingMeasured(), undefined, answer(PAGE)).answer).toMatch(
      /^no floor was told: HTTP 200 with text/,
    );
    expect(windowFloor(nothingMeasured(), undefined, answer({ http: 429 })).answer).toBe('no floor was told: HTTP 429');
  });

  it('its lag', () => {
    const lag = (cache: string, etcd: string) =>
      cacheLag({ ...nothingMeasured(), newest: [reading(0, cache)], heads: [reading(20, etcd)] });
    expect(lag('100', '100').result).toBe('pass');
    expect(lag('101', '100').result).toBe('pass');
    expect(lag('100', '1234')).toMatchObject({ result: 'info', facts: { behind: 1_134 } });
    expect(lag('x', '1')).toMatchObject({ result: 'warn' });
    expect(cacheLag(nothingMeasured()).result).toBe('skip');
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
