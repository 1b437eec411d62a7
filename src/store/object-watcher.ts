import { goQuote } from '../protocol/go-strconv.ts';
import { Channel } from '../util/channel.ts';
import { initialPages } from './object-list.ts';
import type { ObjectRange } from './object-range.ts';
import type { StoredResource } from './object-store.ts';
import { acceptsAll, matches } from './predicate.ts';
import type { Watcher, WatcherEvent, WatchParams } from './resource-storage.ts';
import type { Revision, StoreEvent } from './storage.ts';
import { ExpiredError, interpretWatchError, tooLargeResourceVersion } from './storage-errors.ts';

/** etcd3/watcher.go `outgoingBufSize`. Its `incoming` buffer of 100 has no twin here: the store's watch is the queue. */
const RESULT_BUFFER = 100;

/** What a watch of the store needs beyond WatchParams: only the cacher's own reflector asks for progress notifies. */
export interface ObjectWatchParams extends WatchParams {
  progressNotify?: boolean;
}

export interface ObjectWatchStart {
  /** Watch from the revision after it; 0 with `initialEvents`: from the list's. */
  revision: Revision;
  /** Send the present state first, as ADDED in key order. */
  initialEvents: boolean;
  /** The revision as the client wrote it. */
  requested: string;
}

/**
 * A watch of one resource straight on the store (upstream etcd3/watcher.go): what clients of an uncached resource get,
 * and the cacher's own source. A reader that is slow blocks it and is never cut off; every failure is one ERROR event and
 * the end. No bookmarks, but the one that ends the initial events.
 */
export class ObjectWatcher implements Watcher {
  readonly #resource: StoredResource;
  readonly #range: ObjectRange;
  readonly #params: ObjectWatchParams;
  readonly #result = new Channel<WatcherEvent>(RESULT_BUFFER);
  readonly #stop = new AbortController();

  constructor(resource: StoredResource, range: ObjectRange, params: ObjectWatchParams) {
    this.#resource = resource;
    this.#range = range;
    this.#params = params;
    if (params.signal.aborted) this.stop();
    else params.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  next(): Promise<WatcherEvent | undefined> {
    return this.#result.receive();
  }

  poll(): WatcherEvent | undefined {
    return this.#result.tryReceive();
  }

  stop(): void {
    this.#params.signal.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    this.#result.close();
  }

  /** The loop of this watch. Never rejects. */
  async run(start: ObjectWatchStart): Promise<void> {
    this.#params.onInitialized?.();
    try {
      const from = start.initialEvents ? await this.#sendInitialEvents(start) : start.revision;
      await this.#sendChanges(from);
    } catch (error) {
      const failure = interpretWatchError(error);
      const cause = failure instanceof ExpiredError ? { cause: failure.refusal } : {};
      await this.#send({ type: 'ERROR', status: failure.status, ...cause });
    }
    this.stop();
  }

  readonly #onAbort = (): void => this.stop();

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Upstream `sync`: the present state, page by page at one revision, which is returned. */
  async #sendInitialEvents(start: ObjectWatchStart): Promise<Revision> {
    if (start.revision > 0) await this.#checkNotAhead(start);
    let revision = start.revision;
    for await (const page of initialPages(this.#resource, this.#range, this.#stop.signal)) {
      revision = page.revision;
      for (const kv of page.kvs) {
        const object = this.#resource.codec.decode(kv);
        if (matches(this.#params.predicate, object) && !(await this.#send({ type: 'ADDED', object }))) return revision;
      }
    }
    if (this.#params.sendInitialEvents && this.#params.allowWatchBookmarks) {
      await this.#send({ type: 'BOOKMARK', rv: revision, initialEventsEnd: true });
    }
    return revision;
  }

  /** A streaming list at an RV that the store has not reached is refused; upstream's hint is 1 s with a jitter of up to 3. */
  async #checkNotAhead(start: ObjectWatchStart): Promise<void> {
    const current = await this.#resource.store.revision({ signal: this.#stop.signal });
    if (start.revision <= current) return;
    throw tooLargeResourceVersion(start.requested, current, Math.floor(1 + 3 * this.#resource.random()));
  }

  async #sendChanges(from: Revision): Promise<void> {
    const { key: begin, end } = this.#range;
    const responses = this.#resource.store.watch({
      start: begin,
      end,
      startRevision: from + 1,
      progressNotify: this.#params.progressNotify === true,
      signal: this.#stop.signal,
    });
    for await (const response of responses) {
      if (response.kind === 'progress') {
        this.#resource.counters.bookmarks.value += 1;
        await this.#send({ type: 'BOOKMARK', rv: response.revision });
        continue;
      }
      for (const event of response.events) {
        this.#resource.counters.eventsReceived.value += 1;
        const transformed = this.#transform(event);
        if (transformed) await this.#send(transformed);
      }
      if (this.#stopped) return;
    }
  }

  /** Selector transitions (facts/server §3.10). A DELETED shows the state before, with the event's RV. */
  #transform(event: StoreEvent): WatcherEvent | undefined {
    if (event.prevCompacted) throw new Error(lostPreviousText(event));
    const { codec } = this.#resource;
    const { predicate } = this.#params;
    if (!event.kv) {
      const object = codec.decode(event.prevKv!, event.revision);
      return matches(predicate, object) ? { type: 'DELETED', object } : undefined;
    }
    const object = codec.decode(event.kv);
    if (!event.prevKv) return matches(predicate, object) ? { type: 'ADDED', object } : undefined;
    if (acceptsAll(predicate)) return { type: 'MODIFIED', object };
    const passes = matches(predicate, object);
    const previous = codec.decode(event.prevKv, event.revision);
    const passed = matches(predicate, previous);
    if (passes) return { type: passed ? 'MODIFIED' : 'ADDED', object };
    return passed ? { type: 'DELETED', object: previous } : undefined;
  }

  /** False where nobody listens any more. */
  async #send(event: WatcherEvent): Promise<boolean> {
    if (this.#stopped) return false;
    return this.#result.trySend(event) || this.#result.send(event);
  }
}

/** etcd3/watcher.go parseEvent: the symptom of a compaction that is no 410 (facts/server §4.1). */
function lostPreviousText(event: StoreEvent): string {
  const type = event.type === 'put' ? 'PUT' : 'DELETE';
  return `etcd event received with PrevKv=nil (key=${goQuote(event.key)}, modRevision=${event.revision}, type=${type})`;
}
