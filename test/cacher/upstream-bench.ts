import { CacheWatcher } from '../../src/cacher/cache-watcher.ts';
import { cacherMetrics } from '../../src/cacher/cacher-metrics.ts';
import { Dispatcher } from '../../src/cacher/dispatcher.ts';
import { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import { StoreInterval } from '../../src/cacher/watch-cache-interval.ts';
import type { StoredObject } from '../../src/store/resource-storage.ts';
import { Metrics } from '../../src/util/metrics.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FollowingClient } from '../support/following-client.ts';
import { PODS, predicate, stored } from '../support/lab.ts';
import { ModelDispatcher } from './upstream-model.ts';
import { ModelWatcher } from './upstream-model-watcher.ts';

/** Of each of the two queues: small, so that few events fill them. */
export const SIZE = 2;
const START = 100;

/** What a client asks for. `owed`: a streaming list, whose end is marked. */
export type Asked = 'all' | 'selected' | 'bookmarks' | 'owed';

interface Pair {
  client: FollowingClient;
  watcher: CacheWatcher;
  model: ModelWatcher;
  leave: () => void;
  gone: boolean;
}

/** A dispatcher and its model side by side. */
export class Bench {
  readonly clock = new FakeClock();
  readonly pairs: Pair[] = [];
  readonly model = new ModelDispatcher(this.clock.now());
  readonly events: WatchCacheEvent[] = [];
  /** Steps whose outcome is chance are left out. */
  readonly exact: boolean;
  readonly #over = new AbortController();
  readonly #metrics = cacherMetrics(new Metrics(), 'pods', PODS);
  readonly #dispatcher: Dispatcher;
  #rv = START;
  #last: StoredObject | undefined;

  constructor(exact: boolean) {
    const { clock } = this;
    this.exact = exact;
    this.#dispatcher = new Dispatcher({
      clock,
      budgetClock: clock,
      random: () => 0,
      metrics: this.#metrics,
      addressOf: () => ({ namespace: 'ns', name: 'a', triggerValues: [] }),
      onTerminate: () => undefined,
    });
    void this.#dispatcher.run(this.#over.signal);
  }

  connect(asked: Asked): void {
    const selectors = predicate(asked === 'selected' ? { labels: 'app=x' } : {});
    const request = new AbortController();
    const bookmarks = asked === 'bookmarks' || asked === 'owed';
    const owed = asked === 'owed' ? this.#rv : 0;
    const baseline = this.#rv;
    const watcher = new CacheWatcher({
      id: this.pairs.length,
      auditId: undefined,
      requestedRv: '',
      channelSize: SIZE,
      keyPrefix: PODS,
      predicate: selectors,
      allowWatchBookmarks: bookmarks,
      deadline: Number.POSITIVE_INFINITY,
      signal: request.signal,
      owner: this.#dispatcher,
    });
    watcher.setBookmarkAfterResourceVersion(owed);
    this.#dispatcher.register(watcher, { scope: {}, triggerValue: undefined });
    watcher.start(new StoreInterval([]), baseline);
    const model = new ModelWatcher({ size: SIZE, predicate: selectors, bookmarks, owed, baseline });
    this.model.register(model);
    const client = new FollowingClient(watcher);
    this.pairs.push({ client, watcher, model, leave: () => request.abort(), gone: false });
  }

  write(app: 'x' | 'y'): void {
    // What queues up behind a wait comes in one turn, and a socket takes a turn's events as one.
    if (this.model.waits) for (const pair of this.pairs) this.#stallNoMore(pair);
    this.#rv += 1;
    const object = stored('a', this.#rv, { labels: { app } });
    const recordTime = this.clock.now();
    const key = `${PODS}ns/a`;
    const prevObject = this.#last;
    const event = new WatchCacheEvent({ type: 'MODIFIED', object, prevObject, key, rv: this.#rv, recordTime });
    this.#last = object;
    this.events.push(event);
    void this.#dispatcher.offer(event);
    this.model.offer(event);
  }

  terminateAll(): void {
    // Whether who waits gets the event before his end is chance.
    if (this.model.waits && this.exact) return;
    this.#dispatcher.terminateAllWatchers();
    this.model.terminateAll();
  }

  leave(pair: Pair): void {
    if (pair.gone) return;
    pair.gone = true;
    pair.leave();
    this.model.leave(pair.model);
  }

  open(pair: Pair): void {
    // Whom of several it waits for first is chance, upstream as here; the second property opens all the same.
    if (this.exact && (pair.gone || this.model.blocked > 1)) return;
    pair.client.open();
    pair.model.full = false;
    pair.model.closing = false;
    this.model.moved();
  }

  /** The next thing that it is given fills the socket. */
  stall(pair: Pair): void {
    if (!pair.client.ready || this.model.waits) return;
    pair.client.closing = true;
    pair.model.closing = true;
  }

  #stallNoMore({ client, model }: Pair): void {
    client.closing = false;
    model.closing = false;
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    this.model.advance(ms);
  }

  async settle(): Promise<void> {
    for (let turns = 0; turns < 8; turns += 1) await this.clock.turn();
  }

  get real(): object {
    const filed = new Set(this.#dispatcher.watchers().map(([watcher]) => watcher));
    return {
      terminated: this.#metrics.terminatedWatchers.value,
      watchers: this.pairs.map(({ client, watcher, gone }) =>
        gone
          ? 'gone'
          : { lines: client.lines, ended: client.ended, filed: filed.has(watcher), queues: queuesOf(watcher, filed) },
      ),
    };
  }

  get expected(): object {
    return {
      terminated: this.model.terminated,
      watchers: this.pairs.map(({ model, gone }) =>
        gone
          ? 'gone'
          : {
              lines: model.lines,
              ended: model.ended,
              filed: model.filed,
              queues: model.filed ? model.queues : undefined,
            },
      ),
    };
  }

  stop(): void {
    this.#over.abort();
  }
}

function queuesOf(watcher: CacheWatcher, filed: ReadonlySet<CacheWatcher>): object | undefined {
  if (!filed.has(watcher)) return undefined;
  const { input, result } = watcher.state();
  return { input, result };
}
