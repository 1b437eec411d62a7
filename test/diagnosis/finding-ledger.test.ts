import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { FindingLedger } from '../../src/diagnosis/finding-ledger.ts';
import { FactsBuilder, INITIALIZATIONS } from './facts-builder.ts';

function look(ledger: FindingLedger, b: FactsBuilder, now: number, finished = false) {
  const run = b.run(now, { finished });
  return ledger.update(diagnose(run), run).map(({ id, rev, class: name }) => `${id}.${rev} ${name}`);
}

describe('FindingLedger', () => {
  it('tells a finding once, and again only when something material changed', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const target = b.target('secrets');
    b.stream(target, { at: 0, end: 'truncated', until: 53, rv: '1', byteAt: 3, events: 1, timeout: 3000 });
    expect(look(ledger, b, 53)).toEqual(['f1.1 ambiguous-end']);
    expect(look(ledger, b, 60)).toEqual([]);
    b.stream(target, { at: 54, end: 'truncated', until: 104, rv: '7', timeout: 3000 });
    expect(look(ledger, b, 105)).toEqual(['f1.2 idle-cut-by-proxy']);
    b.stream(target, { at: 106, end: 'truncated', until: 156, rv: '7', timeout: 3000 });
    expect(look(ledger, b, 157)).toEqual(['f1.3 idle-cut-by-proxy']);
    expect(look(ledger, b, 200)).toEqual([]);
  });

  it('keeps ids when an earlier finding turns up late, and in what explains what', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const target = b.target('secrets');
    b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['120', 60], bookmarks: [60] });
    expect(look(ledger, b, 82)).toEqual(['f1.1 ambiguous-end']);
    b.goneA(target, 82.1, '120', '377', 60);
    expect(look(ledger, b, 83)).toEqual(['f1.2 ambiguous-end', 'f2.1 cache-rebuilt']);
    expect(ledger.findings().map((one) => one.explainedBy)).toEqual(['f2', undefined]);
    b.list(target, 83.1, '380', { why: '410' });
    b.exact(target, 83.2, '120', false);
    expect(look(ledger, b, 84)).toEqual(['f1.3 ambiguous-end', 'f2.2 upstream-compaction']);
  });

  it('withdraws what later evidence speaks against, and takes it up again under its id', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const stream = b.stream(b.target('pods'), {
      at: 0,
      rv: '1',
      timeout: 3000,
      last: ['9', 180],
      bookmarks: [60, 120, 180],
    });
    expect(look(ledger, b, 400)).toEqual(['f1.1 silent-stall']);
    stream.lastByteAt = b.run(410).now;
    const [withdrawn] = ledger.update(diagnose(b.run(411)), b.run(411));
    expect(withdrawn).toMatchObject({ id: 'f1', rev: 2, severity: 'info', confidence: 'low' });
    expect(withdrawn?.title).toMatch(/^Withdrawn/);
    expect(ledger.findings()).toEqual([]);
    expect(look(ledger, b, 420)).toEqual([]);
    expect(look(ledger, b, 640)).toEqual(['f1.3 silent-stall']);
  });

  /** Stream 1 is ended early at 82 s and its resume refused; a sibling, silent so far, is open. */
  function refusedEarly() {
    const b = new FactsBuilder();
    const target = b.target('secrets');
    b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['120', 60], bookmarks: [60] });
    b.goneA(target, 82.1, '120', '377', 60);
    b.list(target, 83, '500', { why: '410' });
    const sibling = b.stream(b.target('secrets', { namespace: 'batch' }), { at: 0, rv: '1', timeout: 900, byteAt: 70 });
    return { b, target, sibling, ledger: new FindingLedger() };
  }

  it('takes a rebuild back where a sibling shows seconds later that it lived on', () => {
    const { b, sibling, ledger } = refusedEarly();
    expect(look(ledger, b, 84)).toEqual(['f1.1 ambiguous-end', 'f2.1 cache-rebuilt']);
    sibling.lastByteAt = b.run(90).now;
    expect(look(ledger, b, 90)).toEqual(['f1.2 ambiguous-end', 'f2.2 ring-buffer-expiry']);
    expect(ledger.findings().map((one) => [one.sub, one.explainedBy])).toEqual([
      [undefined, undefined],
      ['overrun', undefined],
    ]);
    expect(look(ledger, b, 200)).toEqual([]);
  });

  it('keeps it where the sibling turns out to have been ended as well, within the same seconds', () => {
    const { b, sibling, ledger } = refusedEarly();
    look(ledger, b, 82.5);
    Object.assign(sibling, { end: 'eof', endedAt: b.run(82.9).now });
    look(ledger, b, 84);
    expect(ledger.findings().find(({ id }) => id === 'f2')).toMatchObject({ class: 'cache-rebuilt', rev: 1 });
  });

  it('becomes surer, or another, by the counter that is read after the refusal', () => {
    for (const [after, expected] of [
      [3, 'f2.2 cache-rebuilt'],
      [2, 'f2.2 ring-buffer-expiry'],
    ] as const) {
      const { b, target, ledger } = refusedEarly();
      b.metrics(target, 0.1, { [INITIALIZATIONS]: 2 });
      expect(look(ledger, b, 84)).toContain('f2.1 cache-rebuilt');
      b.metrics(target, 84.5, { [INITIALIZATIONS]: after });
      b.exact(target, 84.5, '120', true);
      for (const at of [84.2, 86.2]) b.floor(target, at, '377');
      expect(look(ledger, b, 88)).toContain(expected);
      expect(ledger.findings().find(({ id }) => id === 'f2')?.confidence).toBe('high');
    }
  });

  it('says that several apiservers answer, once a later answer has a lower floor', () => {
    const { b, target, ledger } = refusedEarly();
    expect(look(ledger, b, 84)).toContain('f2.1 cache-rebuilt');
    b.floor(target, 85, '300');
    expect(look(ledger, b, 86)).toContain('f2.2 cache-rebuilt');
    expect(ledger.findings().find(({ id }) => id === 'f2')).toMatchObject({ sub: 'other-replica' });
  });

  it('tells that a 410 healed', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const target = b.target('pods');
    b.goneA(target, 0, '5', '99');
    expect(look(ledger, b, 0.1)).toEqual(['f1.1 ring-buffer-expiry']);
    b.list(target, 0.2, '120', { why: '410' });
    expect(look(ledger, b, 0.3)).toEqual(['f1.2 ring-buffer-expiry']);
    expect(ledger.findings()[0]).toMatchObject({ healed: true });
  });

  it('goes on with a finding whose first streams have left the facts, and lets an old one stand', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const target = b.target('pods');
    b.goneA(target, 0, '5', '99');
    for (let i = 0; i < 4; i++)
      b.stream(target, { at: 1 + i * 31, rv: '7', end: 'eof', until: 31 + i * 31, timeout: 30 });
    expect(look(ledger, b, 200)).toEqual(['f1.1 ring-buffer-expiry', 'f2.1 server-timeout']);
    b.streams.splice(0, 3);
    expect(look(ledger, b, 210)).toEqual([]);
    expect(ledger.findings().map((one) => one.id)).toEqual(['f1', 'f2']);
  });

  it('tells the last numbers when the run is over', () => {
    const b = new FactsBuilder();
    const ledger = new FindingLedger();
    const target = b.target('pods');
    b.stream(target, { at: 0, rv: '7', end: 'rejected', status: 502 });
    look(ledger, b, 1);
    b.stream(target, { at: 2, rv: '7', end: 'rejected', status: 502 });
    expect(look(ledger, b, 3)).toEqual([]);
    expect(look(ledger, b, 4, true)).toEqual(['f1.2 gateway-error']);
    expect(look(ledger, b, 5, true)).toEqual([]);
  });
});
