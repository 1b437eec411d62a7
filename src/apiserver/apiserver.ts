import { ApiError } from '../protocol/api-error.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { Storage } from '../store/storage.ts';
import type { TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';
import { Metrics } from '../util/metrics.ts';
import type { Random } from '../util/random.ts';
import type { Exchange } from './exchange.ts';
import { listen } from './listener.ts';
import type { Served } from './registry.ts';
import { createObject } from './registry-create.ts';
import { handleRequest } from './request-handler.ts';
import { groupResource, type Resource } from './resource.ts';
import { RESOURCES } from './resources.ts';
import type { FeatureGates, Serving } from './serving.ts';
import { uuid } from './uuid.ts';
import { SharedLines } from './watch-events.ts';

export interface ApiServerOptions {
  store: Storage;
  clock: Clock;
  random: Random;
  /** Events in each watch cache's ring; `auto`: upstream's rule (facts/server §3.3). A number pins it. */
  cacheSize: number | 'auto';
  resources?: readonly Resource[];
  featureGates?: Partial<FeatureGates>;
  /** 0: any free port. */
  port: number;
  trace?: TraceSink;
  metrics?: Metrics;
  /** A fault of this program, met while a request was answered. Without it, a warning of the process. */
  onFault?(error: unknown): void;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** Ends all requests and watches, and stops the caches. */
  close(): Promise<void>;
}

/** Namespaces that every cluster has from its start (controlplane systemnamespaces). */
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Starts one apiserver on a store. Rejects where the port is in use or the store cannot be read. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const serving = servingOf(options);
  await createSystemNamespaces(serving);
  const headers = flowControlHeaders(options.random);
  const listener = await listen({
    port: options.port,
    clock: options.clock,
    random: options.random,
    onRequest: (exchange, expire) => {
      setCommonHeaders(exchange, headers);
      return handleRequest(serving, exchange, expire);
    },
    onFault: options.onFault ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  });
  return { url: listener.url, port: listener.port, close: () => listener.close() };
}

function servingOf(options: ApiServerOptions): Serving {
  const { clock, random, store, trace } = options;
  const metrics = options.metrics ?? new Metrics();
  const resources = options.resources ?? RESOURCES;
  const all = new Map<Resource, Served>();
  for (const resource of resources) {
    if (resource.prefix === undefined) continue;
    const storage = new ObjectStore({
      store,
      clock,
      random,
      resourcePrefix: resource.prefix,
      namespaced: resource.namespaced,
      groupResource: groupResource(resource),
      metrics,
      ...(trace === undefined ? {} : { trace }),
    });
    all.set(resource, { resource, storage });
  }
  const namespaces = [...all.values()].find(({ resource }) => resource.name === 'namespaces');
  if (namespaces === undefined) throw new Error('the table of resources has no namespaces');
  return {
    clock,
    random,
    namespaces,
    resources,
    served: (resource) => all.get(resource),
    featureGates: { watchList: false, ...options.featureGates },
    metrics,
    lines: new SharedLines(),
    trace,
    startedAt: clock.now(),
    ready: () => true,
  };
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

/** uids of the flow schema and priority level that every request here falls under: there is one of each. */
function flowControlHeaders(random: Random): Record<string, string> {
  return {
    'X-Kubernetes-Pf-Flowschema-Uid': uuid(random),
    'X-Kubernetes-Pf-Prioritylevel-Uid': uuid(random),
  };
}

function setCommonHeaders({ response, auditId }: Exchange, more: Readonly<Record<string, string>>): void {
  response.setHeader('Audit-Id', auditId);
  response.setHeader('Cache-Control', 'no-cache, private');
  for (const [name, value] of Object.entries(more)) response.setHeader(name, value);
}
