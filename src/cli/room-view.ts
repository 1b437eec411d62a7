import type { OpenWatch } from '../apiserver/open-watches.ts';
import type { CacherState, CacheWatcherState } from '../cacher/cacher-state.ts';
import type { CachedResourceView, ReplicaView, UpstreamState, WatcherView } from '../render/local-view.ts';
import type { RoomWatcher } from './room-watcher.ts';

/** Watchers from outside that are copied for the screen; of more only the count is. */
const FOREIGN_SHOWN = 100;

/** One apiserver as it is now. */
export interface RoomServer {
  url: string;
  /** Its port, as a name. */
  name: string;
  state: ReplicaView['state'];
  /** Of the link to the store as a whole, or of one resource's. */
  upstream: (resource?: string) => UpstreamState;
  caches: readonly CacherState[];
  watches: readonly OpenWatch[];
}

/** A ring that was resized a moment ago, and from which size. */
export type ResizedFrom = (server: number, resource: string) => number | undefined;

export function replicaView(server: RoomServer, index: number, resizedFrom: ResizedFrom): ReplicaView {
  const { url, name, state, upstream, caches } = server;
  // The story is about pods: their ring is drawn unless another one's watcher is selected.
  const resources = caches
    .toSorted((a, b) => rank(a) - rank(b))
    .map((cache) => resourceView(cache, upstream(cache.groupResource), resizedFrom(index, cache.groupResource)));
  return { server: url, name, state, upstream: upstream(), resources };
}

const rank = ({ groupResource }: CacherState) => (groupResource === 'pods' ? 0 : 1);

function resourceView(
  cache: CacherState,
  upstream: UpstreamState,
  resizedFrom: number | undefined,
): CachedResourceView {
  const { groupResource, ready, generation, capacity, pinned, size, oldest, newest, floor } = cache;
  return {
    resource: groupResource,
    upstream,
    ready,
    generation,
    ring: {
      capacity,
      pinned,
      used: size,
      floor: floor ?? 0,
      ...(resizedFrom === undefined ? {} : { resizedFrom }),
      ...(oldest === undefined ? {} : { oldest }),
      ...(newest === undefined ? {} : { newest }),
    },
  };
}

/** One of the lab's watchers: what its client knows, and beside it what the server knows of the same request. */
export function watcherView(watcher: RoomWatcher, servers: readonly RoomServer[], compacted: number): WatcherView {
  watcher.isServedBy(servers.findIndex(({ watches }) => isOpen(watches, watcher.auditId)));
  const { role, holdsRv, story } = watcher;
  const server = servers[watcher.server];
  const cache = server?.caches.find(({ groupResource }) => groupResource === role.resource);
  const served = cache?.watchers.find(({ auditId }) => auditId !== undefined && auditId === watcher.auditId);
  // A cache forgets a watcher before its last bytes are read; without a cache the request alone tells.
  const isHeld = cache === undefined ? server !== undefined && isOpen(server.watches, watcher.auditId) : served;
  if (watcher.auditId !== undefined && !isHeld) watcher.notServed();
  const toFloor = cache?.floor === undefined || holdsRv === undefined ? undefined : holdsRv - cache.floor;
  return {
    label: role.name,
    role: role.role,
    resource: role.resource,
    ...(servers.length > 1 && server ? { replica: server.name } : {}),
    state: stateOf(watcher, { cache, served, toFloor, compacted }),
    story: story || storyOf(watcher, cache),
    ...(holdsRv === undefined ? {} : { holdsRv }),
    ...(toFloor === undefined ? {} : { toFloor }),
    ...(served ? { queues: queuesOf(served) } : {}),
  };
}

/** Where nothing has happened to it yet. */
function storyOf({ stalled }: RoomWatcher, cache: CacherState | undefined): string {
  if (stalled) return 'does not read its socket';
  return cache ? 'nothing happened to it' : 'no watch cache: etcd answers';
}

interface Standing {
  cache: CacherState | undefined;
  served: CacheWatcherState | undefined;
  toFloor: number | undefined;
  compacted: number;
}

