import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamFacts } from '../../src/client/facts.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { toRow } from '../../src/render/row.ts';
import {
  EVENTS,
  endItem,
  errorItem,
  eventItem,
  findingItem,
  listItem,
  openItem,
  PODS,
  phaseItem,
  probeItem,
  START,
} from '../support/feed-items.ts';

const told = (item: FeedItem) => {
  const row = toRow(item);
  return row && `${row.letter} ${row.what}`;
};
const ended = (facts: Partial<StreamFacts>) => told(endItem(START + 312_000, facts));

describe('toRow', () => {
  it.each([
    ['ADDED', 'A', 'added'],
    ['MODIFIED', 'M', 'modified'],
    ['DELETED', 'D', 'deleted'],
    ['BOOKMARK', 'B', 'bookmark'],
    ['ERROR', 'E', 'error'],
  ] as const)('%s is the letter %s, set off in a style of its own', (type, letter, style) => {
    expect(toRow(eventItem(START, { type, name: 'web-0' }))).toMatchObject({ letter, style, isEvent: true });
  });

  it('names an object by its namespace only where the watch spans them', () => {
    expect(told(eventItem(START, { name: 'web-0' }))).toBe('M web-0');
    expect(told(eventItem(START, { name: 'web-0' }, { target: EVENTS }))).toBe('M shop/web-0');
  });

  it('shows RV and step, also a step backwards', () => {
    expect(toRow(eventItem(START, { rv: '20479' }, { rvStep: 4 }))).toMatchObject({ rv: '20479', step: '+4' });
    expect(toRow(eventItem(START, { rv: '20479' }, { rvStep: -4 }))).toMatchObject({ step: '-4' });
    expect(toRow(eventItem(START, { rv: '3' }, { rvStep: -1e26 }))).toMatchObject({ step: '-…' });
    expect(toRow(eventItem(START, {}))).not.toHaveProperty('step');
  });

  it.each<[FeedItem, string]>([
    [errorItem(START, 'too old resource version: 1 (2)'), 'E ERROR 410 Expired: too old resource version: 1 (2)'],
    [openItem(START), '▫ stream 1 from 20410'],
    [listItem(START), '↻ list at 20410: 43 objects'],
    [listItem(START, { items: 1, truncated: true }), '↻ list at 20410: 1 object (bound met: incomplete)'],
    [
      listItem(START, {
        why: '410',
        gap: { created: { count: 3, names: [] }, changed: { count: 41, names: [] }, deleted: { count: 2, names: [] } },
      }),
      '↻ relist at 20410: 3 created, 41 changed, 2 deleted unseen',
    ],
    [
      listItem(START, { httpStatus: 503, refusal: { hadContinue: false, detail: 'no endpoints' } }),
      '↻ list refused: HTTP 503: no endpoints',
    ],
    [
      listItem(START, {
        httpStatus: 429,
        refusal: { hadContinue: false, body: { text: 'Too many requests, please try again later.\n', size: 43 } },
      }),
      '↻ list refused: HTTP 429: Too many requests, please try again later.',
    ],
    [listItem(START, { httpStatus: 502, refusal: { hadContinue: false } }), '↻ list refused: HTTP 502'],
    [
      { kind: 'malformed', at: START, stream: 1, target: PODS, reason: 'not JSON', text: '<html>', bytes: 6 },
      '! malformed, 6 bytes: not JSON: <html>',
    ],
    [phaseItem(START, { state: 'no-answer', stream: 2 }), '… stream 2: no headers for 10 s, still waiting'],
    [phaseItem(START, { state: 'no-answer', stream: 0 }), '… list: no headers for 10 s, still waiting'],
    [probeItem(START, { kind: 'alive', rv: rv('1') }), '? probe exact: the store still holds it'],
    [{ kind: 'trace', at: START, what: 'compact', rv: 1561, why: 'asked' }, '◇ store compacted at 1561 (asked)'],
    [
      { kind: 'trace', at: START, what: 'ready', resource: 'pods', generation: 2, rv: 1600 },
      '◇ pods cache READY, generation 2 at 1600',
    ],
    [{ watcher: 'B', kind: 'trace', at: START, what: 'away', holdsRv: 1041 }, '▪ B leaves, holds 1041'],
    [{ kind: 'note', at: START, text: 'B returns' }, '· B returns'],
  ])('%o is %s', (item, text) => {
    expect(told(item)).toBe(text);
  });

  it.each<[Partial<StreamFacts>, string]>([
    [{ timeoutSeconds: 312 }, '▪ stream 1 ended: proper end, as asked (5 m 12 s)'],
    [{ timeoutSeconds: 400 }, '▪ stream 1 ended: proper end (5 m 12 s)'],
    [{ end: 'reset' }, '▪ stream 1 ended: cut: connection reset (5 m 12 s)'],
    [{ end: 'rejected', httpStatus: 503, requestedRv: rv('7') }, '▫ stream 1 from 7 … HTTP 503'],
    [{ end: 'no-response', openedAt: undefined as never }, '▫ stream 1 from no RV … no answer: no headers came'],
    [
      { end: 'tls', endDetail: 'bad cert', openedAt: undefined as never },
      '▫ stream 1 from no RV … TLS failed: bad cert',
    ],
  ])('an end %o is %s', (facts, text) => {
    expect(ended(facts)).toBe(text);
  });

  it('leaves to others what is told elsewhere', () => {
    expect(toRow(findingItem(START))).toBeUndefined();
    expect(toRow(phaseItem(START, { state: 'listing' }))).toBeUndefined();
    expect(toRow(openItem(START, { verb: 'list' }))).toBeUndefined();
    expect(toRow(openItem(START, { httpStatus: 410 }))).toBeUndefined();
    expect(toRow(probeItem(START, { kind: 'floor', floor: rv('1') }))).toBeUndefined();
    expect(toRow({ kind: 'trace', at: START, what: 'write', rv: 5 })).toBeUndefined();
  });

  it('lets no control character of a server through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const items: FeedItem[] = [
          eventItem(START, { name: text, namespace: text, rv: text }, { target: EVENTS }),
          errorItem(START, text),
          openItem(START, { requestedRv: text }),
          endItem(START, { end: 'tls', endDetail: text, openedAt: undefined as never }),
          listItem(START, { refusal: { hadContinue: false, detail: text } }),
          { kind: 'note', at: START, text },
          { kind: 'trace', at: START, what: 'reinit', resource: text, because: text },
        ];
        for (const item of items)
          expect(JSON.stringify(Object.values(toRow(item) ?? {}))).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\\u00/u);
      }),
    );
  });
});
