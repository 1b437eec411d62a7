import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RvLedger } from '../../src/client/rv-ledger.ts';
import { rv } from '../../src/protocol/resource-version.ts';

function live(from?: string): RvLedger {
  const ledger = new RvLedger();
  if (from !== undefined) ledger.begin(rv(from));
  ledger.beginStream(false);
  return ledger;
}

describe('RvLedger', () => {
  it('keeps the last object and the last bookmark apart, and resumes from the later frame', () => {
    const ledger = live('100');
    ledger.note('ADDED', '101', 1);
    ledger.note('BOOKMARK', '110', 2);
    expect(ledger).toMatchObject({
      lastObject: { rv: '101', at: 1 },
      lastBookmark: { rv: '110', at: 2 },
      resume: { rv: '110', at: 2, origin: 'bookmark' },
    });
    ledger.note('MODIFIED', '112', 3);
    expect(ledger.resume).toEqual({ rv: '112', at: 3, origin: 'event' });
  });

  it('judges nothing in the initial state and keeps the highest', () => {
    const ledger = new RvLedger();
    ledger.beginStream(true);
    for (const text of ['30', '900', '7', '120']) expect(ledger.note('ADDED', text, 1)).toEqual({});
    expect(ledger.resume?.rv).toBe('900');
    expect(ledger.inInitialState).toBe(true);
    expect(ledger.note('MODIFIED', '903', 2)).toEqual({ step: 783 });
    expect(ledger.inInitialState).toBe(false);
    expect(ledger.resume?.rv).toBe('903');
  });

  it('takes the bookmark after the initial state, even below the highest object', () => {
    const ledger = new RvLedger();
    ledger.beginStream(true);
    ledger.note('ADDED', '900', 1);
    const note = ledger.note('BOOKMARK', '890', 2);
    expect(note.wentBackwards).toEqual({ before: '900', lower: '890' });
    expect(ledger.resume?.rv).toBe('890');
  });

  it('gives the step from frame to frame', () => {
    const ledger = live('100');
    expect(ledger.note('ADDED', '105', 1).step).toBeUndefined();
    expect(ledger.note('ADDED', '109', 1).step).toBe(4);
    expect(ledger.note('BOOKMARK', '109', 1).step).toBe(0);
  });

  it('tells a step backwards, also below the RV that was asked for, and follows the server', () => {
    const ledger = live('100');
    expect(ledger.note('MODIFIED', '90', 1).wentBackwards).toEqual({ before: '100', lower: '90' });
    expect(ledger.resume?.rv).toBe('90');
  });

  it('takes 0 for no RV: nothing resumes from it, and nothing has fallen to it', () => {
    const ledger = live('100');
    expect(ledger.note('BOOKMARK', '0', 1)).toEqual({ badBookmark: { rv: '' } });
    expect(ledger.note('MODIFIED', '0', 2)).toEqual({ odd: '' });
    expect(ledger.resume?.rv).toBe('100');
  });

  it('begins anew at the RV of a pinned reopen: we went back ourselves', () => {
    const ledger = live('100');
    ledger.note('BOOKMARK', '500', 1);
    ledger.beginStream(false, rv('100'));
    expect(ledger.note('BOOKMARK', '300', 2).wentBackwards).toBeUndefined();
    expect(ledger.note('BOOKMARK', '90', 3).wentBackwards).toEqual({ before: '300', lower: '90' });
  });

  it('remembers the present state over an initial state, whose objects may be old', () => {
    const ledger = new RvLedger();
    ledger.beginStream(true);
    ledger.note('ADDED', '40', 1);
    ledger.note('BOOKMARK', '500', 2);
    ledger.beginStream(true);
    expect(ledger.note('ADDED', '40', 3)).toEqual({});
    expect(ledger.note('BOOKMARK', '300', 4).wentBackwards).toEqual({ before: '500', lower: '300' });
  });

  it('tells a list below what was known once: the stream after it begins at the list', () => {
    const ledger = live('100');
    ledger.note('BOOKMARK', '500', 1);
    ledger.listedAt({ rv: rv('300'), at: 2 });
    ledger.beginStream(true);
    ledger.note('ADDED', '40', 3);
    expect(ledger.note('BOOKMARK', '310', 4).wentBackwards).toBeUndefined();
  });

  it.each(['eyJlYXN0IjoiMTAyMyJ9', '12a', '-5', '1.5'])('finds %s odd, and resumes from it all the same', (text) => {
    const ledger = live('100');
    expect(ledger.note('ADDED', text, 1)).toEqual({ odd: text });
    expect(ledger.resume?.rv).toBe(text);
    expect(ledger.note('ADDED', '101', 1).step).toBeUndefined();
  });

  it.each([undefined, ''])('finds a missing RV (%j) odd, and keeps the one before', (text) => {
    const ledger = live('100');
    ledger.note('ADDED', '101', 1);
    expect(ledger.note('MODIFIED', text, 2)).toEqual({ odd: '' });
    expect(ledger.resume?.rv).toBe('101');
  });

  it('compares RVs beyond what a number holds exactly', () => {
    const ledger = live('9007199254740993');
    ledger.note('ADDED', '18446744073709551610', 1);
    const note = ledger.note('ADDED', '18446744073709551609', 1);
    expect(note).toMatchObject({ step: -1, wentBackwards: { lower: '18446744073709551609' } });
  });

  it('forgets a refused RV, and says that it was refused until another comes', () => {
    const ledger = live('100');
    ledger.forget();
    expect(ledger).toMatchObject({ resume: undefined, refused: true, moved: true });
    ledger.listedAt({ rv: rv('300'), at: 5 });
    expect(ledger).toMatchObject({ resume: { rv: '300', at: 5, origin: 'list' }, refused: false });
  });

  it('ends with the highest of any initial state, in whatever order it came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), (rvs) => {
        const ledger = new RvLedger();
        ledger.beginStream(true);
        for (const one of rvs) ledger.note('ADDED', String(one), 1);
        expect(ledger.resume?.rv).toBe(String(Math.max(...rvs)));
      }),
    );
  });
});
