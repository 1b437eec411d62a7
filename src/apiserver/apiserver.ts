import { setMaxListeners } from 'node:events';
import type { Cacher } from '../cacher/cacher.ts';
import { ApiError } from '../protocol/api-error.ts';
import { Compactor } from '../store/compactor.ts';
import type { Storage } from '../store/storage.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import { Metrics } from '../util/metrics.ts';
import type { Random } from '../util/random.ts';
import { Authentication } from './authentication.ts';
import type { Exchange } from './exchange.ts';
import { FlowControl } from './flow-control.ts';
import { listen } from './listener.ts';
import { OpenWatches } from './open-watches.ts';
import { createObject } from './registry-create.ts';
import { handleRequest } from './request-handler.ts';
import type { Resource } from './resource.ts';
import { resourceStorages } from './resource-storages.ts';
import { RESOURCES } from './resources.ts';
import type { ServingCertificate } from './self-signed-certificate.ts';
import type { FeatureGates, Serving } from './serving.ts';
import { SharedLines } from './watch-events.ts';

export interface ApiServerOptions {
  store: Storage;
  /** The store as one resource's storage reaches it (`pods`, `deployments.apps`). Default: `store` for all. */
  storeOf?(resource: string): Storage;
  clock: Clock;
  /** Real time, where `clock` runs faster: patience with slow watchers must not shrink with it. Default: `clock`. */
  budgetClock?: Clock;
  random: Random;
  /** Events in each watch cache's ring; `auto`: upstream's rule (facts/server §3.3). A number pins it. */
  cacheSize: number | 'auto';
  resources?: readonly Resource[];
  featureGates?: Partial<FeatureGates>;
  /** `--etcd-compaction-interval`, ms; undefined: it does not compact. Of several apiservers one wins each round. */
  compactEveryMs?: number | undefined;
  /** 0: any free port. */
  port: number;
  /** Address or name to listen on; default: 127.0.0.1. */
  host?: string | undefined;
  /** With it, HTTPS alone is spoken. */
  certificate?: ServingCertificate | undefined;
  /** With it, every request has to bring this bearer token. */
  token?: string | undefined;
  trace?: TraceSink;
  metrics?: Metrics;
  /** A fault of this program, met while a request was answered. Without it, a warning of the process. */
  onFault?(error: unknown): void;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** The watch caches, by group resource (`pods`, `deployments.apps`). */
  readonly cachers: ReadonlyMap<string, Cacher>;
  /** Who watches now. */
  readonly watches: OpenWatches;
  /** The switch that turns requests away. */
  readonly flowControl: FlowControl;
  /**
   * What SIGTERM does with default flags (facts/server §5.4): `/readyz` fails, no new connection; requests are finished and open
   * watches live on, for 60 s at most; then these end properly. Resolves when nothing of it is left.
   */
  shutDown(): Promise<void>;
  /** What SIGKILL does: connections break off in the middle. */
  kill(): Promise<void>;
  /** Ends all requests and watches properly and at once, and stops the caches. */
  close(): Promise<void>;
}

/** genericapiserver `ShutdownTimeout`, which is `--request-timeout`: how long a shutdown waits for requests, ms. */
const SHUTDOWN_TIMEOUT_MS = 60_000;

/** Namespaces that every cluster has from its start (controlplane systemnamespaces). */
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Pause before they are tried again, ms (systemnamespaces.Controller `interval`). */
const NAMESPACES_RETRY_MS = 60_000;

/** Turns of the event loop that the caches get to be filled before `startApiServer` is done; the embedded store needs few. */
const START_TURNS = 1_000;

