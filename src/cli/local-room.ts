import type { CacherState } from '../cacher/cacher-state.ts';
import type { Phase } from '../client/output.ts';
import type { FeedItem } from '../render/feed.ts';
import type { CachedResourceView, LocalView, StoryView, WatcherView } from '../render/local-view.ts';
import type { Story, WatcherRole } from '../scenario/story.ts';
import type { LocalServer } from './local-server.ts';

/** What of a client is shown in the machine room. Everything of it was seen by the client, not by the server. */
interface Seen {
  role: WatcherRole;
  state: string;
  holdsRv: number | undefined;
  story: string;
}

/** States of a session as the words of the watcher table. */
const STATE_WORD: Record<Phase['state'], string> = {
  listing: 'LISTING',
  connecting: 'CONNECTING',
  streaming: 'LIVE',
  'no-answer': 'NO ANSWER',
  backoff: 'BACKOFF',
  away: 'AWAY',
  stopped: 'ENDED',
};

/** Gathers what the machine room shows: the server's state when asked, and of each watcher what its client told last. */
export class LocalRoom {
  readonly #server: LocalServer;
  readonly #speed: number;
  readonly #watchers: Map<string, Seen>;
  #story: StoryView | undefined;

  constructor(server: LocalServer, options: { speed: number; watchers: readonly WatcherRole[] }) {
    this.#server = server;
    this.#speed = options.speed;
    this.#watchers = new Map(
      options.watchers.map((role) => [role.name, { role, state: 'STARTING', holdsRv: undefined, story: '' }]),
    );
  }

  /** Takes what a client told, or what the story did with it. */
  take(item: FeedItem): void {
    const seen = this.#watchers.get(item.watcher ?? '');
    if (seen === undefined) return;
    if (item.kind === 'phase') {
      seen.state = STATE_WORD[item.phase.state];
    } else if (item.kind === 'event') {
      const rv = Number(item.fields.rv);
      if (Number.isSafeInteger(rv) && item.fields.type !== 'ERROR') seen.holdsRv = Math.max(seen.holdsRv ?? 0, rv);
    } else if (item.kind === 'list') {
      const rv = Number(item.facts.rv);
      if (Number.isSafeInteger(rv)) seen.holdsRv = rv;
    } else if (item.kind === 'finding') {
      seen.story = item.finding.lines.verdict;
    } else if (item.kind === 'trace' && (item.what === 'away' || item.what === 'back')) {
      seen.state = item.what === 'away' ? 'AWAY' : 'RETURNING';
    }
  }

  /** The story stands at step `index`, at `now` ms of the clock. */
  step(story: Story, index: number, now: number): void {
    const current = story.steps[index];
    const next = story.steps[index + 1];
    this.#story = {
      step: index + 1,
      of: story.steps.length,
      ...(next === undefined || current === undefined
        ? {}
        : { next: { text: next.says, at: now + next.at - current.at } }),
    };
  }

  view(): LocalView {
    const { store, apiserver } = this.#server;
    const { revision, compactedRevision } = store.state();
    const caches = [...apiserver.cachers.values()].map((cacher) => cacher.state());
    return {
      server: apiserver.url,
      revision,
      ...(compactedRevision > 0 ? { compacted: compactedRevision } : {}),
      upstreamConnected: true,
      // The story is about pods: their ring is drawn.
      resources: caches.toSorted((a, b) => rank(a) - rank(b)).map(resourceView),
      watchers: [...this.#watchers.values()].map((seen) => watcherView(seen, caches)),
      ...(this.#story === undefined ? {} : { story: this.#story }),
      speed: this.#speed,
    };
  }
}

const rank = ({ groupResource }: CacherState) => (groupResource === 'pods' ? 0 : 1);

function resourceView(state: CacherState): CachedResourceView {
  const { groupResource, ready, generation, capacity, pinned, size, oldest, newest, floor } = state;
  return {
    resource: groupResource,
    ready,
    generation,
    ring: {
      capacity,
      pinned,
      used: size,
      floor: floor ?? 0,
      ...(oldest === undefined ? {} : { oldest }),
      ...(newest === undefined ? {} : { newest }),
    },
  };
}

function watcherView({ role, state, holdsRv, story }: Seen, caches: readonly CacherState[]): WatcherView {
  const cache = caches.find(({ groupResource }) => groupResource === role.resource);
  const toFloor = cache?.floor === undefined || holdsRv === undefined ? undefined : holdsRv - cache.floor;
  const lost = state === 'AWAY' && toFloor !== undefined && toFloor < 0;
  return {
    label: role.name,
    role: role.role,
    resource: role.resource,
    state: lost ? 'LOST' : state,
    story,
    ...(holdsRv === undefined ? {} : { holdsRv }),
    ...(toFloor === undefined ? {} : { toFloor }),
  };
}
