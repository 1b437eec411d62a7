import { type Replica, type ReplicaOptions, startReplica } from '../../src/apiserver/replica.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from './fake-clock.ts';
import { type Answer, type CallOptions, call, openWatch, type TestWatch } from './test-server.ts';

export interface TestReplicas {
  replicas: Replica[];
  store: MvccStore;
  clock: FakeClock;
  trace: TraceEvent[];
  faults: unknown[];
  /** A request to one of the replicas; the first unless told otherwise. */
  call(method: string, path: string, options?: CallOptions & { replica?: number }): Promise<Answer>;
  watch(path: string, replica?: number): Promise<TestWatch>;
  close(): Promise<void>;
}

/** Real apiservers on real sockets and one store, on a clock that moves only when a test says so. Revisions start at 1000. */
export async function testReplicas(count: number, options: Partial<ReplicaOptions> = {}): Promise<TestReplicas> {
  const clock = new FakeClock();
  const trace: TraceEvent[] = [];
  const faults: unknown[] = [];
  const sink = (event: TraceEvent) => trace.push(event);
  const store = new MvccStore({ clock, initialRevision: 1000, trace: sink });
  const replicas: Replica[] = [];
  for (let index = 0; index < count; index++) {
    replicas.push(
      await startReplica({
        store,
        index,
        clock,
        // No jitter: attempts to connect at 0, 1 s, 2.6 s after a loss.
        random: index === 0 ? () => 0.5 : seededRandom(index),
        cacheSize: 'auto',
        port: 0,
        trace: sink,
        onFault: (error) => faults.push(error),
        ...options,
      }),
    );
  }
  const url = (index = 0) => replicas[index]?.url ?? '';
  return {
    replicas,
    store,
    clock,
    trace,
    faults,
    call: (method, path, { replica, ...more } = {}) => call(url(replica), method, path, more),
    watch: (path, replica) => openWatch(url(replica), path),
    close: async () => {
      const closed = Promise.all(replicas.map((replica) => replica.close()));
      await clock.advance(2_000);
      await closed;
    },
  };
}
