import { rv } from '../../src/protocol/resource-version.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import type { CachedResourceView, LocalView, ReplicaView, RingView, WatcherView } from '../../src/render/local-view.ts';
import {
  EVENTS,
  endItem,
  errorItem,
  eventItem,
  findingItem,
  listItem,
  openItem,
  phaseItem,
  probeItem,
  START,
} from './feed-items.ts';

/** What `kwatch tail pods` sees when a watcher comes back too late: the story on the first page of the screens' drawing. */
export function tailStory(): FeedItem[] {
  const at = (minutes: number, seconds: number) => START - 32_000 - 4 * 60_000 + minutes * 60_000 + seconds * 1000;
  const refused = (text: string) => ({
    stream: 3,
    methodPath: '/…?allowWatchBookmarks=true&watch=1',
    requestedRv: text,
  });
  return [
    phaseItem(at(4, 31.0), { state: 'listing' }),
    probeItem(at(4, 31.2), { kind: 'version', gitVersion: 'v1.30.3' }),
    listItem(at(4, 31.5)),
    openItem(at(4, 31.6)),
    phaseItem(at(4, 31.6), { state: 'streaming', stream: 1 }),
    eventItem(at(4, 32.002), { type: 'MODIFIED', name: 'cart-5d11-0qk2m', rv: '20475' }),
    eventItem(at(4, 33.002), { type: 'DELETED', name: 'cart-5d11-0qk2m', rv: '20479' }, { rvStep: 4 }),
    eventItem(at(4, 47.31), { type: 'BOOKMARK', rv: '20481' }, { rvStep: 2 }),
    endItem(at(5, 2.114), { openedAt: at(5, 2.114) - 312_000, timeoutSeconds: 312, lastRv: rv('20481') }),
    endItem(at(5, 2.131), { stream: 2, openedAt: undefined as never, end: 'refused', requestedRv: rv('20481') }),
    openItem(at(9, 40.877), refused('20481')),
    errorItem(at(9, 40.902), 'too old resource version: 20481 (22390)', { stream: 3 }),
    endItem(at(9, 40.903), { stream: 3, openedAt: at(9, 40.877) }),
    findingItem(at(9, 40.902)),
    listItem(at(9, 40.951), {
      why: '410',
      rv: rv('24102'),
      gap: {
        created: { count: 3, names: ['a', 'b', 'c'] },
        changed: { count: 41, names: [] },
        deleted: { count: 2, names: ['d', 'e'] },
      },
    }),
    openItem(at(9, 40.96), { ...refused('24102'), stream: 4 }),
    phaseItem(at(9, 40.96), { state: 'streaming', stream: 4 }),
    probeItem(at(9, 41), { kind: 'floor', floor: rv('22400') }),
    eventItem(at(9, 41.377), { name: 'cart-7c9f-x2k4l', rv: '24110' }, { stream: 4, rvStep: 8 }),
    eventItem(at(9, 42.016), { type: 'ADDED', name: 'cart-7c9f-zz81q', rv: '24131' }, { stream: 4, rvStep: 21 }),
    eventItem(at(9, 43.56), { name: 'cart-7c9f-zz81q', rv: '24185', uid: 'ae0c' }, { stream: 4, rvStep: 54 }),
    eventItem(at(9, 52.101), { type: 'BOOKMARK', rv: '24188' }, { stream: 4, rvStep: 3 }),
  ];
}

/** The moment at which the drawing of `tailStory` was made. */
export const TAIL_NOW = START - 32_000 + 5 * 60_000 + 52_500;

const WATCHERS: WatcherView[] = [
  {
    label: 'A',
    role: 'steady',
    resource: 'pods',
    state: 'LIVE',
    holdsRv: 1548,
    toFloor: 100,
    queues: { input: 0, result: 0, size: 100 },
    story: 'nothing happens to it',
  },
  {
    label: 'B',
    role: 'traveller',
    resource: 'pods',
    state: 'LIVE',
    holdsRv: 1548,
    toFloor: 100,
    queues: { input: 0, result: 0, size: 100 },
    story: 'was away 2.5 s: lost 1041',
  },
  {
    label: 'C',
    role: 'slow reader',
    resource: 'pods',
    state: 'LOST',
    holdsRv: 1302,
    toFloor: -146,
    story: 'closed at 2.4 s, lost 1302',
  },
  {
    label: 'E',
    role: 'events',
    resource: 'events',
    state: 'AWAY',
    holdsRv: 1040,
    story: 'no watch cache: etcd answers',
  },
];

/** The pods of one apiserver: a pinned ring of 100 that is full. */
export function podsRing(more: Partial<RingView> = {}): CachedResourceView {
  const ring = { capacity: 100, used: 100, pinned: true, oldest: 1449, newest: 1548, floor: 1448, ...more };
  return { resource: 'pods', upstream: 'connected', ready: true, generation: 1, ring };
}

