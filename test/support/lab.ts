import { Cacher, type CacherOptions } from '../../src/cacher/cacher.ts';
import { everything as everyField, type FieldSelector, parseFieldSelector } from '../../src/protocol/field-selector.ts';
import { everything as everyLabel, parseLabelSelector } from '../../src/protocol/label-selector.ts';
import type { KubeObject } from '../../src/protocol/object.ts';
import { MvccStore, type MvccStoreOptions } from '../../src/store/mvcc-store.ts';
import { ObjectCodec } from '../../src/store/object-codec.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import type {
  ListParams,
  Predicate,
  ResourceStorage,
  StoredObject,
  Watcher,
  WatcherEvent,
  WatchParams,
} from '../../src/store/resource-storage.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { Metrics } from '../../src/util/metrics.ts';
import { FakeClock } from './fake-clock.ts';

export const PODS = '/registry/pods/';

/** Selectors of a request; pods' fields as far as the tests use them. */
export function predicate(selectors: { labels?: string; fields?: string } = {}): Predicate {
  const field: FieldSelector = selectors.fields ? parseFieldSelector(selectors.fields) : everyField;
  return {
    label: selectors.labels ? parseLabelSelector(selectors.labels) : everyLabel,
    field,
    fieldsOf: (object) => ({
      'metadata.name': object.metadata.name ?? '',
      'metadata.namespace': object.metadata.namespace ?? '',
      'spec.nodeName': nodeOf(object),
    }),
  };
}

export function nodeOf(object: KubeObject): string {
  return (object.spec as { nodeName?: string } | undefined)?.nodeName ?? '';
}

export interface PodFields {
  labels?: Record<string, string>;
  node?: string;
  note?: string;
  namespace?: string;
}

export function pod(name: string, fields: PodFields = {}): KubeObject {
  const { labels, node, note, namespace = 'ns' } = fields;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace, uid: `uid-${name}`, ...(labels && { labels }) },
    spec: { ...(node && { nodeName: node }) },
    status: { ...(note && { note }) },
  };
}

/** A state as the store would give it. */
export function stored(name: string, rv: number, fields: PodFields = {}): StoredObject {
  const codec = new ObjectCodec();
  return codec.decode({ value: codec.encode(pod(name, fields)), modRevision: rv });
}

/** What a watcher was sent, as it comes, by a client that reads at once. */
export class WatchLog {
  readonly watcher: Watcher;
  readonly events: WatcherEvent[] = [];
  ended = false;

  constructor(watcher: Watcher) {
    this.watcher = watcher;
    void this.#read();
  }

  get lines(): string[] {
    return this.events.map(line);
  }

  /** What came since the last look. */
  take(): string[] {
    return this.events.splice(0).map(line);
  }

  async #read(): Promise<void> {
    for (let event = await this.watcher.next(); event; event = await this.watcher.next()) this.events.push(event);
    this.ended = true;
  }
}

/** `ADDED a@301`, `BOOKMARK @305`, `ERROR 410 too old …`. */
export function line(event: WatcherEvent): string {
  if (event.type === 'ERROR') return `ERROR ${event.status.code} ${event.status.message}`;
  if (event.type === 'BOOKMARK')
    return `BOOKMARK @${event.rv}${event.initialEventsEnd ? ' end of initial events' : ''}`;
  const { metadata } = event.object.object;
  const stated = metadata.resourceVersion;
  return `${event.type} ${metadata.name}@${event.object.rv}${stated === String(event.object.rv) ? '' : ` says ${stated}`}`;
}

export interface WatchAsked {
  labels?: string;
  fields?: string;
  bookmarks?: boolean;
  sendInitialEvents?: boolean;
  timeoutMs?: number;
  scope?: { namespace?: string; name?: string };
  signal?: AbortSignal;
  key?: string;
}

/** A store, pods in it, and (once `start` was called) their watch cache, on a clock that stands still. */
export class Lab {
  readonly clock = new FakeClock();
  readonly trace: TraceEvent[] = [];
  readonly metrics = new Metrics();
  readonly abort = new AbortController();
  readonly store: MvccStore;
  readonly storage: ObjectStore;
  readonly cacher: Cacher;

