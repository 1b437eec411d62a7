import { describe, expect, it } from 'vitest';
import type { ControlFacts } from '../../src/client/control-facts.ts';
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

  it('takes the floor from a 410 as well as from probes, of whichever target asked', () => {
    const ledger = ledgerOf(listItem(START), openItem(START));
    ledger.take(errorItem(START + 1_000, 'too old resource version: 20410 (20500)'));
    expect(ledger.window.estimate(START + 1_000)).toMatchObject({ floor: '20500', slackRevisions: -90, replicas: 1 });
    ledger.take(probeItem(START + 2_000, { kind: 'floor', floor: rv('20510') }));
    expect(ledger.window.estimate(START + 2_000)).toMatchObject({ floor: '20510', replicas: 1 });
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
    // An uncached resource has none, nor has a cache that has just begun: silence proves nothing there.
    expect(stateWord(streaming(), START + 190_000)).toMatchObject({ word: 'QUIET', detail: '190 s' });
    expect(stateWord(streaming(noBookmarks), START + 190_000)).toMatchObject({ word: 'QUIET', detail: '190 s' });
  });

  it('is quiet, not silent, where a second watch or the cache has no news either, asked after a bookmark was due', () => {
    const side = (seconds: number, lastRv?: string): FeedItem => {
      const at = START + seconds * 1000;
      const outcome = { kind: 'side', frames: 0, waitedMs: 5_000, ...(lastRv ? { lastRv: rv(lastRv) } : {}) } as const;
      const answer = { kind: 'side', target: PODS, askedAt: at, answeredAt: at + 5_000, asked: '/…', outcome } as const;
      return { kind: 'probe', at: at + 5_000, answer };
    };
    const quiet = { word: 'QUIET', detail: '190 s, for a second watch too' };
    expect(stateWord(streaming(bookmark, side(75)), START + 190_000)).toMatchObject(quiet);
    expect(stateWord(streaming(bookmark, side(75, '20480')), START + 190_000)).toMatchObject(quiet);
    expect(stateWord(streaming(bookmark, side(75, '20999')), START + 190_000).word).toBe('SILENT');
    expect(stateWord(streaming(bookmark, side(15)), START + 190_000).word).toBe('SILENT');
  });

  it('is an alarm once a finding is sure that the silence is a fault, and none any more when something comes', () => {
    const stall = { stream: 1, at: START + 45_000, sure: true, why: '' };
    expect(stateWord(streaming(bookmark), START + 190_000, { stall })).toMatchObject({
      word: 'SILENT',
      detail: '190 s, 3 bookmarks missing',
      style: 'alarm',
    });
    const pings = { ...stall, why: 'pings unanswered for 15 s' };
    expect(stateWord(streaming(bookmark), START + 46_000, { stall: pings })).toEqual({
      word: 'SILENT',
      detail: '46 s, pings unanswered for 15 s',
      style: 'alarm',
    });
    const late = eventItem(START + 50_000, { rv: '20490' });
    expect(stateWord(streaming(bookmark, late), START + 51_000, { stall: pings }).word).toBe('LIVE');
    expect(stateWord(streaming(bookmark), START + 46_000, { stall: { ...pings, stream: 7 } }).word).toBe('LIVE');
  });

  it.each<[number, Partial<ControlFacts>, string]>([
    [4_000, { lastByteAt: START + 3_000 }, 'LIVE 4 s ago'],
    [40_000, { lastByteAt: START + 37_000 }, 'LIVE 40 s ago, path alive 3 s ago'],
    [74_000, { lastByteAt: START + 73_500 }, 'QUIET 74 s, path alive now'],
    [74_000, { lastByteAt: START + 50_000 }, 'QUIET 74 s, bookmark due, path silent 24 s'],
    [74_000, { lastByteAt: START + 40_000, unansweredSince: START + 55_000 }, 'QUIET 74 s, path dead too, 34 s'],
    [74_000, { unansweredSince: START, unansweredBy: 'refusal' }, 'QUIET 74 s, bookmark due, new connections refused'],
    [74_000, { state: 'refused', lastByteAt: START }, 'QUIET 74 s, bookmark due'],
    [190_000, { lastByteAt: START + 187_000 }, 'SILENT 190 s, 3 bookmarks missing, path alive 3 s ago'],
  ])('after %i ms says what a control stream says of the path: %o', (idle, facts, words) => {
    const control: ControlFacts = { state: 'live', asked: '/x', startedAt: START, frames: 1, opens: 1, ...facts };
    const { word, detail } = stateWord(streaming(bookmark), START + idle, { control });
    expect(`${word} ${detail}`).toBe(words);
  });

  it('of several is that of the one that is worst off', () => {
    const word = (text: string) => ({ word: text, detail: '', style: 'plain' }) as const;
    expect(worstState([word('LIVE'), word('SILENT'), word('QUIET')]).word).toBe('SILENT');
    expect(worstState([word('ENDED'), word('LIVE')]).word).toBe('LIVE');
    expect(worstState([]).word).toBe('CONNECTING');
  });
});
