import { type ControlDoor, compactVerb, startControlDoor } from '../apiserver/control.ts';
import { burstVerb } from '../apiserver/control-burst.ts';
import { controlState } from '../apiserver/control-state.ts';
import { throttleVerbs } from '../apiserver/control-throttle.ts';
import { replicaVerbs } from '../apiserver/control-verbs.ts';
import { type Replica, startReplica } from '../apiserver/replica.ts';
import { groupResource, type Resource } from '../apiserver/resource.ts';
import { RESOURCES } from '../apiserver/resources.ts';
import type { FeatureGates } from '../apiserver/serving.ts';
import { MvccStore } from '../store/mvcc-store.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { UsageError } from '../util/usage-error.ts';
import { type LocalAccess, OPEN_ACCESS } from './local-access.ts';

/** Where we listen unless `--port` says otherwise (contract §4), and how many ports after it are tried. */
const DEFAULT_PORT = 7410;
const PORTS_TRIED = 50;

/**
 * The store's revision at the start. An empty etcd is at 1; a cluster that has come up stands at some hundreds, and RVs of one or
 * two digits look like mistakes to whoever reads them.
 */
const INITIAL_REVISION = 1000;

/** What listening says of an address that is not ours, or a name that leads nowhere. */
const NO_SUCH_ADDRESS = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

export interface LocalServerOptions {
  clock: Clock;
  /** Real time: patience with slow watchers must not shrink where `clock` runs fast. */
  budgetClock: Clock;
  random: Random;
  cacheSize: number | 'auto';
  /** undefined: 7410 or the next free one; 0: any. Of several replicas the first one's; the others come after it. */
  port: number | undefined;
  /** How many apiservers, from 1 to MAX_REPLICAS (options.ts). Default 1. */
  replicas?: number;
  featureGates?: Partial<FeatureGates>;
  /** Where the apiservers listen and what they ask for; the control door stays on loopback. Default: OPEN_ACCESS. */
  access?: LocalAccess;
  /** undefined: nothing is compacted but by the control door. */
  compactEveryMs: number | undefined;
  progressNotifyMs: number;
  trace: TraceSink;
}

/** The embedded server of `kwatch local`: store, apiservers and control door, listening. */
export interface LocalServer {
  readonly store: MvccStore;
  /** The apiservers on that store. */
  readonly replicas: readonly [Replica, ...Replica[]];
  readonly access: LocalAccess;
  /** URL of the control door, with its path. */
  readonly control: string;
  /** Ports that would have been taken, had they not been in use. */
  readonly passedOver: readonly number[];
  /** Storage of a resource (`pods`, `deployments.apps`) for scripted writers: the store itself, past every apiserver. */
  writer(resource: string): ObjectStore;
  close(): Promise<void>;
}

/** Starts everything. Throws a UsageError where a port that was asked for is in use; nothing runs on then. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { clock, trace } = options;
  const store = new MvccStore({
    clock,
    trace,
    progressNotifyMs: options.progressNotifyMs,
    initialRevision: INITIAL_REVISION,
  });
  const passedOver: number[] = [];
  const replicas = await startReplicas(options, store, passedOver);
  const writer = (resource: Resource) => writerOf(resource, options, store);
  let door: ControlDoor;
  try {
    door = await startDoor(options, store, replicas, writer);
  } catch (error) {
    await Promise.all(replicas.map((replica) => replica.close()));
    throw error;
  }
  return {
    store,
    replicas,
    access: options.access ?? OPEN_ACCESS,
    control: door.url,
    passedOver,
    writer(name) {
      const resource = RESOURCES.find((one) => groupResource(one) === name);
      if (resource === undefined) throw new Error(`no such resource: ${name}`);
      return writer(resource);
    },
    async close() {
      await Promise.all([...replicas, door].map((one) => one.close()));
    },
  };
}

async function startReplicas(
  options: LocalServerOptions,
  store: MvccStore,
  passedOver: number[],
): Promise<[Replica, ...Replica[]]> {
  const {
    clock,
    budgetClock,
    random,
    cacheSize,
    trace,
    compactEveryMs,
    featureGates = {},
    access = OPEN_ACCESS,
  } = options;
  const started: Replica[] = [];
  const next = async (): Promise<Replica> => {
    const index = started.length;
    const wanted = options.port ? options.port + index : options.port;
    const first = index === 0 ? DEFAULT_PORT : (started.at(-1)?.port ?? 0) + 1;
    const common = {
      store,
      index,
      clock,
      budgetClock,
      random,
      cacheSize,
      compactEveryMs,
      featureGates,
      trace,
      onFault,
    };
    const replica = await onFreePort(wanted, first, (port) => startReplica({ ...common, ...access, port }), passedOver);
    started.push(replica);
    return replica;
  };
  try {
    const one = await next();
    for (let index = 1; index < (options.replicas ?? 1); index++) await next();
    return [one, ...started.slice(1)];
  } catch (error) {
    await Promise.all(started.map((replica) => replica.close()));
    throw error;
  }
}

function startDoor(
  { port, clock, random }: LocalServerOptions,
  store: MvccStore,
  replicas: readonly Replica[],
  writer: (resource: Resource) => ObjectStore,
): Promise<ControlDoor> {
  const verbs = {
    compact: compactVerb(store),
    ...replicaVerbs({ replicas, resources: RESOURCES, clock }),
    ...throttleVerbs(replicas),
    burst: burstVerb({ resources: RESOURCES, writer, clock, random }),
  };
  const state = async () => controlState(store, replicas);
  return onFreePort(port === undefined ? undefined : 0, (replicas.at(-1)?.port ?? 0) + 1, (free) =>
    startControlDoor({ port: free, clock, random, verbs, state, onFault }),
  );
}

function writerOf(resource: Resource, { clock, random, trace }: LocalServerOptions, store: MvccStore): ObjectStore {
  const { prefix, namespaced } = resource;
  if (prefix === undefined) throw new Error(`nothing is stored of ${groupResource(resource)}`);
  return new ObjectStore({
    store,
    clock,
    random,
    trace,
    resourcePrefix: prefix,
    namespaced,
    groupResource: groupResource(resource),
  });
}

function onFault(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** `port`, or where none was asked for the first free one from `first` on; those that were in use are added to `passedOver`. */
async function onFreePort<T>(
  port: number | undefined,
  first: number,
  listen: (port: number) => Promise<T>,
  passedOver: number[] = [],
): Promise<T> {
  const tries = port === undefined ? Array.from({ length: PORTS_TRIED }, (_, n) => first + n) : [port];
  for (const candidate of tries) {
    try {
      return await listen(candidate);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== undefined && NO_SUCH_ADDRESS.includes(code)) {
        throw new UsageError(`--host: this machine has no such address (${code})`);
      }
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      passedOver.push(candidate);
    }
  }
  const [one] = tries;
  if (tries.length === 1) throw new UsageError(`port ${one} is in use or not allowed; --port 0 takes any free one`);
  throw new UsageError(`ports ${one} to ${tries.at(-1)} are all in use; --port 0 takes any free one`);
}
