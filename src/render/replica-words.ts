import type { CachedResourceView, LocalView, ReplicaView } from './local-view.ts';
import { type Span, span } from './spans.ts';

/** The apiserver and the cached resource that the selected watcher lives on; the first ones where it has none. */
export function shownRing(
  view: LocalView,
  selected: string | undefined,
): { replica: ReplicaView | undefined; cached: CachedResourceView | undefined } {
  const watcher = view.watchers.find(({ label }) => label === selected);
  const replica = view.replicas.find(({ name }) => name === watcher?.replica) ?? view.replicas[0];
  const cached = replica?.resources.find(({ resource }) => resource === watcher?.resource) ?? replica?.resources[0];
  return { replica, cached };
}

/** In words what keeps an apiserver from its clients, or a resource of it from the store; undefined where nothing does. */
export function troubleOf(
  { state, upstream }: ReplicaView,
  cached: CachedResourceView | undefined,
): string | undefined {
  if (state !== 'serving') return state === 'starting' ? 'STARTING' : 'SHUTTING DOWN';
  return UPSTREAM_WORD[cached?.upstream ?? upstream];
}

const UPSTREAM_WORD = { connected: undefined, cut: 'CUT', blackholed: 'BLACKHOLED' } as const;

export function gateSpan({ ready }: CachedResourceView): Span {
  return ready ? span('READY', 'good') : span('NOT READY', 'alarm');
}
