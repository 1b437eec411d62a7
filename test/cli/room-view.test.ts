import { describe, expect, it } from 'vitest';
import type { CacherState, CacheWatcherState } from '../../src/cacher/cacher-state.ts';
import { foreignViews, type RoomServer, replicaView, watcherView } from '../../src/cli/room-view.ts';
import { RoomWatcher } from '../../src/cli/room-watcher.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { UpstreamState, WatcherView } from '../../src/render/local-view.ts';
import { endItem, errorItem, eventItem, listItem, openItem, phaseItem, START } from '../support/feed-items.ts';

function served(auditId: string, more: Partial<CacheWatcherState> = {}): CacheWatcherState {
  return {
    id: 1,
    auditId,
    scope: {},
    requestedRv: '1000',
    input: 0,
    result: 0,
    channelSize: 10,
    lastSentRv: 1040,
    initialized: true,
    waitsFor: 'event',
    bookmarks: true,
    deadline: START + 300_000,
    ...more,
  };
}

function pods(more: Partial<CacherState> = {}): CacherState {
  return {
    groupResource: 'pods',
    ready: true,
    generation: 1,
    capacity: 100,
    pinned: true,
    size: 100,
    oldest: 949,
    newest: 1048,
    floor: 948,
    resourceVersion: 1048,
    listResourceVersion: 900,
    incoming: 0,
    watchers: [served('b-1')],
    waiting: [],
    ...more,
  };
}

function server(more: Partial<RoomServer> = {}): RoomServer {
  return {
    url: 'http://127.0.0.1:7410',
    name: ':7410',
    state: 'serving',
    upstream: () => 'connected',
    caches: [pods()],
    watches: [{ auditId: 'b-1', userAgent: 'kwatch/0.1', groupResource: 'pods', requestedRv: '1000' }],
    ...more,
  };
}

/** B with an open stream and the RV 1040. */
function live(): RoomWatcher {
  const watcher = new RoomWatcher({ name: 'B', role: 'traveller', resource: 'pods' }, START);
  watcher.take(phaseItem(START, { state: 'connecting', stream: 1, rv: '1000' }));
  watcher.take(openItem(START, { requestedRv: '1000', headers: { 'audit-id': 'b-1' } }));
  watcher.take(phaseItem(START, { state: 'streaming', stream: 1 }));
  watcher.take(eventItem(START, { name: 'web-0', rv: '1040' }));
  return watcher;
}

const look = (watcher: RoomWatcher, servers = [server()], compacted = 0): WatcherView =>
  watcherView(watcher, servers, compacted);
const trace = (what: 'away' | 'back', at: number) => ({ kind: 'trace', at, what, watcher: 'B' }) as const;

