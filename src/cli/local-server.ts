import { type ApiServer, startApiServer } from '../apiserver/apiserver.ts';
import { compactVerb, startControlDoor } from '../apiserver/control.ts';
import { controlState } from '../apiserver/control-state.ts';
import { Compactor } from '../store/compactor.ts';
import { MvccStore } from '../store/mvcc-store.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { UsageError } from '../util/usage-error.ts';

/** Where we listen unless `--port` says otherwise (contract §4), and how many ports after it are tried. */
const DEFAULT_PORT = 7410;
const PORTS_TRIED = 50;

/**
 * The store's revision at the start. An empty etcd is at 1; a cluster that has come up stands at some hundreds, and RVs of one or
 * two digits look like mistakes to whoever reads them.
 */
const INITIAL_REVISION = 1000;

export interface LocalServerOptions {
  clock: Clock;
  /** Real time: patience with slow watchers must not shrink where `clock` runs fast. */
  budgetClock: Clock;
  random: Random;
  cacheSize: number | 'auto';
  /** undefined: 7410 or the next free one; 0: any. */
  port: number | undefined;
  /** undefined: nothing is compacted but by the control door. */
  compactEveryMs: number | undefined;
  progressNotifyMs: number;
  trace: TraceSink;
}

/** The embedded server of `kwatch local`: store, compactor, apiserver and control door, listening. */
export interface LocalServer {
  readonly store: MvccStore;
  readonly apiserver: ApiServer;
  /** URL of the control door, with its path. */
  readonly control: string;
  /** Storage of a resource for scripted writers: the store itself, past the apiserver. */
  writer(resource: 'pods' | 'events'): ObjectStore;
  close(): Promise<void>;
}

/** Starts everything. Throws a UsageError where a port that was asked for is in use. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { clock, budgetClock, random, trace } = options;
  const store = new MvccStore({
    clock,
    trace,
    progressNotifyMs: options.progressNotifyMs,
    initialRevision: INITIAL_REVISION,
  });
  const over = new AbortController();
  const onFault = (error: unknown) => process.emitWarning(error instanceof Error ? error : String(error));
  const { cacheSize } = options;
  const apiserver = await onFreePort(options.port, DEFAULT_PORT, (port) =>
    startApiServer({ store, clock, budgetClock, random, cacheSize, port, trace, onFault }),
  );
  const door = await onFreePort(options.port === undefined ? undefined : 0, apiserver.port + 1, (port) =>
    startControlDoor({
      port,
      clock,
      random,
      verbs: { compact: compactVerb(store) },
      state: async () => controlState(store, [apiserver]),
      onFault,
    }),
  );
  if (options.compactEveryMs !== undefined) {
    void new Compactor({ store, clock, everyMs: options.compactEveryMs }).run(over.signal);
  }
  return {
    store,
    apiserver,
    control: door.url,
    writer: (resource) =>
      new ObjectStore({
        store,
        clock,
        random,
        trace,
        resourcePrefix: `/registry/${resource}`,
        namespaced: true,
        groupResource: resource,
      }),
    async close() {
      over.abort();
      await Promise.all([apiserver.close(), door.close()]);
    },
  };
}

/** `port`, or where none was asked for the first free one from `first` on. */
async function onFreePort<T>(
  port: number | undefined,
  first: number,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  const tries = port === undefined ? Array.from({ length: PORTS_TRIED }, (_, n) => first + n) : [port];
  for (const candidate of tries) {
    try {
      return await listen(candidate);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    }
  }
  const [one] = tries;
  if (tries.length === 1) throw new UsageError(`port ${one} is in use or not allowed; --port 0 takes any free one`);
  throw new UsageError(`ports ${one} to ${tries.at(-1)} are all in use; --port 0 takes any free one`);
}