  constructor(
    options: { store?: Partial<MvccStoreOptions>; cacher?: Partial<CacherOptions>; namespaced?: boolean } = {},
  ) {
    const { clock, metrics } = this;
    const trace = (event: TraceEvent) => {
      this.trace.push(event);
    };
    const random = () => 0;
    this.store = new MvccStore({ clock, initialRevision: 100, trace, ...options.store });
    this.storage = new ObjectStore({
      store: this.store,
      clock,
      random,
      trace,
      metrics,
      resourcePrefix: PODS.slice(0, -1),
      namespaced: options.namespaced ?? true,
      groupResource: 'pods',
    });
    this.cacher = new Cacher({
      storage: this.storage,
      clock,
      random,
      trace,
      metrics,
      capacity: 'auto',
      ...options.cacher,
    });
  }

  /** Starts the cache and waits until it is filled. */
  async start(): Promise<this> {
    void this.cacher.start(this.abort.signal);
    await this.clock.turn();
    return this;
  }

  stop(): void {
    this.abort.abort();
  }

  async create(name: string, fields?: PodFields): Promise<number> {
    return (await this.storage.create(key(name, fields), pod(name, fields))).rv;
  }

  async update(name: string, fields?: PodFields): Promise<number> {
    return (await this.storage.guaranteedUpdate(key(name, fields), {}, () => pod(name, fields))).rv;
  }

  /** `count` updates of one pod; the RV of the last. The cache has seen them. */
  async burst(name: string, count: number): Promise<number> {
    let rv = 0;
    for (let i = 0; i < count; i += 1) {
      rv = await this.update(name, { note: `${this.clock.now()}-${rv}-${i}` });
      if (i % 50 === 49) await this.clock.turn();
    }
    await this.clock.turn();
    return rv;
  }

  async delete(name: string, fields?: PodFields): Promise<number> {
    return (await this.storage.delete(key(name, fields), () => {})).rv;
  }

  params(resourceVersion: string | number, asked: WatchAsked = {}): WatchParams {
    return {
      resourceVersion: String(resourceVersion),
      predicate: predicate(asked),
      allowWatchBookmarks: asked.bookmarks ?? false,
      sendInitialEvents: asked.sendInitialEvents,
      deadline: this.clock.now() + (asked.timeoutMs ?? 3_600_000),
      signal: asked.signal ?? AbortSignal.any([this.abort.signal]),
      scope: asked.scope ?? {},
    };
  }

  /** A watch through the cache (or `storage`) by a client that reads at once. */
  async watch(resourceVersion: string | number, asked: WatchAsked = {}, storage: ResourceStorage = this.cacher) {
    const log = new WatchLog(await storage.watch(asked.key ?? PODS, this.params(resourceVersion, asked)));
    await this.clock.turn();
    return log;
  }

  async list(
    asked: Partial<ListParams> & { labels?: string; fields?: string; key?: string } = {},
    storage: ResourceStorage = this.cacher,
  ) {
    const { labels, fields, key: listed = PODS, ...params } = asked;
    const result = await storage.getList(listed, {
      resourceVersion: '',
      resourceVersionMatch: '',
      limit: 0,
      continue: '',
      predicate: predicate({ ...(labels && { labels }), ...(fields && { fields }) }),
      ...params,
    });
    return { ...result, names: result.items.map(shown) };
  }

  metric(name: string): number | undefined {
    const family = this.metrics.families().find((one) => one.name === name);
    return family && [...family.samples.values()].reduce((sum, sample) => sum + sample.value, 0);
  }
}

export function key(name: string, fields: { namespace?: string } = {}): string {
  return `${PODS}${fields.namespace ?? 'ns'}/${name}`;
}

const shown = ({ object, rv }: StoredObject) => `${object.metadata.name}@${rv}`;

/** The Status of an ApiError that a promise rejects with. */
export async function refused(promise: Promise<unknown>) {
  const outcome: unknown = await promise.then(
    (value) => ({ message: `no refusal: ${JSON.stringify(value)}` }),
    (error: unknown) => error,
  );
  return outcome as {
    message: string;
    status: { code: number; reason?: string; details?: object; metadata: object };
    refusal?: object;
  };
}