/** The client's own word, unless the server knows better: it has closed the stream, keeps the request waiting, or is blocked. */
function stateOf(watcher: RoomWatcher, { cache, served, toFloor, compacted }: Standing): string {
  const { state, serverSays, holdsRv, stalled } = watcher;
  switch (state) {
    case 'AWAY':
      return isLost(toFloor, holdsRv, compacted) ? 'LOST' : state;
    case 'LIVE':
      if (serverSays !== undefined) return serverSays;
      return stalled || (served?.waitsFor === 'client' && served.input > 0) ? 'STALLED' : state;
    case 'CONNECTING':
    case 'NO ANSWER':
      return cache?.ready === false ? 'NOT READY' : state;
    default:
      return state;
  }
}

/** A watch from N starts at N + 1; etcd refuses what starts below the compacted revision (facts/server §4). */
function isLost(toFloor: number | undefined, holdsRv: number | undefined, compacted: number): boolean {
  if (toFloor !== undefined) return toFloor < 0;
  return holdsRv !== undefined && holdsRv + 1 < compacted;
}

function isOpen(watches: readonly OpenWatch[], auditId: string | undefined): boolean {
  return auditId !== undefined && watches.some((watch) => watch.auditId === auditId);
}

function queuesOf({ input, result, channelSize }: CacheWatcherState) {
  return { input, result, size: channelSize };
}

/** Those who watch and are none of the lab's own: oldest first, a bounded number of rows. */
export function foreignViews(
  servers: readonly RoomServer[],
  own: readonly RoomWatcher[],
): { some: WatcherView[]; total: number } {
  const known = new Set(own.flatMap(({ auditId }) => auditId ?? []));
  const some: WatcherView[] = [];
  let total = 0;
  for (const server of servers) {
    for (const watch of server.watches) {
      if (known.has(watch.auditId) || isOurs(watch, own)) continue;
      total += 1;
      if (some.length < FOREIGN_SHOWN) some.push(foreignView(watch, server, servers.length > 1));
    }
  }
  return { some, total };
}

/**
 * What our own clients have asked and not been answered, and their questions beside their watches (contract §4), which are
 * gone before a row of them could be read.
 */
function isOurs(watch: OpenWatch, own: readonly RoomWatcher[]): boolean {
  if (!watch.userAgent.startsWith('kwatch/')) return false;
  return watch.userAgent.includes(' probe/') || own.some((watcher) => watcher.isWaitingFor(watch));
}

function foreignView(watch: OpenWatch, server: RoomServer, several: boolean): WatcherView {
  const { groupResource, auditId, requestedRv } = watch;
  const cache = server.caches.find((each) => each.groupResource === groupResource);
  const served = cache?.watchers.find((each) => each.auditId === auditId);
  const waits = cache?.waiting.find((each) => each.auditId === auditId);
  const holdsRv = served?.lastSentRv ?? (/^[1-9]\d{0,15}$/.test(requestedRv) ? Number(requestedRv) : undefined);
  const toFloor = cache?.floor === undefined || holdsRv === undefined ? undefined : holdsRv - cache.floor;
  const blocked = served?.waitsFor === 'client' && served.input > 0;
  return {
    label: '–',
    role: agentName(watch.userAgent),
    resource: groupResource,
    ...(several ? { replica: server.name } : {}),
    state: waits ? (waits.waitsFor === 'ready' ? 'NOT READY' : 'WAITING') : blocked ? 'STALLED' : 'LIVE',
    ...(holdsRv === undefined ? {} : { holdsRv }),
    ...(toFloor === undefined ? {} : { toFloor }),
    ...(served ? { queues: queuesOf(served) } : {}),
    story: `from outside, ${startWords(requestedRv)}`,
  };
}

function startWords(requestedRv: string): string {
  return requestedRv === '' ? 'asked for no RV' : `asked for RV ${requestedRv}`;
}

/** `kubectl/v1.30` of `kubectl/v1.30.3 (linux/amd64) kubernetes/6fc0a69`. */
function agentName(userAgent: string): string {
  const [name = ''] = userAgent.split(' ', 1);
  return /^[^/]+\/v?\d+\.\d+/.exec(name)?.[0] ?? (name || 'no User-Agent');
}