export function replica(more: Partial<ReplicaView> = {}): ReplicaView {
  return {
    server: 'http://127.0.0.1:7410',
    name: ':7410',
    state: 'serving',
    upstream: 'connected',
    resources: [podsRing()],
    ...more,
  };
}

/** A kubectl that watches from outside. */
export function outsider(more: Partial<WatcherView> = {}): WatcherView {
  return {
    label: '–',
    role: 'kubectl/v1.30',
    resource: 'pods',
    state: 'LIVE',
    holdsRv: 1548,
    toFloor: 100,
    queues: { input: 0, result: 0, size: 100 },
    story: 'from outside, since RV 1500',
    ...more,
  };
}

/** The machine room at 3.6 s of the built-in story. */
export function localView(more: Partial<LocalView> = {}): LocalView {
  return {
    replicas: [replica()],
    revision: 1548,
    watchers: WATCHERS,
    foreign: { some: [], total: 0 },
    story: { step: 5, of: 9, next: { text: 'compaction at head', at: START + 4_000 } },
    speed: 1,
    ...more,
  };
}

/** The machine room in trouble of one kind each. */
export const LOCAL_TROUBLE: Record<string, () => LocalView> = {
  /** Upstream was cut and is back, the cache is being filled: nobody's watch is answered. */
  cold: () =>
    localView({
      replicas: [replica({ resources: [{ ...podsRing(), ready: false, upstream: 'cut' }], upstream: 'cut' })],
      watchers: WATCHERS.map((watcher) => (watcher.resource === 'pods' ? { ...watcher, state: 'NOT READY' } : watcher)),
    }),
  /** The server has closed C, which reads nothing and so cannot know. */
  terminated: () =>
    localView({
      watchers: WATCHERS.map((watcher) =>
        watcher.label === 'C'
          ? { ...watcher, state: 'TERMINATED', holdsRv: 1302, toFloor: -146, story: 'closed at 2.4 s, too slow' }
          : watcher,
      ),
    }),
  /** Three apiservers, one of them cut off, and people from outside on two of them. */
  replicas: () =>
    localView({
      replicas: [
        replica(),
        replica({
          server: 'http://127.0.0.1:7411',
          name: ':7411',
          upstream: 'cut',
          resources: [{ ...podsRing({ oldest: 1301, newest: 1400, floor: 1300 }), upstream: 'cut' }],
        }),
        replica({ server: 'http://127.0.0.1:7412', name: ':7412', state: 'starting', resources: [] }),
      ],
      watchers: WATCHERS.map((watcher, i) => ({ ...watcher, replica: i === 1 ? ':7411' : ':7410' })),
      foreign: {
        some: Array.from({ length: 12 }, (_, i) => outsider({ replica: i % 2 === 0 ? ':7410' : ':7411' })),
        total: 1012,
      },
    }),
};

/** What watchers A and B see of it. */
export function localStory(): FeedItem[] {
  const b = { watcher: 'B' };
  const message = 'too old resource version: 1041 (1448)';
  const writes = Array.from(
    { length: 480 },
    (_, i): FeedItem => ({ kind: 'trace', at: START + 1000 + i * 4, what: 'write', resource: 'pods', rv: 1042 + i }),
  );
  return [
    { watcher: 'A', ...openItem(START + 90) },
    { ...b, ...openItem(START + 100, { requestedRv: '1000' }) },
    { watcher: 'A', ...eventItem(START + 880, { name: 'web-30', rv: '1039' }, { rvStep: 1 }) },
    { ...b, ...eventItem(START + 900, { name: 'web-31', rv: '1040' }, { rvStep: 1 }) },
    { ...b, ...eventItem(START + 998, { name: 'web-02', rv: '1041' }, { rvStep: 1 }) },
    { ...b, kind: 'trace', at: START + 1000, what: 'away', holdsRv: 1041 },
    ...writes,
    { watcher: 'E', ...openItem(START + 2000, { target: EVENTS }) },
    { ...b, ...openItem(START + 3500, { stream: 2, requestedRv: '1041' }) },
    { ...b, ...errorItem(START + 3510, message, { stream: 2 }) },
    { ...b, ...findingItem(START + 3510, LOCAL_FINDING, { ok: true }) },
    {
      ...b,
      ...listItem(START + 3540, {
        why: '410',
        rv: rv('1548'),
        gap: { created: { count: 0, names: [] }, changed: { count: 40, names: [] }, deleted: { count: 0, names: [] } },
      }),
    },
    { ...b, ...openItem(START + 3600, { stream: 3, requestedRv: '1548' }) },
  ];
}

const LOCAL_FINDING = {
  id: 'f3',
  sub: 'overrun',
  lines: {
    verdict: 'RING-BUFFER EXPIRY · overrun · high',
    refusedBy: 'watch cache, in the stream (HTTP 200): 1041 < floor 1448',
    why: '1041 was 2.5 s old: 500 writes in 2 s went through a ring of 100',
    ruledOut: 'rebuild (A’s stream lived on); compaction (etcd still has 1041)',
    do: 'in a cluster: nothing if once. Here: try --cache-size 1000',
  },
};
