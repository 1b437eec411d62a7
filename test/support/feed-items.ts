import type { ListFacts, ProbeOutcome, StreamFacts, WatchTarget } from '../../src/client/facts.ts';
import type { EventOutput, OpenOutput, Phase } from '../../src/client/output.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { EventFields } from '../../src/protocol/watch-event.ts';
import type { FeedItem, FindingItem } from '../../src/render/feed.ts';

/** Makers of feed items with everything filled in, so that a test names only what it is about. */

/** 2026-11-30T12:04:32.000Z. */
export const START = Date.UTC(2026, 10, 30, 12, 4, 32);

export const PODS: WatchTarget = {
  index: 0,
  path: '/api/v1/namespaces/shop/pods',
  group: '',
  version: 'v1',
  resource: 'pods',
  namespace: 'shop',
};

export const EVENTS: WatchTarget = { index: 1, path: '/api/v1/events', group: '', version: 'v1', resource: 'events' };

export function eventItem(at: number, fields: Partial<EventFields>, more: Partial<EventOutput> = {}): EventOutput {
  const whole: EventFields = { type: 'MODIFIED', apiVersion: 'v1', kind: 'Pod', namespace: 'shop', ...fields };
  const metadata = { name: whole.name, namespace: whole.namespace, uid: whole.uid, resourceVersion: whole.rv };
  const object = more.status ?? { kind: whole.kind, apiVersion: 'v1', metadata };
  const raw = new TextEncoder().encode(JSON.stringify({ type: whole.type, object }));
  return { kind: 'event', at, stream: 1, target: PODS, fields: whole, bytes: raw.length, raw, ...more };
}

export function errorItem(at: number, message: string, more: Partial<EventOutput> = {}): EventOutput {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Expired',
    code: 410,
  } as const;
  return eventItem(at, { type: 'ERROR', kind: 'Status' }, { status, ...more });
}

export function openItem(at: number, more: Partial<OpenOutput> = {}): OpenOutput {
  return {
    kind: 'open',
    at,
    stream: 1,
    target: PODS,
    verb: 'watch',
    methodPath:
      '/api/v1/namespaces/shop/pods?allowWatchBookmarks=true&resourceVersion=20410&timeoutSeconds=312&watch=1',
    requestedRv: '20410',
    httpStatus: 200,
    httpVersion: '1.1',
    headers: { 'content-type': 'application/json', 'audit-id': 'f3c1', date: 'Mon, 30 Nov 2026 12:04:32 GMT' },
    ...more,
  };
}

function streamFacts(more: Partial<StreamFacts> = {}): StreamFacts {
  return {
    stream: 1,
    target: PODS,
    methodPath: '/api/v1/namespaces/shop/pods?watch=1',
    requestedRvOrigin: 'list',
    allowWatchBookmarks: true,
    sendInitialEvents: false,
    hasSelector: false,
    askedAt: START,
    headers: {},
    framed: true,
    bytes: 0,
    events: 0,
    bookmarks: 0,
    malformed: 0,
    bookmarkTimes: [],
    peakPerSecond: 0,
    eventsInFirstSecond: 0,
    readStalledMs: 0,
    tailBytes: 0,
    ...more,
  };
}

export function endItem(at: number, more: Partial<StreamFacts> = {}): FeedItem {
  return {
    kind: 'end',
    at,
    facts: streamFacts({ openedAt: START, endedAt: at, end: 'eof', httpStatus: 200, ...more }),
  };
}

export function listItem(at: number, more: Partial<ListFacts> = {}): FeedItem {
  const facts: ListFacts = {
    target: PODS,
    methodPath: '/api/v1/namespaces/shop/pods?limit=500',
    why: 'start',
    askedAt: at - 12,
    endedAt: at,
    httpStatus: 200,
    headers: {},
    rv: rv('20410'),
    items: 43,
    pages: 1,
    truncated: false,
    ...more,
  };
  return { kind: 'list', at, facts };
}

export function phaseItem(at: number, phase: Phase, target = PODS): FeedItem {
  return { kind: 'phase', at, target, phase };
}

export function probeItem(at: number, outcome: ProbeOutcome, connection = 7): FeedItem {
  const kind = outcome.kind === 'version' ? 'version' : outcome.kind === 'alive' ? 'exact' : 'window';
  return {
    kind: 'probe',
    at,
    answer: { kind, target: PODS, askedAt: at - 3, answeredAt: at, connection, asked: '/…', outcome },
  };
}

export function finding(more: Partial<Finding> = {}): Finding {
  return {
    id: 'f1',
    rev: 1,
    key: 's4:refusal',
    streams: [3],
    stream: 3,
    target: 0,
    at: START,
    class: 'ring-buffer-expiry',
    sub: 'rolled-over',
    severity: 'note',
    confidence: 'high',
    candidates: [{ class: 'ring-buffer-expiry', confidence: 'high' }],
    title: "410: the apiserver's watch cache no longer reaches back to RV 20481",
    text: 'The watch cache refused RV 20481: its oldest usable RV was 22390. We were away for 4 m 39 s, and the window slid past it. The client has listed again; nothing has to be done.',
    evidence: ['the text is the watch cache’s', 'etcd still has 20481', 'the floor crept from 20100 to 22390'],
    ruledOut: ['compaction (etcd still has 20481)', 'rebuild (the floor crept)'],
    next: ['nothing: nobody has to be woken', 'if it repeats: --default-watch-cache-size'],
    facts: { refused_by: 'watch-cache', requested_rv: '20481', oldest_startable_rv: '22390', http_status: 200 },
    lines: {
      verdict: 'RING-BUFFER EXPIRY · rolled over · high',
      refusedBy: 'watch cache, in the stream (HTTP 200): 20481 < floor 22390',
      why: 'away 4 m 39 s; the window slid past 20481 while we were away',
      ruledOut: 'compaction (etcd still has 20481); rebuild (the floor crept)',
      do: 'nothing. Nobody has to be woken.',
    },
    ...more,
  };
}

export function findingItem(at: number, more: Partial<Finding> = {}, agrees?: FindingItem['agrees']): FindingItem {
  return { kind: 'finding', at, finding: finding({ at, ...more }), ...(agrees ? { agrees } : {}) };
}
