import { type Replica, startReplica } from '../../src/apiserver/replica.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import type { KubeObject } from '../../src/protocol/object.ts';
import { Compactor } from '../../src/store/compactor.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { seededRandom } from '../../src/util/random.ts';
import type { NetworkClock } from './network-clock.ts';
import type { Scenario } from './scenario.ts';

const SERVED = RESOURCES.filter(({ name, group }) => group === '' && ['pods', 'events', 'namespaces'].includes(name));
/** Servers do not start in the same millisecond: their start time is what tells one from the other. */
const START_APART_MS = 137;
/** Writes between two turns of the event loop, as fast as can be. */
const WRITES_PER_TURN = 4;

/** The servers of a simulation: a store, apiservers on it, and somebody who writes past them. */
export class Cluster {
  /** All that the servers and the store told of themselves, but the writes. */
  readonly trace: TraceEvent[] = [];
  readonly store: MvccStore;
  readonly servers: Replica[] = [];
  readonly #clock: NetworkClock;
  readonly #scenario: Scenario;
  readonly #over = new AbortController();
  readonly #writers: Record<'pods' | 'events', ObjectStore>;
  #changes = 0;

  constructor(clock: NetworkClock, scenario: Scenario) {
    this.#clock = clock;
    this.#scenario = scenario;
    const { progressNotifyMs } = scenario;
    this.store = new MvccStore({ clock, initialRevision: FIRST_REVISION, progressNotifyMs, trace: this.#sink });
    this.#writers = { pods: this.#writer('pods'), events: this.#writer('events') };
  }

  async start(): Promise<void> {
    const { objects, servers, cacheSize, seed, compactEveryMs } = this.#scenario;
    const clock = this.#clock;
    for (let i = 0; i < objects; i += 1) {
      for (const resource of ['pods', 'events'] as const) {
        await this.#writers[resource].create(keyOf(resource, i), this.#object(resource, i));
      }
    }
    for (let index = 0; index < servers; index += 1) {
      const random = seededRandom(seed + 100 * (index + 1));
      const common = { store: this.store, clock, random, cacheSize, port: 0, trace: this.#sink, resources: SERVED };
      this.servers.push(await clock.until(startReplica({ ...common, index, onFault: fail })));
      await clock.advance(START_APART_MS);
    }
    if (compactEveryMs !== undefined) {
      void new Compactor({ store: this.store, clock, everyMs: compactEveryMs }).run(this.#over.signal);
    }
  }

  /** Changes `count` objects in turn, so many a second. */
  async burst(resource: 'pods' | 'events', count: number, perSecond: number): Promise<void> {
    const start = this.#clock.now();
    for (let i = 0; i < count && !this.#over.signal.aborted; i += 1) {
      const due = start + (i * 1_000) / perSecond;
      // A few at a time: the clock's jumps cost more than the writes.
      if (i % WRITES_PER_TURN === 0) {
        const wait = due - this.#clock.now();
        if (wait > 0) await this.#clock.sleep(wait, this.#over.signal);
        else await this.#clock.turn();
      }
      await this.change(resource);
    }
  }

  async change(resource: 'pods' | 'events'): Promise<void> {
    const nth = ++this.#changes;
    const key = keyOf(resource, nth % this.#scenario.objects);
    await this.#writers[resource].guaranteedUpdate(key, {}, (current) => {
      const object = current?.object ?? this.#object(resource, nth);
      return { ...object, metadata: { ...object.metadata, annotations: { change: String(nth) } } };
    });
  }

  async background(everyMs: number): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#clock.sleep(everyMs, this.#over.signal);
      if (!this.#over.signal.aborted) await this.change('pods');
    }
  }

  /** Compacts `behind` revisions before the head, where that is above the last compaction. */
  async compact(behind: number): Promise<void> {
    const target = (await this.store.revision()) - behind;
    if (target > this.store.state().compactedRevision) await this.store.compact(target);
  }

  async close(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.servers.map((server) => server.close()));
  }

  readonly #sink = (event: TraceEvent): void => {
    if (event.what !== 'write') this.trace.push(event);
  };

  #writer(resource: 'pods' | 'events'): ObjectStore {
    return new ObjectStore({
      store: this.store,
      clock: this.#clock,
      random: seededRandom(this.#scenario.seed),
      resourcePrefix: `/registry/${resource}`,
      namespaced: true,
      groupResource: resource,
    });
  }

  #object(resource: 'pods' | 'events', nth: number): KubeObject {
    const name = nameOf(nth);
    return {
      kind: resource === 'pods' ? 'Pod' : 'Event',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: NAMESPACE,
        uid: `${resource}-${name}`,
        creationTimestamp: new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        labels: { quarter: String(nth % 4) },
      },
      spec: { pad: 'x'.repeat(this.#scenario.padBytes) },
      status: {},
    };
  }
}

export const NAMESPACE = 'default';
/** The store's at its start, as in `kwatch local`. */
export const FIRST_REVISION = 1_000;

function fail(fault: unknown): never {
  throw fault;
}

export function nameOf(nth: number): string {
  return `o-${nth}`;
}

function keyOf(resource: 'pods' | 'events', nth: number): string {
  return `/registry/${resource}/${NAMESPACE}/${nameOf(nth)}`;
}
