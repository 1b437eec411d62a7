import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/client/output.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { stateWord, worstState } from '../../src/render/state-word.ts';
import { StreamLedger } from '../../src/render/stream-ledger.ts';
import {
  endItem,
  errorItem,
  eventItem,
  listItem,
  openItem,
  PODS,
  phaseItem,
  probeItem,
  START,
} from '../support/feed-items.ts';

function ledgerOf(...items: FeedItem[]): StreamLedger {
  const ledger = new StreamLedger(PODS);
  for (const item of items) ledger.take(item);
  return ledger;
}

const fromNothing = { requestedRv: '0' };

describe('StreamLedger', () => {
  it('takes the resume RV from list, event and bookmark, whichever was last', () => {
    const ledger = ledgerOf(listItem(START), openItem(START));
    expect(ledger.resume).toMatchObject({ rv: '20410', from: 'list' });
    ledger.take(eventItem(START + 1, { rv: '20475' }));
    expect(ledger.resume).toMatchObject({ rv: '20475', from: 'event' });
    ledger.take(eventItem(START + 2, { type: 'BOOKMARK', rv: '20480' }));
    expect(ledger.resume).toMatchObject({ rv: '20480', from: 'bookmark', at: START + 2 });
    expect(ledger.object).toMatchObject({ rv: '20475' });
    expect(ledger.bookmark).toMatchObject({ rv: '20480' });
  });

  it('does not take the RV of an ERROR', () => {
    const ledger = ledgerOf(listItem(START), openItem(START));
    ledger.take({ ...errorItem(START, 'gone'), fields: { type: 'ERROR', rv: '9' } });
    expect(ledger.resume).toMatchObject({ rv: '20410' });
  });

  it('keeps the highest of an initial state, which comes in key order', () => {
    const ledger = ledgerOf(openItem(START, fromNothing));
    for (const each of ['300', '100', '200']) ledger.take(eventItem(START, { type: 'ADDED', rv: each }));
    expect(ledger.resume).toMatchObject({ rv: '300' });
    ledger.take(eventItem(START, { type: 'BOOKMARK', rv: '400' }));
    ledger.take(eventItem(START, { rv: '401' }));
    expect(ledger.resume).toMatchObject({ rv: '401' });
  });

  it('follows the session’s own word at the end of a stream', () => {
    const facts = { lastRv: rv('555'), lastRvAt: START + 9, lastRvOrigin: 'event' } as const;
    expect(ledgerOf(openItem(START), endItem(START + 10, facts)).resume).toMatchObject({ rv: '555', at: START + 9 });
  });

  it('knows when the floor went by, as far as what went by tells', () => {
    const ledger = ledgerOf(listItem(START, { rv: rv('100') }), openItem(START));
    ledger.take(eventItem(START + 10_000, { rv: '200' }));
    ledger.take(eventItem(START + 20_000, { rv: '300' }));
    expect(ledger.floorPassed()).toBeUndefined();
    ledger.take(probeItem(START + 30_000, { kind: 'floor', floor: rv('250') }));
    expect(ledger.floorPassed()).toEqual({ earliest: START + 10_000, latest: START + 20_000 });
    expect(ledger.slackRevisions()).toBe(50);
    ledger.take(probeItem(START + 31_000, { kind: 'floor', floor: rv('350') }));
    expect(ledger.floorPassed()).toEqual({ earliest: START + 20_000, latest: undefined });
    expect(ledger.slackRevisions()).toBe(-50);
  });

  it('shows a floor that fell on another connection as two replicas', () => {
    const ledger = ledgerOf(probeItem(START, { kind: 'floor', floor: rv('250') }, 1));
    ledger.take(probeItem(START, { kind: 'floor', floor: rv('240') }, 2));
    expect(ledger.floor).toMatchObject({ low: '240', high: '250' });
    ledger.take(probeItem(START, { kind: 'floor', floor: rv('260') }, 2));
    expect(ledger.floor).toMatchObject({ low: '260', high: '260' });
  });

  it('remembers a bounded history, coarser the older it is', () => {
    const ledger = ledgerOf(listItem(START, { rv: rv('1') }), openItem(START));
    for (let i = 2; i < 20_000; i++) ledger.take(eventItem(START + i, { rv: String(i) }));
    ledger.take(probeItem(START + 20_000, { kind: 'floor', floor: rv('19990') }));
    expect(ledger.floorPassed()).toEqual({ earliest: START + 19_990, latest: START + 19_991 });
    ledger.take(probeItem(START + 20_000, { kind: 'floor', floor: rv('1') }));
    expect(ledger.floorPassed()?.earliest).toBe(START);
  });
});

describe('stateWord', () => {
  const streaming = (...more: FeedItem[]) =>
    ledgerOf(openItem(START), phaseItem(START, { state: 'streaming', stream: 1 }), ...more);
  const bookmark = eventItem(START, { type: 'BOOKMARK', rv: '20480' });
  const noBookmarks = openItem(START, { methodPath: '/api/v1/pods?watch=1' });

  it.each<[Phase, string, string]>([
    [{ state: 'listing' }, 'LISTING', ''],
    [{ state: 'connecting', stream: 2 }, 'RECONNECTING', ''],
    [{ state: 'backoff', until: START + 1600, attempt: 2, why: 'refused' }, 'RECONNECTING', 'in 2 s'],
    [{ state: 'no-answer', stream: 2 }, 'NO ANSWER', 'no headers, still waiting'],
    [{ state: 'away', rv: '1041' }, 'AWAY', 'holds 1041'],
    [{ state: 'stopped', why: 'asked' }, 'ENDED', ''],
  ])('%o is %s', (phase, word, detail) => {
    expect(stateWord(streaming(phaseItem(START, phase)), START)).toMatchObject({ word, detail });
  });

  it('is CONNECTING before the first stream', () => {
    expect(stateWord(ledgerOf(), START).word).toBe('CONNECTING');
    expect(stateWord(ledgerOf(phaseItem(START, { state: 'connecting', stream: 1 })), START).word).toBe('CONNECTING');
  });

  it.each([
    [400, 'LIVE', 'now', 'good'],
    [9_000, 'LIVE', '9 s ago', 'good'],
    [74_000, 'QUIET', '74 s, bookmark due', 'plain'],
    [190_000, 'SILENT', '190 s, 3 bookmarks missing', 'warning'],
  ])('after %i ms without a frame it is %s %s', (idle, word, detail, style) => {
    expect(stateWord(streaming(bookmark), START + idle)).toEqual({ word, detail, style });
  });

  it('claims no missing bookmark where none ever came, and no silence where none were asked for', () => {
    expect(stateWord(streaming(), START + 190_000)).toMatchObject({
      word: 'SILENT',
      detail: '190 s, no bookmark came',
    });
    expect(stateWord(streaming(noBookmarks), START + 190_000)).toMatchObject({ word: 'QUIET', detail: '190 s' });
  });

  it('is an alarm once a finding says that the silence is a fault', () => {
    expect(stateWord(streaming(bookmark), START + 190_000, true).style).toBe('alarm');
  });

  it('of several is that of the one that is worst off', () => {
    const word = (text: string) => ({ word: text, detail: '', style: 'plain' }) as const;
    expect(worstState([word('LIVE'), word('SILENT'), word('QUIET')]).word).toBe('SILENT');
    expect(worstState([word('ENDED'), word('LIVE')]).word).toBe('LIVE');
    expect(worstState([]).word).toBe('CONNECTING');
  });
});
