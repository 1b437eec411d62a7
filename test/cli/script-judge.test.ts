import { describe, expect, it } from 'vitest';
import { type Evidence, expectedWords, judge } from '../../src/cli/script-judge.ts';
import type { ListFacts, StreamFacts } from '../../src/client/facts.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import type { ExpectStep } from '../../src/scenario/script.ts';

const NOTHING: Evidence = { findings: [], state: undefined, streams: [], list: undefined, traced: 0 };

function finding(over: Partial<Finding>): Finding {
  return {
    class: 'ring-buffer-expiry',
    confidence: 'high',
    severity: 'note',
    facts: { refused_by: 'watch-cache' },
    ...over,
  } as Finding;
}
const stream = (over: Partial<StreamFacts>) =>
  ({ events: 0, bookmarks: 0, httpStatus: 200, openedAt: 1, ...over }) as StreamFacts;
const list = (over: Partial<ListFacts>) => ({ items: 0, httpStatus: 200, ...over }) as ListFacts;

const CASES: [string, Partial<ExpectStep>, Partial<Evidence>, 'held' | 'failed' | 'open', string][] = [
  [
    'a finding that is there',
    { finding: ['ring-buffer-expiry'], sub: 'overrun' },
    { findings: [finding({ sub: 'overrun' })] },
    'held',
    'ring-buffer-expiry, overrun, high, refused by watch-cache',
  ],
  ['no finding yet', { finding: ['ring-buffer-expiry'] }, {}, 'open', 'no finding'],
  [
    'another class, which may still change',
    { finding: ['cache-rebuilt'] },
    { findings: [finding({})] },
    'open',
    'ring-buffer-expiry, high, refused by watch-cache',
  ],
  [
    'less sure than expected',
    { finding: ['ring-buffer-expiry'], confidence: 'high' },
    { findings: [finding({ confidence: 'low' })] },
    'open',
    'ring-buffer-expiry, low, refused by watch-cache',
  ],
  [
    'refused by somebody else',
    { finding: ['ring-buffer-expiry'], refusedBy: 'etcd' },
    { findings: [finding({})] },
    'open',
    'ring-buffer-expiry, high, refused by watch-cache',
  ],
  [
    'one of several classes',
    { finding: ['cache-rebuilt', 'ring-buffer-expiry'] },
    { findings: [finding({})] },
    'held',
    'ring-buffer-expiry, high, refused by watch-cache',
  ],
  [
    'a stream that brought something',
    { resumed: true },
    { streams: [stream({ events: 3 })] },
    'held',
    'resumed, nothing lost',
  ],
  [
    'an open stream that may still be refused',
    { resumed: true },
    { streams: [stream({})] },
    'open',
    'open, and nothing came yet',
  ],
  [
    'a stream that was refused',
    { resumed: true },
    { streams: [stream({ errorStatus: { message: 'too old' } as StreamFacts['errorStatus'] & object })] },
    'failed',
    'refused: too old',
  ],
  [
    'a request that was refused',
    { resumed: true },
    { streams: [stream({ httpStatus: 503 })] },
    'failed',
    'refused: HTTP 503',
  ],
  ['no stream', { resumed: true }, {}, 'open', 'its stream is not open'],
  ['the state', { state: 'live' }, { state: 'live' }, 'held', 'live'],
  ['another state', { state: 'live' }, { state: 'away' }, 'open', 'away'],
  ['no events so far', { events: 0 }, { streams: [stream({})] }, 'open', '0 events'],
  ['an event too many', { events: 0 }, { streams: [stream({ events: 1 })] }, 'failed', '1 event'],
  ['all events', { events: 3 }, { streams: [stream({ events: 1 }), stream({ events: 2 })] }, 'held', '3 events'],
  ['what the server told', { trace: 'terminate', resource: 'pods' }, { traced: 2 }, 'held', 'terminate of pods twice'],
  ['what it must not tell', { trace: 'reinit', times: 0 }, { traced: 0 }, 'open', 'reinit never'],
  ['what it told once too often', { trace: 'reinit', times: 1 }, { traced: 3 }, 'failed', 'reinit 3 times'],
  ['a list', { status: 200, items: 5 }, { list: list({ items: 5 }) }, 'held', 'HTTP 200, 5 items'],
  [
    'a list that was refused',
    { status: 200 },
    { list: list({ httpStatus: 410, refusal: { hadContinue: false, status: { reason: 'Expired' } as never } }) },
    'failed',
    'HTTP 410, Expired, 0 items',
  ],
  ['a list that was never asked', { status: 200 }, {}, 'failed', 'it was not asked'],
];

describe('judge', () => {
  it.each(CASES)('%s', (_, step, evidence, outcome, found) => {
    const standing = judge({ verb: 'expect', of: 'B', ...step }, { ...NOTHING, ...evidence });
    // What is open holds at its end only where it must not happen, or stream and trace are as they should be already.
    if (outcome === 'held') expect(standing).toMatchObject({ held: true, open: false });
    if (outcome === 'failed') expect(standing).toMatchObject({ held: false, open: false });
    if (outcome === 'open') expect(standing.open).toBe(true);
    expect(standing.found).toBe(found);
  });

  it('holds at the end of its time what has not happened', () => {
    expect(judge({ verb: 'expect', of: 'B', events: 0 }, NOTHING).held).toBe(true);
    expect(judge({ verb: 'expect', of: 'server', trace: 'reinit', times: 0 }, NOTHING).held).toBe(true);
    expect(judge({ verb: 'expect', of: 'B', finding: ['healthy'] }, NOTHING).held).toBe(false);
  });

  it('says what is expected', () => {
    const words = (step: Partial<ExpectStep>) => expectedWords({ verb: 'expect', of: 'B', ...step });
    expect(words({ finding: ['a', 'b'], sub: 's', confidence: 'high', refusedBy: 'etcd' })).toBe(
      'a or b, s, high, refused by etcd',
    );
    expect(words({ trace: 'terminate', resource: 'pods', times: 1 })).toBe('terminate of pods once');
    expect(words({ status: 410, reason: 'Expired', items: 0 })).toBe('HTTP 410, Expired, 0 items');
    expect(words({ resumed: true })).toBe('resumed, nothing lost');
  });
});
