import { ApiError } from '../protocol/api-error.ts';
import { everything as everyField } from '../protocol/field-selector.ts';
import { everything as everyLabel } from '../protocol/label-selector.ts';
import type { Status } from '../protocol/status.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ListParams, Predicate, StoredObject, Watcher, WatcherEvent } from '../store/resource-storage.ts';
import type { Clock } from '../util/clock.ts';
import type { ChangeType } from './watch-cache-event.ts';

/** cacher.go `storageWatchListPageSize`: objects per page of the list. */
const PAGE_SIZE = 10_000;

/** cacher.go: `reflector.MaxInternalErrorRetryDuration`, ms. Trouble of the store that is over by then harms no client. */
const INTERNAL_ERROR_RETRY_MS = 30_000;

/** client-go retry_with_deadline.go: internal errors further apart than this are not one trouble, ms. */
const INTERNAL_ERROR_RESET_MS = 60_000;

/**
 * Pause before a watch is tried again after an internal error, ms. Upstream has none of its own: there a watch that starts
 * in the past waits for etcd's loop, which turns every 100 ms. Here it keeps us from spinning.
 */
const RETRY_PAUSE_MS = 100;

/** client-go `watchHandler`: a watch that ends without an event within this time, ms, is a failure. */
const SHORT_WATCH_MS = 1_000;

/** Where a reflector puts what it learns. */
export interface ReflectorSink {
  replace(objects: readonly StoredObject[], rv: number): void;
  /** Waits where the dispatcher is busy. */
  handle(type: ChangeType, object: StoredObject): Promise<void> | undefined;
  /** The storage is at `rv` and nothing happened. */
  progress(rv: number): Promise<void> | undefined;
}

/** Why a run ended. `compacted`: the store no longer has the history that the watch needed. */
export type RunEnd = { because: 'compacted' | 'error' | 'stopped'; message: string };

const EVERYTHING: Predicate = { label: everyLabel, field: everyField, fieldsOf: () => ({}) };

/**
 * Keeps a cache in step with the store (client-go reflector.go, as the Cacher configures it): list everything, then watch
 * from the list's RV, for as long as that works. Who runs it decides what happens after a run.
 */
export class Reflector {
  readonly #storage: ObjectStore;
  readonly #clock: Clock;
  readonly #sink: ReflectorSink;
  #lastSyncResourceVersion = 0;
  /** First and last of the internal errors of this run that belong together, ms. */
  #firstInternalError: number | undefined;
  #lastInternalError = Number.NEGATIVE_INFINITY;

  constructor(options: { storage: ObjectStore; clock: Clock; sink: ReflectorSink }) {
    this.#storage = options.storage;
    this.#clock = options.clock;
    this.#sink = options.sink;
  }

  /** One run. Never rejects. */
  async listAndWatch(signal: AbortSignal): Promise<RunEnd> {
    try {
      await this.#list();
      return await this.#watchUntilFailure(signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return endOf(error.status);
    }
  }

  async #list(): Promise<void> {
    const { objects, rv } = await this.#listPaged();
    this.#sink.replace(objects, rv);
    this.#lastSyncResourceVersion = rv;
  }

  /** client-go pager: page by page at one RV; where that RV is compacted meanwhile, everything in one read. */
  async #listPaged(): Promise<{ objects: StoredObject[]; rv: number }> {
    const objects: StoredObject[] = [];
    let token = '';
    for (;;) {
      try {
        const page = await this.#listPage(PAGE_SIZE, token);
        objects.push(...page.items);
        if (!page.continue) return { objects, rv: Number(page.resourceVersion) };
        token = page.continue;
      } catch (error) {
        if (token === '' || !(error instanceof ApiError && isExpired(error.status))) throw error;
        const all = await this.#listPage(0, '');
        return { objects: all.items, rv: Number(all.resourceVersion) };
      }
    }
  }

  #listPage(limit: number, token: string) {
    const consistent = { resourceVersion: '', resourceVersionMatch: '' } satisfies Partial<ListParams>;
    const key = `${this.#storage.resource.resourcePrefix}/`;
    return this.#storage.getList(key, { ...consistent, limit, continue: token, predicate: EVERYTHING });
  }

  async #watchUntilFailure(signal: AbortSignal): Promise<RunEnd> {
    this.#firstInternalError = undefined;
    for (;;) {
      const started = this.#clock.now();
      const watcher = await this.#openWatch(signal);
      const { events, failure } = await this.#follow(watcher);
      watcher.stop();
      if (signal.aborted) return { because: 'stopped', message: 'stopped' };
      if (failure && !this.#mayRetry(failure)) return endOf(failure);
      if (failure) await this.#clock.sleep(RETRY_PAUSE_MS, signal);
      else if (events === 0 && this.#clock.now() - started < SHORT_WATCH_MS) {
        return { because: 'error', message: 'very short watch: unexpected watch close' };
      }
    }
  }

  #openWatch(signal: AbortSignal): Promise<Watcher> {
    return this.#storage.watch(`${this.#storage.resource.resourcePrefix}/`, {
      resourceVersion: String(this.#lastSyncResourceVersion),
      predicate: EVERYTHING,
      allowWatchBookmarks: true,
      sendInitialEvents: undefined,
      deadline: Number.POSITIVE_INFINITY,
      signal,
      scope: {},
      progressNotify: true,
    });
  }

  /** Reads a watch to its end. */
  async #follow(watcher: Watcher): Promise<{ events: number; failure?: Status }> {
    for (let events = 0; ; events += 1) {
      const event = watcher.poll() ?? (await watcher.next());
      if (!event) return { events };
      if (event.type === 'ERROR') return { events, failure: event.status };
      const busy = this.#deliver(event);
      if (busy) await busy;
    }
  }

  #deliver(event: Exclude<WatcherEvent, { type: 'ERROR' }>): Promise<void> | undefined {
    if (event.type === 'BOOKMARK') {
      this.#lastSyncResourceVersion = event.rv;
      return this.#sink.progress(event.rv);
    }
    this.#lastSyncResourceVersion = event.object.rv;
    return this.#sink.handle(event.type, event.object);
  }

  /** Internal errors are tried again for 30 s after the first of them; no client notices. */
  #mayRetry(failure: Status): boolean {
    if (failure.reason !== 'InternalError') return false;
    const now = this.#clock.now();
    if (now - this.#lastInternalError >= INTERNAL_ERROR_RESET_MS) this.#firstInternalError = undefined;
    this.#firstInternalError ??= now;
    this.#lastInternalError = now;
    return now - this.#firstInternalError <= INTERNAL_ERROR_RETRY_MS;
  }
}

/** A change whose previous state was compacted fails by another word, but it is a compaction that made it fail (facts/server §4.1). */
const LOST_PREVIOUS = /PrevKv=nil/;

function endOf(failure: Status): RunEnd {
  const { message = '' } = failure;
  return { because: isExpired(failure) || LOST_PREVIOUS.test(message) ? 'compacted' : 'error', message };
}

function isExpired(failure: Status): boolean {
  return failure.reason === 'Expired' || failure.reason === 'Gone';
}