describe('one of the lab’s watchers', () => {
  it('joins what its client knows with the server’s queues for the same request', () => {
    const queues = { input: 3, result: 10, size: 10 };
    const busy = server({ caches: [pods({ watchers: [served('x'), served('b-1', { input: 3, result: 10 })] })] });
    expect(look(live(), [busy])).toEqual({
      label: 'B',
      role: 'traveller',
      resource: 'pods',
      state: 'LIVE',
      holdsRv: 1040,
      toFloor: 92,
      queues,
      story: 'nothing happened to it',
    });
  });

  it('STALLED: the server has events for it, and its socket is full', () => {
    const stuck = pods({ watchers: [served('b-1', { input: 4, result: 10, waitsFor: 'client' })] });
    expect(look(live(), [server({ caches: [stuck] })]).state).toBe('STALLED');
  });

  it('TERMINATED: the server has closed it, and the client cannot know', () => {
    const watcher = live();
    watcher.takeTrace({ what: 'terminate', at: START + 2400, resource: 'pods', watcher: 1, auditId: 'other' }, 0);
    expect(look(watcher).state).toBe('LIVE');
    watcher.takeTrace({ what: 'terminate', at: START + 2400, resource: 'pods', watcher: 1, auditId: 'b-1' }, 0);
    const gone = server({ caches: [pods({ watchers: [], floor: 1100 })] });
    expect(look(watcher, [gone])).toMatchObject({
      state: 'TERMINATED',
      toFloor: -60,
      story: 'closed at 2.4 s, too slow',
    });
    expect(look(watcher, [gone]).queues).toBeUndefined();
    // It reads on, sees the end, comes back and is refused.
    watcher.take(endItem(START + 3200, { end: 'eof', lastRv: rv('1040') }));
    watcher.take(phaseItem(START + 3200, { state: 'connecting', stream: 2, rv: '1040' }));
    expect(look(watcher, [gone]).state).toBe('CONNECTING');
    watcher.take(openItem(START + 3200, { requestedRv: '1040', headers: { 'audit-id': 'b-2' } }));
    watcher.take(errorItem(START + 3200, 'too old resource version: 1040 (1100)'));
    expect(look(watcher, [gone]).story).toBe('closed at 2.4 s, lost 1040');
  });

  it('CLOSED: its cache was rebuilt under it', () => {
    const watcher = live();
    watcher.takeTrace({ what: 'reinit', at: START + 7000, resource: 'pods', generation: 2, because: 'compacted' }, 0);
    const rebuilt = server({ caches: [pods({ watchers: [], generation: 2 })] });
    expect(look(watcher, [rebuilt])).toMatchObject({ state: 'CLOSED', story: 'closed at 7.0 s by a rebuild' });
  });

  it('is not told of what happened to another resource, or on another apiserver', () => {
    const watcher = live();
    const at = START + 7000;
    watcher.takeTrace({ what: 'reinit', at, resource: 'leases', generation: 2, because: 'compacted' }, 0);
    watcher.takeTrace({ what: 'reinit', at, resource: 'pods', generation: 2, because: 'compacted' }, 1);
    expect(look(watcher).story).toBe('nothing happened to it');
  });

  it('AWAY, then LOST as the floor passes; back, and refused', () => {
    const watcher = live();
    watcher.take(trace('away', START + 1000));
    watcher.take(endItem(START + 1000, { end: 'stopped' }));
    expect(look(watcher)).toMatchObject({ state: 'AWAY', toFloor: 92, story: 'left at 1.0 s' });
    const passed = server({ caches: [pods({ floor: 1440 })] });
    expect(look(watcher, [passed])).toMatchObject({ state: 'LOST', toFloor: -400 });
    watcher.take(trace('back', START + 3500));
    watcher.take(phaseItem(START + 3500, { state: 'connecting', stream: 2, rv: '1040' }));
    watcher.take(openItem(START + 3500, { requestedRv: '1040', headers: { 'audit-id': 'b-2' } }));
    watcher.take(errorItem(START + 3500, 'too old resource version: 1040 (1440)'));
    watcher.take(listItem(START + 3600, { why: '410', rv: rv('1548') }));
    expect(look(watcher, [passed])).toMatchObject({ holdsRv: 1548, story: 'was away 2.5 s, lost 1040' });
  });

  it('without a watch cache: no floor; LOST where etcd compacted past what a watch would start from', () => {
    const watcher = new RoomWatcher({ name: 'E', role: 'events', resource: 'events' }, START);
    watcher.take(listItem(START, { rv: rv('1040') }));
    expect(look(watcher)).toMatchObject({ holdsRv: 1040, story: 'no watch cache: etcd answers' });
    expect(look(watcher).toFloor).toBeUndefined();
    watcher.take({ ...trace('away', START), watcher: 'E' });
    // A watch from 1040 starts at 1041, and 1041 itself may be the compacted revision.
    expect(look(watcher, [server()], 1041).state).toBe('AWAY');
    expect(look(watcher, [server()], 1042).state).toBe('LOST');
  });

  it('NOT READY: its request waits for a cache that is not filled', () => {
    const watcher = live();
    watcher.take(endItem(START, { end: 'eof' }));
    watcher.take(phaseItem(START, { state: 'connecting', stream: 2, rv: '1040' }));
    const cold = server({ caches: [pods({ ready: false })] });
    expect(look(watcher, [cold]).state).toBe('NOT READY');
    watcher.take(phaseItem(START, { state: 'no-answer', stream: 2 }));
    expect(look(watcher, [cold]).state).toBe('NOT READY');
    expect(look(watcher).state).toBe('NO ANSWER');
  });

  it('says on which of several apiservers it is, and counts from that one’s floor', () => {
    const other = server({ name: ':7411', caches: [pods({ floor: 1000, watchers: [served('b-1')] })] });
    const watcher = new RoomWatcher({ name: 'B', role: 'traveller', resource: 'pods', server: 1 }, START);
    watcher.take(listItem(START, { rv: rv('1040') }));
    expect(look(watcher, [server(), other])).toMatchObject({ replica: ':7411', toFloor: 40 });
    expect(look(watcher, [server()]).replica).toBeUndefined();
  });

  it('follows it to the apiserver that it comes back to', () => {
    const left = server({ watches: [], caches: [pods({ watchers: [] })] });
    const other = server({ name: ':7411', caches: [pods({ floor: 1000 })] });
    const watcher = live();
    expect(look(watcher, [left, other])).toMatchObject({ state: 'LIVE', replica: ':7411', toFloor: 40 });
    watcher.take(trace('away', START));
    watcher.take(endItem(START, { end: 'stopped' }));
    expect(look(watcher, [left, { ...other, watches: [] }])).toMatchObject({ state: 'AWAY', replica: ':7411' });
  });

  it('that stalls says so; one that only asks anew was never away', () => {
    const watcher = live();
    watcher.stalled = true;
    expect(look(watcher)).toMatchObject({ state: 'STALLED', story: 'does not read its socket' });
    watcher.stalled = false;
    watcher.take(trace('away', START + 8500));
    watcher.take(trace('back', START + 8500));
    expect(look(watcher).story).toBe('came back at 8.5 s');
  });

  it('takes no RV that is no number', () => {
    const watcher = live();
    watcher.take(eventItem(START, { name: 'web-0', rv: 'abc' }));
    watcher.take(eventItem(START, { name: 'web-0', rv: '-5' }));
    expect(watcher.holdsRv).toBe(1040);
  });
});