/**
 * Starts one apiserver on a store. Resolves when it listens and its caches are filled; a cache that takes longer, since its
 * resource is out of reach, fills later, and who watches it waits (1.30's `/readyz` does not look at caches). Rejects where
 * the port is in use; nothing runs on then.
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, random } = options;
  const metrics = options.metrics ?? new Metrics();
  const onFault = options.onFault ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error)));
  const phase = { started: false, stopping: false };
  const { serving, cachers } = build({ ...options, metrics }, phase);
  const listener = await listen({
    port: options.port,
    host: options.host,
    certificate: options.certificate,
    clock,
    random,
    onRequest: (exchange, expire) => {
      setCommonHeaders(exchange);
      return handleRequest(serving, exchange, expire);
    },
    onFault,
  });
  const over = new AbortController();
  // One listener a cache: as many as there are types, so no leak.
  setMaxListeners(0, over.signal);
  for (const cacher of cachers.values()) void cacher.start(over.signal).catch(onFault);
  if (options.compactEveryMs !== undefined) {
    void new Compactor({ store: options.store, clock, everyMs: options.compactEveryMs })
      .run(over.signal)
      .catch(onFault);
  }
  const close = async () => {
    over.abort();
    serving.flowControl.unthrottle();
    await listener.close();
  };
  const shutDown = async () => {
    phase.stopping = true;
    const drained = new AbortController();
    const rest = clock.sleep(SHUTDOWN_TIMEOUT_MS, drained.signal);
    await Promise.race([listener.drain(), rest]);
    drained.abort();
    await close();
  };
  const kill = async () => {
    await listener.kill();
    serving.flowControl.unthrottle();
    over.abort();
  };
  let hasNamespaces = false;
  const namespaces = keepSystemNamespaces(serving, over.signal).then(() => {
    hasNamespaces = true;
  });
  void namespaces.catch(onFault);
  const filled = () => [...cachers.values()].every((cacher) => cacher.ready);
  for (let turns = 0; turns < START_TURNS && !(hasNamespaces && filled()); turns++) await clock.turn();
  phase.started = true;
  return {
    url: listener.url,
    port: listener.port,
    cachers,
    watches: serving.watches,
    flowControl: serving.flowControl,
    shutDown,
    kill,
    close,
  };
}

function build(
  options: ApiServerOptions & { metrics: Metrics },
  phase: { readonly started: boolean; readonly stopping: boolean },
) {
  const { clock, random, metrics } = options;
  const resources = options.resources ?? RESOURCES;
  const { served, cachers } = resourceStorages(resources, options);
  const namespaces = [...served.values()].find(({ resource }) => resource.name === 'namespaces');
  if (namespaces === undefined) throw new Error('the table of resources has no namespaces');
  const serving: Serving = {
    clock,
    random,
    namespaces,
    resources,
    served: (resource) => served.get(resource),
    featureGates: { watchList: false, ...options.featureGates },
    metrics,
    lines: new SharedLines(),
    flowControl: new FlowControl(clock, random),
    authentication: options.token === undefined ? undefined : new Authentication(options.token),
    watches: new OpenWatches(),
    trace: options.trace,
    startedAt: clock.now(),
    ready: () => phase.started,
    storeRevision: () => options.store.revision(),
    stopping: () => phase.stopping,
  };
  return { serving, cachers };
}

/** Until they are there; a store that is out of reach is asked again. */
async function keepSystemNamespaces(serving: Serving, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await createSystemNamespaces(serving);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await serving.clock.sleep(NAMESPACES_RETRY_MS, signal);
    }
  }
}

async function createSystemNamespaces(serving: Serving): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    try {
      await createObject(serving, { served: serving.namespaces, namespace: undefined, name }, namespaceNamed(name));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
    }
  }
}

function namespaceNamed(name: string) {
  const labels = { 'kubernetes.io/metadata.name': name };
  return { kind: 'Namespace', apiVersion: 'v1', metadata: { name, labels }, spec: {} };
}

function setCommonHeaders({ response, auditId }: Exchange): void {
  response.setHeader('Audit-Id', auditId);
  response.setHeader('Cache-Control', 'no-cache, private');
}
