import type { FeedItem } from '../render/feed.ts';
import type { LocalView, StoryView } from '../render/local-view.ts';
import type { TraceEvent } from '../store/trace.ts';
import type { LocalServer } from './local-server.ts';
import { foreignViews, type RoomServer, replicaView, watcherView } from './room-view.ts';
import { type RoomRole, RoomWatcher } from './room-watcher.ts';
import type { TraceNames } from './trace-item.ts';

/** How long a ring's old size stands beside its new one, ms of the clock. */
const RESIZE_SAID_MS = 10_000;

export interface LocalRoomOptions {
  speed: number;
  watchers: readonly RoomRole[];
  /** When 0:00 was, and what time it is now: ms of the clock. */
  since: number;
  now: () => number;
}

/** Gathers what the machine room shows: the server's state when asked, and of each watcher what its client told last. */
export class LocalRoom {
  readonly #server: LocalServer;
  readonly #options: LocalRoomOptions;
  readonly #watchers = new Map<string, RoomWatcher>();
  /** By server and resource: the last resize. As many as there are rings. */
  readonly #resizes = new Map<string, { from: number; at: number }>();
  #story: StoryView | undefined;
  /** For what the server traces. */
  readonly names: TraceNames = {
    server: (index) => this.#serverName(index),
    watcher: (auditId) => this.#labelOf(auditId),
  };

  constructor(server: LocalServer, options: LocalRoomOptions) {
    this.#server = server;
    this.#options = options;
    for (const role of options.watchers) this.add(role);
  }

  /** One more of the lab's watchers, or one that begins anew. */
  add(role: RoomRole): void {
    this.#watchers.set(role.name, new RoomWatcher(role, this.#options.since));
  }

  watcher(name: string | undefined): RoomWatcher | undefined {
    return this.#watchers.get(name ?? '');
  }

  #serverName(index: number): string | undefined {
    const { replicas } = this.#server;
    return replicas.length > 1 ? replicas[index] && nameOf(replicas[index]) : undefined;
  }

  #labelOf(auditId: string): string | undefined {
    for (const { role, auditId: own } of this.#watchers.values()) if (own === auditId) return role.name;
    return undefined;
  }

  /** Resources that the lab's watchers watch. */
  watched(): ReadonlySet<string> {
    return new Set([...this.#watchers.values()].map(({ role }) => role.resource));
  }

  /** Takes what a client told, or what the story did with it. */
  take(item: FeedItem): void {
    this.watcher(item.watcher)?.take(item);
  }

  /** Takes what the server did. */
  takeTrace(event: TraceEvent): void {
    if (event.what === 'resize') {
      this.#resizes.set(ringKey(serverOf(event), event.resource), { from: event.from, at: event.at });
    }
    for (const watcher of this.#watchers.values()) watcher.takeTrace(event, serverOf(event));
  }

  /** Where the script stands. */
  step(story: StoryView): void {
    this.#story = story;
  }

  view(): LocalView {
    const { revision, compactedRevision } = this.#server.store.state();
    const servers = this.servers();
    const watchers = [...this.#watchers.values()];
    return {
      replicas: servers.map((server, index) => replicaView(server, index, this.#resizedFrom)),
      revision,
      ...(compactedRevision > 0 ? { compacted: compactedRevision } : {}),
      watchers: watchers.map((watcher) => watcherView(watcher, servers, compactedRevision)),
      foreign: foreignViews(servers, watchers),
      ...(this.#story === undefined ? {} : { story: this.#story }),
      speed: this.#options.speed,
    };
  }

  /** The apiservers as they are now, by index. */
  servers(): RoomServer[] {
    return this.#server.replicas.map(({ url, port, state, link, cachers, watches }) => ({
      url,
      name: nameOf({ port }),
      state,
      upstream: (resource) => link.state(resource),
      caches: [...cachers.values()].map((cacher) => cacher.state()),
      watches: [...watches.values()],
    }));
  }

  readonly #resizedFrom = (server: number, resource: string): number | undefined => {
    const resize = this.#resizes.get(ringKey(server, resource));
    return resize && this.#options.now() - resize.at < RESIZE_SAID_MS ? resize.from : undefined;
  };
}

/** `:7410`: short, and in the URL that a person has typed. */
function nameOf({ port }: { port: number }): string {
  return `:${port}`;
}

function ringKey(server: number, resource: string): string {
  return `${server} ${resource}`;
}

/** Index of the apiserver that a trace is of. */
function serverOf(event: TraceEvent): number {
  return event.apiserver ?? 0;
}
