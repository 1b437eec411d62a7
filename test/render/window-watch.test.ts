import { describe, expect, it } from 'vitest';
import type { ControlFacts, ControlState } from '../../src/client/control-facts.ts';
import type { WatchTarget } from '../../src/client/facts.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { controlWords } from '../../src/render/control-words.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { targetOf } from '../../src/render/feed-target.ts';
import { RecordMaker, type RunSummary, recordLine, summaryRecord } from '../../src/render/json.ts';
import { lineText } from '../../src/render/spans.ts';
import { summaryLines } from '../../src/render/summary.ts';
import { WindowWatch } from '../../src/render/window-watch.ts';
import { endItem, eventItem, finding, listItem, openItem, PODS, probeItem, START } from '../support/feed-items.ts';

const at = (seconds: number) => START + seconds * 1000;

/** Feeds it, and gives what it said. */
function told(watch: WindowWatch, ...items: FeedItem[]): string[] {
  return items.flatMap((item) => watch.take(item, targetOf(item))).map((item) => (item as { text: string }).text);
}

const floor = (seconds: number, text: string) => probeItem(at(seconds), { kind: 'floor', floor: rv(text) });
const refused = (seconds: number, httpStatus: number): FeedItem => ({
  kind: 'probe',
  at: at(seconds),
  answer: {
    kind: 'window',
    target: PODS,
    askedAt: at(seconds),
    answeredAt: at(seconds),
    asked: '/…',
    httpStatus,
    outcome: { kind: 'failed', detail: `HTTP ${httpStatus}` },
  },
});

function started(): WindowWatch {
  const watch = new WindowWatch();
  told(watch, listItem(START, { rv: rv('1000') }), openItem(START, { requestedRv: '1000' }));
  return watch;
}

function write(watch: WindowWatch, from: number, until: number): string[] {
  const items: FeedItem[] = [];
  for (let s = from; s <= until; s++) items.push(eventItem(at(s), { rv: String(1000 + s * 10) }));
  return told(watch, ...items);
}

describe('WindowWatch', () => {
  it('says once when a window becomes short, when it is lost, and when it is long again', () => {
    const watch = started();
    expect(write(watch, 1, 130)).toEqual([]);
    expect(told(watch, floor(101, '1700'), floor(131, '2150'))).toEqual([
      'window of pods: floor 2150, 16 s old; resume RV slack ~15 s: a reconnect that takes longer meets a 410',
    ]);
    expect(write(watch, 132, 140)).toEqual([]);
    expect(told(watch, floor(161, '2500'))).toEqual([
      'window of pods: floor 2500; resume RV passed 100 revisions ago: the stream lives on, a resume would be refused',
    ]);
    write(watch, 165, 220);
    expect(told(watch, floor(222, '2510'))).toEqual([expect.stringMatching(/slack ~\d+ s, enough again$/)]);
  });

  it('does not call a stream alive whose RV was just refused', () => {
    const watch = started();
    const ended = endItem(at(2), { end: 'eof' });
    expect(told(watch, ended, floor(3, '1500'))).toEqual([
      'window of pods: floor 1500; resume RV passed 500 revisions ago: a resume would be refused',
    ]);
  });

  it('says once that probes are refused, and nothing where nothing was asked', () => {
    const watch = started();
    expect(told(watch, refused(1, 403), refused(31, 403))).toEqual([
      'window of pods: probes refused (403), so how far back it reaches is not known',
    ]);
    expect(watch.summary(at(40))).toEqual([
      { target: PODS, label: 'pods', silence: expect.objectContaining({ word: 'refused (403)' }) },
    ]);
    expect(started().summary(at(40))).toEqual([]);
  });

  it('gives what one target asked to the others of the same resource', () => {
    const other: WatchTarget = { ...PODS, index: 1, namespace: 'team-b' };
    const nodes: WatchTarget = { ...PODS, index: 2, resource: 'nodes' };
    const watch = started();
    told(watch, openItem(at(1), { target: other }), openItem(at(1), { target: nodes }), floor(2, '700'));
    expect(watch.summary(at(3)).map(({ target, estimate }) => [target.index, estimate?.floor])).toEqual([
      [0, '700'],
      [1, '700'],
    ]);
  });
});