describe('watchers from outside', () => {
  const outside = (auditId: string, userAgent: string, groupResource = 'pods') => ({
    auditId,
    userAgent,
    groupResource,
    requestedRv: '1000',
  });

  it('are named by their User-Agent; the lab’s own and its probes are none of them', () => {
    const watches = [
      outside('b-1', 'kwatch/0.1.0'),
      outside('p', 'kwatch/0.1.0 probe/window'),
      outside('k', 'kubectl/v1.30.3 (linux/amd64) kubernetes/6fc0a69'),
      outside('w', 'kwatch/0.1.0', 'events'),
      outside('n', ''),
      outside('c', 'curl/8.5.0'),
    ];
    const caches = [pods({ watchers: [served('k', { lastSentRv: 1000, input: 1, result: 2 })] })];
    const { some, total } = foreignViews([server({ watches, caches })], [live()]);
    expect(total).toBe(4);
    expect(some.map(({ role, resource }) => `${role} ${resource}`)).toEqual([
      'kubectl/v1.30 pods',
      'kwatch/0.1 events',
      'no User-Agent pods',
      'curl/8.5 pods',
    ]);
    expect(some[0]).toEqual({
      label: '–',
      role: 'kubectl/v1.30',
      resource: 'pods',
      state: 'LIVE',
      holdsRv: 1000,
      toFloor: 52,
      queues: { input: 1, result: 2, size: 10 },
      story: 'from outside, asked for RV 1000',
    });
  });

  it('are not the lab’s own requests that have no answer yet', () => {
    const watcher = live();
    watcher.take(endItem(START, { end: 'eof' }));
    watcher.take(phaseItem(START, { state: 'connecting', stream: 2, rv: '1040' }));
    const asked = (userAgent: string, requestedRv: string) => ({ ...outside(requestedRv, userAgent), requestedRv });
    const watches = [asked('kwatch/0.1.0', '1040'), asked('kwatch/0.1.0', '1039'), asked('kubectl/v1.30.3', '1040')];
    expect(foreignViews([server({ watches })], [watcher]).some.map(({ role }) => role)).toEqual([
      'kwatch/0.1',
      'kubectl/v1.30',
    ]);
  });

  it('wait for a cache that is not ready, for an RV that is to come, or for their own reading', () => {
    const watches = [outside('r', 'a/1.0'), outside('f', 'b/1.0'), outside('s', 'c/1.0')];
    const caches = [
      pods({
        watchers: [served('s', { waitsFor: 'client', input: 5 })],
        waiting: [
          { auditId: 'r', requestedRv: '1000', waitsFor: 'ready' },
          { auditId: 'f', requestedRv: '1000', waitsFor: 'freshness' },
        ],
      }),
    ];
    const { some } = foreignViews([server({ watches, caches })], []);
    expect(some.map(({ state }) => state)).toEqual(['NOT READY', 'WAITING', 'STALLED']);
  });

  it('are copied up to a bound, and counted beyond it', () => {
    const watches = Array.from({ length: 1000 }, (_, i) => outside(`k-${i}`, 'kubectl/v1.30.3'));
    const { some, total } = foreignViews([server({ watches }), server({ watches, name: ':7411' })], []);
    expect([some.length, total]).toEqual([100, 2000]);
    expect(some[0]?.replica).toBe(':7410');
  });
});

describe('an apiserver', () => {
  it('shows pods first, with each resource’s own upstream, and a resize for as long as it is said', () => {
    const caches = [pods({ groupResource: 'configmaps' }), pods()];
    const upstream = (resource?: string): UpstreamState => (resource === 'pods' ? 'cut' : 'connected');
    const resizedFrom = (index: number, resource: string) => (index === 1 && resource === 'pods' ? 50 : undefined);
    const view = replicaView(server({ caches, upstream }), 1, resizedFrom);
    expect(view).toMatchObject({ server: 'http://127.0.0.1:7410', name: ':7410', upstream: 'connected' });
    expect(view.resources.map(({ resource, upstream: own }) => `${resource} ${own}`)).toEqual([
      'pods cut',
      'configmaps connected',
    ]);
    expect(view.resources[0]?.ring).toEqual({
      capacity: 100,
      pinned: true,
      used: 100,
      oldest: 949,
      newest: 1048,
      floor: 948,
      resizedFrom: 50,
    });
    expect(view.resources[1]?.ring.resizedFrom).toBeUndefined();
  });

  it('has an empty ring before its first event', () => {
    const empty = pods({ size: 0, oldest: undefined, newest: undefined, floor: undefined });
    expect(replicaView(server({ caches: [empty] }), 0, () => undefined).resources[0]?.ring).toEqual({
      capacity: 100,
      pinned: true,
      used: 0,
      floor: 0,
    });
  });
});
