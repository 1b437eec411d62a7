import { describe, expect, it } from 'vitest';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import { StreamRecorder } from '../../src/client/stream-facts.ts';
import { giveUpAt } from '../../src/client/stream-limits.ts';
import { rv } from '../../src/protocol/resource-version.ts';

const head: AnswerHead = { status: 200, httpVersion: '1.1', headers: { via: '1.1 x' }, framed: true, connection: 7 };
const target = { index: 0, path: '/api/v1/pods' };

function recorder(
  query: string,
  from?: { rv: string; at: number; origin: 'list' | 'event' | 'bookmark' | 'url' },
): StreamRecorder {
  return new StreamRecorder({
    stream: 1,
    target,
    methodPath: `/api/v1/pods?${query}`,
    askedAt: 1000,
    from: from && { ...from, rv: rv(from.rv) },
  });
}

describe('StreamRecorder: the request', () => {
  it('reads what matters of the query', () => {
    expect(
      recorder('watch=1&resourceVersion=7&timeoutSeconds=300&timeout=20s&allowWatchBookmarks=true&fieldSelector=a')
        .facts,
    ).toMatchObject({
      requestedRv: '7',
      requestedRvOrigin: 'url',
      timeoutSeconds: 300,
      clientTimeoutMs: 20_000,
      allowWatchBookmarks: true,
      sendInitialEvents: false,
      hasSelector: true,
      lastRv: '7',
      lastRvOrigin: 'url',
    });
  });

  it.each(['0', '-5', 'abc', '', '1.5', '99999999999'])('timeoutSeconds=%s is as good as none', (text) => {
    expect(recorder(`timeoutSeconds=${text}`).facts).not.toHaveProperty('timeoutSeconds');
  });

  it.each([
    ['true', true],
    ['1', true],
    ['T', true],
    ['false', false],
    ['yes', false],
    ['', false],
  ])('allowWatchBookmarks=%s: %s', (text, expected) => {
    expect(recorder(`allowWatchBookmarks=${text}`).facts.allowWatchBookmarks).toBe(expected);
  });

  it('knows where the RV came from, and when', () => {
    expect(recorder('resourceVersion=7', { rv: '7', at: 5, origin: 'bookmark' }).facts).toMatchObject({
      requestedRvOrigin: 'bookmark',
      requestedRvAt: 5,
      lastRvAt: 5,
    });
    expect(recorder('resourceVersion=8', { rv: '7', at: 5, origin: 'bookmark' }).facts).toMatchObject({
      requestedRvOrigin: 'url',
    });
    const none = recorder('resourceVersion=').facts;
    expect(none).toMatchObject({ requestedRvOrigin: 'none' });
    expect(none).not.toHaveProperty('requestedRv');
  });

  it.each([
    ['watch=1', true],
    ['resourceVersion=0', true],
    ['resourceVersion=7&sendInitialEvents=true', true],
    ['resourceVersion=7', false],
  ])('%s begins with the objects there are: %s', (query, expected) => {
    expect(recorder(query).startsWithState).toBe(expected);
    expect(recorder('resourceVersion=0').facts).not.toHaveProperty('lastRv');
  });

  it('looks for the end of the initial events only where they were asked for', () => {
    const asked = recorder('sendInitialEvents=true');
    expect(asked.facts.initialEventsEndAt).toBeNull();
    asked.bookmark(5, false);
    expect(asked.facts.initialEventsEndAt).toBeNull();
    asked.bookmark(6, true);
    asked.bookmark(7, true);
    expect(asked.facts.initialEventsEndAt).toBe(6);
    expect(recorder('watch=1').facts).not.toHaveProperty('initialEventsEndAt');
  });
});