describe('the summary', () => {
  const summary = (over: Partial<RunSummary>): RunSummary => ({
    at: at(131),
    verdict: finding(),
    findings: [],
    streams: 1,
    events: 100,
    bookmarks: 0,
    exitCode: 0,
    ...over,
  });

  it('has the window in a line and in a record', () => {
    const watch = started();
    write(watch, 1, 130);
    told(watch, floor(101, '1700'), floor(131, '1650'));
    const windows = watch.summary(at(131));
    expect(summaryLines(summary({ windows })).map(lineText).at(-1)).toBe(
      '= window of pods: floors 1650 … 1700, so at least 2 replicas; resume RV slack > 30 s',
    );
    expect(JSON.parse(recordLine(summaryRecord(summary({ windows })))).windows).toEqual([
      {
        target: 0,
        resource: 'pods',
        floor: '1700',
        floor_age_at_least_ms: 60_000,
        floor_age_at_most_ms: 61_000,
        slack_revisions: 600,
        slack_at_least_ms: 30_811,
        replicas_at_least: 2,
        floors: [
          { floor: '1700', connection: 7 },
          { floor: '1650', connection: 7 },
        ],
      },
    ]);
  });

  it('says what nobody asked for; a record does not', () => {
    const unasked = summary({ windowsUnasked: true });
    expect(summaryLines(unasked).map(lineText).at(-1)).toBe(
      '= window unknown: --no-probe (a probe would tell how far back it reaches)',
    );
    expect(Object.keys(JSON.parse(recordLine(summaryRecord(unasked))))).toEqual(
      Object.keys(JSON.parse(recordLine(summaryRecord(summary({}))))),
    );
  });

  it('says why a window is not known', () => {
    const watch = started();
    told(watch, refused(1, 429));
    const windows = watch.summary(at(2));
    expect(summaryLines(summary({ windows })).map(lineText).at(-1)).toBe(
      '= window of pods not known: probes refused (429)',
    );
    expect(summaryRecord(summary({ windows })).windows).toMatchObject([{ unknown: 'probes refused (429)' }]);
    expect(JSON.parse(recordLine(summaryRecord(summary({}))))).not.toHaveProperty('windows');
  });
});

describe('a control stream in lines and records', () => {
  const facts = (over: Partial<ControlFacts>): ControlFacts => ({
    state: 'live',
    asked: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?watch=1',
    startedAt: START,
    lastByteAt: at(8),
    connection: 3,
    frames: 4,
    opens: 1,
    ...over,
  });

  it('has a record for each change of its state, and no number of a stream', () => {
    const record = new RecordMaker({ object: false }).record({ kind: 'control', at: at(10), facts: facts({}) });
    expect(JSON.parse(recordLine(record!))).toEqual({
      record: 'control',
      schema: 'kwatch/v1',
      at: expect.any(String),
      state: 'live',
      asked: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?watch=1',
      frames: 4,
      opens: 1,
      idle_ms: 2_000,
      connection: 3,
    });
    const given = facts({ state: 'refused', refused: { httpStatus: 403, detail: 'leases is forbidden' } });
    const refusal = new RecordMaker({ object: false }).record({ kind: 'control', at: at(10), facts: given });
    expect(refusal).toMatchObject({ state: 'refused', http_status: 403, detail: 'leases is forbidden' });
  });

  it.each<[ControlState, RegExp]>([
    ['live', /the path lives$/],
    ['silent', /asking anew/],
    ['unanswered', /no answer either$/],
    ['none', /no node leases here, going on without$/],
  ])('%s is said in a row', (state, words) => {
    expect(controlWords(facts({ state })).text).toMatch(words);
  });

  it('names the status of a refusal, and its words are harmless', () => {
    expect(controlWords(facts({ state: 'refused', refused: { httpStatus: 403, detail: 'x' } })).text).toBe(
      'control: refused (403), going on without',
    );
    expect(controlWords(facts({ state: 'refused', refused: { detail: '\x1b[2Jbad' } })).text).not.toContain('\x1b');
  });
});
