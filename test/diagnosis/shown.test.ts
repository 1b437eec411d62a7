import { describe, expect, it } from 'vitest';
import type { StreamFacts } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FactsBuilder, seconds } from './facts-builder.ts';

const classes = (b: FactsBuilder, now: number) => diagnose(b.run(now)).map((one) => [one.class, one.confidence]);

describe('what a stream shows beside its end', () => {
  it('is malformed-stream at a whole line that is no event, not at a half one', () => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), {
      at: 0,
      rv: '1',
      byteAt: 3,
      events: 2,
      facts: { malformed: 1, malformedText: '<html>502</html>' },
    });
    expect(classes(b, 10)).toEqual([['malformed-stream', 'high']]);
    const c = new FactsBuilder();
    c.stream(c.target('pods'), {
      at: 0,
      rv: '1',
      end: 'truncated',
      until: 5,
      events: 2,
      facts: { tailBytes: 12, tailText: '{"type":"ADD' },
    });
    expect(classes(c, 10)).toEqual([['connection-lost', 'high']]);
  });

  it('is rv-not-comparable where RVs are tokens, never rv-went-backwards', () => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), { at: 0, rv: 'eyJ9', byteAt: 3, events: 2, facts: { oddRv: 'eyJ9' } });
    expect(classes(b, 10)).toEqual([['rv-not-comparable', 'high']]);
  });

  it('is rv-went-backwards where a list lies below what was known, not where it is equal or above', () => {
    const at = (listRv: string) => {
      const b = new FactsBuilder();
      const target = b.target('endpoints');
      b.stream(target, { at: 0, rv: '120000', end: 'stopped', until: 68, last: ['120061', 60], bookmarks: [60] });
      b.list(target, 160, listRv, { why: 'resume-failed' });
      return diagnose(b.run(170));
    };
    expect(at('100260')[0]).toMatchObject({
      class: 'rv-went-backwards',
      severity: 'error',
      facts: { last_rv_before: '120061', first_lower_rv: '100260' },
    });
    expect(at('120061')).toEqual([]);
    expect(at('120500')).toEqual([]);
  });

  it('is surer of a fall that stays: one frame may be a stale apiserver’s, more over 15 s are not', () => {
    const at = (last: string, low: { count: number; events: number; seconds: number }) => {
      const b = new FactsBuilder();
      const facts = {
        wentBackwards: { before: rv('900'), lower: rv('500') },
        lowFrames: { ...low, firstAt: seconds(3), lastAt: seconds(3 + low.seconds) },
      };
      b.stream(b.target('pods'), { at: 0, rv: '1', last: [last, 9, 'event'], events: 3, facts });
      return classes(b, 40);
    };
    expect(at('510', { count: 3, events: 2, seconds: 20 })).toEqual([['rv-went-backwards', 'high']]);
    expect(at('510', { count: 1, events: 1, seconds: 0 })).toEqual([['rv-went-backwards', 'medium']]);
    expect(at('950', { count: 3, events: 2, seconds: 20 })).toEqual([['rv-went-backwards', 'medium']]);
  });

  it('is surer of a list that fell once what follows stays low, and tells a stale apiserver that caught up', () => {
    const at = (last: string, lastAt: number) => {
      const b = new FactsBuilder();
      const target = b.target('endpoints');
      b.stream(target, { at: 0, rv: '120000', end: 'stopped', until: 68, last: ['120061', 60], bookmarks: [60] });
      b.list(target, 160, '100260', { why: 'resume-failed' });
      b.stream(target, { at: 161, rv: '100260', last: [last, lastAt], bookmarks: [lastAt] });
      return diagnose(b.run(260)).find((one) => one.class === 'rv-went-backwards');
    };
    expect(at('100300', 165)?.confidence).toBe('medium');
    expect(at('100300', 221)).toMatchObject({ confidence: 'high' });
    expect(at('100300', 221)?.text).toMatch(/stays low.*restored/);
    const stale = at('120900', 221);
    expect(stale).toMatchObject({ confidence: 'medium' });
    expect(stale?.text).toMatch(/caught up/);
    expect(stale?.text).not.toMatch(/restored|Every client/);
  });

  it('is bookmark-anomaly for a bookmark without an RV, and for one below an event that others do not follow', () => {
    const at = (facts: Partial<StreamFacts>, last: string) => {
      const b = new FactsBuilder();
      b.stream(b.target('widgets.stable.example.io'), { at: 0, rv: '1', last: [last, 9, 'event'], events: 3, facts });
      return classes(b, 40);
    };
    expect(at({ badBookmark: { rv: '' } }, '900')).toEqual([['bookmark-anomaly', 'high']]);
    const low = (count: number, events: number) => ({
      badBookmark: { rv: '500', lastEvent: '900' },
      wentBackwards: { before: rv('900'), lower: rv('500') },
      lowFrames: { count, events, firstAt: seconds(3), lastAt: seconds(30) },
    });
    expect(at(low(1, 0), '910')).toEqual([['bookmark-anomaly', 'high']]);
    expect(at(low(1, 0), '500')).toEqual([['bookmark-anomaly', 'medium']]);
    expect(at(low(4, 2), '510')).toEqual([['rv-went-backwards', 'high']]);
    // Bookmarks alone are low, and an event between them was not: the newest frame being one of them changes nothing.
    const between = { ...low(2, 0), lastEventAt: seconds(20) };
    expect(at(between, '510')).toEqual([['bookmark-anomaly', 'high']]);
    expect(at({ ...between, lastEventAt: seconds(2) }, '510')).toEqual([['rv-went-backwards', 'high']]);
  });

  it('is rv-not-comparable where a list has no RV to watch from', () => {
    const b = new FactsBuilder();
    const target = b.target('items');
    b.list(target, 0, undefined);
    b.stream(target, { at: 1, events: 2, last: ['90', 20, 'event'] });
    const [found] = diagnose(b.run(40));
    expect(found).toMatchObject({ class: 'rv-not-comparable', confidence: 'medium', facts: { http_status: 200 } });
    expect(found?.title).toBe('The list has no resourceVersion: a watch cannot go on from it');
    const refused = new FactsBuilder();
    refused.list(refused.target('items'), 0, undefined, { refusal: { hadContinue: false } });
    expect(classes(refused, 5).flat()).not.toContain('rv-not-comparable');
  });

  it('is rv-not-comparable where objects have no RV at all: sure where none of several has one', () => {
    const at = (events: number, last?: [string, number]) => {
      const b = new FactsBuilder();
      b.stream(b.target('loads'), { at: 0, byteAt: 9, events, facts: { oddRv: '' }, ...(last ? { last } : {}) });
      return diagnose(b.run(20));
    };
    expect(at(2)[0]).toMatchObject({
      class: 'rv-not-comparable',
      confidence: 'high',
      candidates: [{ class: 'rv-not-comparable' }],
    });
    expect(at(2)[0]?.text).toContain('an aggregated API');
    expect(at(1)[0]).toMatchObject({ class: 'rv-not-comparable', confidence: 'medium' });
    expect(at(3, ['70', 8])[0]).toMatchObject({ class: 'rv-not-comparable', confidence: 'medium' });
  });

  it('is missed-events where a list shows what a bookmark had promised', () => {
    const b = new FactsBuilder();
    const missed = { count: 2, names: ['web/web-1', 'web/web-2'], name: 'web/web-1', rv: '44150' };
    b.list(b.target('pods'), 300, '44900', {
      why: '410',
      missed: { ...missed, coveredBy: { rv: '44200', by: 'bookmark' } },
    });
    const [finding] = diagnose(b.run(310));
    expect(finding).toMatchObject({
      class: 'missed-events',
      confidence: 'high',
      severity: 'error',
      facts: { missed_rv: '44150', covered_by_bookmark_rv: '44200' },
    });
    expect(finding?.text).toMatch(/web-1.*44150.*44200/s);
    b.lists[0]!.missed = { ...missed, coveredBy: { rv: '44300', by: 'event' } };
    expect(classes(b, 310)).toEqual([['missed-events', 'medium']]);
  });

  it('is selector-exit for DELETED under a selector: medium, high once the object came back', () => {
    const at = (more: object) => {
      const b = new FactsBuilder();
      const first = { name: 'ops/routes', at: seconds(22), rv: '731' };
      const selectionExits = { count: 1, names: ['ops/routes'], first, ...more };
      b.stream(b.target('configmaps'), { at: 0, rv: '700', byteAt: 22, events: 2, facts: { selectionExits } });
      return diagnose(b.run(30))[0];
    };
    expect(at({})).toMatchObject({ class: 'selector-exit', confidence: 'medium', severity: 'note' });
    expect(at({})?.text).toMatch(/may still exist/);
    const back = at({ cameBack: { name: 'ops/routes', rv: '740' } });
    expect(back).toMatchObject({ class: 'selector-exit', confidence: 'high' });
    expect(back?.text).toMatch(/never been deleted/);
  });

  it('is proxy-buffering for two clumps of events that were made apart, not for one', () => {
    const at = (count: number) => {
      const b = new FactsBuilder();
      const clumps = [45, 105, 165]
        .slice(0, count)
        .map((at) => ({ at: seconds(at), quietMs: 40_000, events: 4, spreadMs: 30_000 }));
      b.stream(b.target('endpoints'), { at: 0, rv: '22000', byteAt: 165, events: 12, facts: { clumps } });
      return classes(b, 190);
    };
    expect([at(1), at(2), at(3)]).toEqual([[], [['proxy-buffering', 'medium']], [['proxy-buffering', 'medium']]]);
  });

  it('is proxy-buffering where headers, frames and end come at once when timeoutSeconds are over', () => {
    const build = (b: FactsBuilder, count: number, took = 60) => {
      const target = b.target('pods');
      for (let i = 0; i < count; i++) {
        const at = i * (took + 1);
        const stream = b.stream(target, { at, end: 'eof', until: at + took + 0.1, rv: '7', timeout: 60, events: 5 });
        stream.openedAt = seconds(at + took);
        stream.noAnswerAt = seconds(at + 10);
      }
    };
    const verdicts = (count: number, took?: number) => {
      const b = new FactsBuilder();
      build(b, count, took);
      return diagnose(b.run(300)).filter((one) => one.explainedBy === undefined);
    };
    expect(verdicts(1).map((one) => [one.class, one.confidence])).toEqual([['proxy-buffering', 'medium']]);
    expect(verdicts(2).map((one) => [one.class, one.confidence])).toEqual([['proxy-buffering', 'high']]);
    expect(verdicts(1, 25).map((one) => [one.class, one.confidence])).toEqual([['proxy-buffering', 'low']]);
    const b = new FactsBuilder();
    build(b, 1);
    const waiting = b.stream(b.streams[0]!.target, { at: 62, rv: '7', timeout: 60, end: 'no-response' });
    for (const name of ['end', 'endedAt'] as const) delete waiting[name];
    waiting.noAnswerAt = seconds(72);
    expect(diagnose(b.run(80)).map((one) => one.severity)).not.toContain('error');
  });

  it('is watchlist-incomplete without the end mark, unless it came, or nobody looked', () => {
    const at = (mark: number | null | undefined) => {
      const b = new FactsBuilder();
      const facts = { sendInitialEvents: true, ...(mark === undefined ? {} : { initialEventsEndAt: mark }) };
      b.stream(b.target('tenantsecrets.tenancy.example.io'), { at: 0, byteAt: 60, events: 3, bookmarks: [60], facts });
      return classes(b, 70);
    };
    expect(at(null)).toEqual([['watchlist-incomplete', 'high']]);
    expect(at(seconds(1))).toEqual([]);
    expect(at(undefined)).toEqual([]);
  });

  it('is duplicate-events where single events came twice', () => {
    const b = new FactsBuilder();
    const target = b.target('things.agg.example.io');
    const toldAgain = { count: 2, name: 'shop/a', rv: '520' };
    b.stream(target, { at: 0, rv: '520', events: 4, byteAt: 20, facts: { toldAgain } });
    const [found] = diagnose(b.run(30));
    expect([found?.class, found?.severity]).toEqual(['duplicate-events', 'note']);
    expect(found?.title).toContain('2 events came again');
    expect(found?.text).toContain('goes on from 520');
  });

  it('looks at the request first where that allows no bookmarks: the end mark is one', () => {
    const b = new FactsBuilder();
    const facts = { sendInitialEvents: true, initialEventsEndAt: null };
    b.stream(b.target('pods'), { at: 0, byteAt: 60, events: 3, noBookmarksAsked: true, facts });
    const [found] = diagnose(b.run(70));
    expect([found?.class, found?.confidence]).toEqual(['watchlist-incomplete', 'medium']);
    expect(found?.text).toContain('The request itself lacks allowWatchBookmarks=true');
    expect(found?.next[0]).toContain('allowWatchBookmarks=true');
  });

  it('is duplicate-events where a watch is reopened without an RV, harmless', () => {
    const b = new FactsBuilder();
    const target = b.target('services');
    for (const at of [0, 61])
      b.stream(target, {
        at,
        end: 'eof',
        until: at + 60,
        timeout: 60,
        events: 3,
        last: ['320', at + 0.1, 'event'],
        facts: { eventsInFirstSecond: 3 },
      });
    const findings = diagnose(b.run(130));
    expect(findings.map((one) => [one.class, one.severity])).toEqual([
      ['server-timeout', 'info'],
      ['duplicate-events', 'note'],
    ]);
  });
});