describe('StreamRecorder: the stream', () => {
  it('counts, and finds the fullest second, wherever it begins', () => {
    const stream = recorder('watch=1');
    stream.answered(head, 1001, 1010);
    for (const at of [1500, 1600, 2100, 5900, 6100, 6200, 6300, 6800]) stream.event(at);
    expect(stream.facts).toMatchObject({
      askedAt: 1001,
      openedAt: 1010,
      connection: 7,
      events: 8,
      firstEventAt: 1500,
      lastEventAt: 6800,
      eventsInFirstSecond: 2,
      peakPerSecond: 5,
      peakAt: 5900,
    });
  });

  it('sums its own stalls up, and closes a running one at the end', () => {
    const stream = recorder('watch=1');
    stream.stallBegins(100);
    stream.stallBegins(150);
    stream.stallEnds(300);
    stream.stallEnds(400);
    stream.stallBegins(500);
    expect(stream.stalling).toBe(true);
    stream.ended({ end: 'stopped', detail: '' }, 900);
    expect(stream.facts).toMatchObject({ readStalledMs: 600, readStallEndedAt: 900, end: 'stopped', endedAt: 900 });
    expect(stream.facts).not.toHaveProperty('endDetail');
  });

  it('keeps the first of what is odd, and what the ledger says last', () => {
    const stream = recorder('watch=1');
    stream.rv({ odd: 'x' }, { rv: rv('8'), at: 5, origin: 'event' }, 5, 'MODIFIED');
    stream.rv(
      { odd: 'y', wentBackwards: { before: rv('8'), lower: rv('3') } },
      { rv: rv('3'), at: 6, origin: 'event' },
      6,
      'MODIFIED',
    );
    stream.rv({ wentBackwards: { before: rv('9'), lower: rv('1') } }, undefined, 7, 'BOOKMARK');
    expect(stream.facts).toMatchObject({
      oddRv: 'x',
      wentBackwards: { before: '8', lower: '3' },
      lowFrames: { count: 2, events: 1, firstAt: 6, lastAt: 7 },
      lastRv: '3',
      lastRvAt: 6,
    });
    stream.gone();
    expect(stream.facts).not.toHaveProperty('lastRv');
  });

  it('keeps what a refused stream had come to, where it had brought something', () => {
    const refused = recorder('watch=1&resourceVersion=7', { rv: '7', at: 900, origin: 'event' });
    refused.gone();
    expect(refused.facts).not.toHaveProperty('cameTo');
    const lived = recorder('watch=1&resourceVersion=7', { rv: '7', at: 900, origin: 'event' });
    lived.event(1100);
    lived.rv({}, { rv: rv('9'), at: 1100, origin: 'event' }, 1100, 'MODIFIED');
    lived.gone();
    expect(lived.facts.cameTo).toEqual({ rv: '9', at: 1100 });
  });

  it('keeps the lines of a page that came into the stream together', () => {
    const page = recorder('watch=1&resourceVersion=7');
    page.event(5);
    page.malformed('<html>');
    page.malformed('<title>504 Gateway Time-out</title>');
    page.event(9);
    page.malformed('another thing');
    expect(page.facts).toMatchObject({
      malformed: 3,
      malformedText: '<html>\n<title>504 Gateway Time-out</title>',
    });
  });

  it('keeps 200 characters of half and of malformed frames', () => {
    const stream = recorder('watch=1');
    stream.malformed('a'.repeat(500));
    stream.malformed('b');
    stream.ended({ end: 'truncated', detail: 'UND_ERR_SOCKET: other side closed' }, 1, {
      tailBytes: 900,
      tailText: 't'.repeat(500),
    });
    expect(stream.facts).toMatchObject({
      malformed: 2,
      malformedText: 'a'.repeat(200),
      tailBytes: 900,
      tailText: 't'.repeat(200),
    });
  });
});

describe('giving up a silent stream', () => {
  const facts = (over: object) => ({ ...recorder('watch=1').facts, openedAt: 1000, ...over });
  it.each([
    [{ timeoutSeconds: 60 }, 1000 + 60_000 + 10_000],
    [{ timeoutSeconds: 600 }, 1000 + 600_000 + 12_000],
    [{ timeoutSeconds: 60, lastByteAt: 62_500 }, 62_500 + 10_000],
    // It still sent 4 s after its time: this server does not keep to it, and silence says nothing.
    [{ timeoutSeconds: 60, lastByteAt: 65_000 }, undefined],
    [{ timeoutSeconds: 60, readStallEndedAt: 90_000 }, 90_000 + 10_000],
    [{ timeoutSeconds: 60, lastByteAt: 20_000 }, 71_000],
    [{}, undefined],
    [{ timeoutSeconds: 60, openedAt: undefined }, undefined],
    [{ errorAt: 5000 }, 35_000],
  ])('%j: at %s', (over, at) => {
    expect(giveUpAt(facts(over) as Parameters<typeof giveUpAt>[0])).toBe(at);
  });
});
