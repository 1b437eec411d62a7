import { type Replica, startReplica } from '../../src/apiserver/replica.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { Gate } from './gate.ts';
import { call } from './test-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';

/** What a client's cache has to come to: resourceVersions by `namespace/name`. */
export type Held = Record<string, string>;

/** An apiserver on real time with small pinned rings, as a client in another program meets it: through a gate. */
export interface ClientLab {
  replica: Replica;
  store: MvccStore;
  gate: Gate;
  trace: TraceEvent[];
  /** Writes so many changes over ten objects of a type, each once made. */
  burst(resource: 'configmaps' | 'events', count: number): Promise<void>;
  remove(resource: 'configmaps' | 'events', name: string): Promise<void>;
  /** What the server has. */
  held(resource: 'configmaps' | 'events'): Promise<Held>;
  close(): Promise<void>;
}

/** Objects that a burst goes around. */
const OBJECTS = 10;

export async function clientLab(cacheSize: number): Promise<ClientLab> {
  const clock = new SystemClock();
  const trace: TraceEvent[] = [];
  const sink = (event: TraceEvent) => trace.push(event);
  const store = new MvccStore({ clock, initialRevision: 1000, trace: sink });
  const options = { store, clock, random: seededRandom(7), cacheSize, port: 0, index: 0, trace: sink };
  const replica = await startReplica(options);
  const gate = new Gate(replica.port);
  await gate.open();
  let written = 0;
  const send = async (method: string, path: string, body?: object) => {
    const headers = method === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {};
    const answer = await call(replica.url, method, NAMESPACE + path, { headers, ...(body && { body }) });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  return {
    replica,
    store,
    gate,
    trace,
    burst: async (resource, count) => {
      for (let i = 0; i < count; i++) {
        const name = `o${i % OBJECTS}`;
        const metadata = { name, annotations: { written: String(++written) } };
        const { status } = await send('PATCH', `/${resource}/${name}`, { metadata });
        if (status === 404) await send('POST', `/${resource}`, { metadata, ...INVOLVED });
      }
    },
    remove: async (resource, name) => void (await send('DELETE', `/${resource}/${name}`)),
    held: async (resource) => {
      const { body } = await send('GET', `/${resource}`);
      const items = body.items as { metadata: { namespace: string; name: string; resourceVersion: string } }[];
      return Object.fromEntries(
        items.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]),
      );
    },
    close: async () => {
      await gate.shut();
      await replica.close();
    },
  };
}

/** What an event has to have; other types leave it out. */
const INVOLVED = { involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'x' } };
