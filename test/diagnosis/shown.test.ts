import { describe, expect, it } from 'vitest';
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

  it('is surer of a fall that stays than of one that caught up', () => {
    const at = (last: string) => {
      const b = new FactsBuilder();
      const facts = { wentBackwards: { before: rv('900'), lower: rv('500') } };
      b.stream(b.target('pods'), { at: 0, rv: '1', last: [last, 9, 'event'], events: 3, facts });
      return classes(b, 20);
    };
    expect([at('510'), at('950')]).toEqual([[['rv-went-backwards', 'high']], [['rv-went-backwards', 'medium']]]);
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
