import type { KubeObject } from '../protocol/object.ts';
import type { Query } from '../protocol/query.ts';
import type { ResourceStorage } from '../store/resource-storage.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { ControlRefusal, type ControlVerb } from './control.ts';
import { checkParameters, quoted, resourceParameter, single, wholeParameter } from './control-verbs.ts';
import { timestamp } from './registry.ts';
import { apiVersionOf, type Resource, storageKey } from './resource.ts';
import { uuid } from './uuid.ts';

/** Objects that a burst writes in turns: enough that no two neighbours are one object's, few enough to look at. */
const OBJECTS = 10;

/** Bounds of a burst: writes, writes a second, bytes of padding (an object of etcd ends at 1.5 MiB), and how long it may last, s. */
const MAX_COUNT = 100_000;
const MAX_RATE = 100_000;
const MAX_SIZE = 1_048_576;
const MAX_SECONDS = 600;

const DEFAULTS = { resource: 'configmaps', count: 100, rate: 0, size: 0, namespace: 'default' } as const;

/** A DNS label, as the names of namespaces are. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export interface BurstOptions {
  resources: readonly Resource[];
  /** Where the writes go: the store itself, past every apiserver, so that they go on while these are cut off. */
  writer(resource: Resource): ResourceStorage;
  clock: Clock;
  random: Random;
}

interface Burst {
  resource: Resource;
  count: number;
  /** Writes a second; 0: as fast as the store takes them. */
  rate: number;
  size: number;
  namespace: string | undefined;
}

/** `burst?resource=&count=&rate=&size=&namespace=`: writes of one resource, one after the other. Ends early when `signal` does. */
export function burstVerb(options: BurstOptions): ControlVerb {
  let written = 0;
  return async (query, signal) => {
    const burst = burstOf(query, options.resources);
    await checkNamespace(options, burst);
    return write(options, burst, signal, () => ++written);
  };
}

function burstOf(query: Query, resources: readonly Resource[]): Burst {
  checkParameters(query, ['resource', 'count', 'rate', 'size', 'namespace']);
  const fallback = resources.find(({ name }) => name === DEFAULTS.resource);
  const resource = resourceParameter(query, resources) ?? fallback;
  if (resource === undefined) throw new ControlRefusal(400, 'resource is missing');
  const count = wholeParameter(query, 'count', { least: 1, most: MAX_COUNT, missing: DEFAULTS.count });
  const rate = wholeParameter(query, 'rate', { least: 0, most: MAX_RATE, missing: DEFAULTS.rate });
  const size = wholeParameter(query, 'size', { least: 0, most: MAX_SIZE, missing: DEFAULTS.size });
  if (rate > 0 && count / rate > MAX_SECONDS) {
    throw new ControlRefusal(400, `${count} writes at ${rate} a second take longer than ${MAX_SECONDS} s`);
  }
  const named = single(query, 'namespace') ?? DEFAULTS.namespace;
  if (!NAMESPACE.test(named)) throw new ControlRefusal(400, `${quoted(named)} is no name of a namespace`);
  return { resource, count, rate, size, namespace: resource.namespaced ? named : undefined };
}

/** The store would take any key; an object in a namespace that is not there could not be taken away by its API any more. */
async function checkNamespace({ resources, writer }: BurstOptions, { namespace }: Burst): Promise<void> {
  const namespaces = resources.find(({ name }) => name === 'namespaces');
  if (namespace === undefined || namespaces === undefined) return;
  const key = storageKey(namespaces, undefined, namespace);
  try {
    await writer(namespaces).get(key, { resourceVersion: '' });
  } catch {
    throw new ControlRefusal(404, `there is no namespace ${quoted(namespace)}`);
  }
}

/** `serial`: another number each time, over all bursts. */
async function write(options: BurstOptions, burst: Burst, signal: AbortSignal, serial: () => number): Promise<object> {
  const { clock } = options;
  const { resource, namespace, count, rate } = burst;
  const storage = options.writer(resource);
  const since = clock.now();
  const rvs: number[] = [];
  let writes = 0;
  for (; writes < count && !signal.aborted; writes++) {
    // A writer has a socket in life: everybody else gets a turn between two of its writes.
    const ahead = rate === 0 ? 0 : since + (writes * 1000) / rate - clock.now();
    if (ahead > 0) await clock.sleep(ahead, signal);
    else await clock.turn();
    const name = `burst-${writes % OBJECTS}`;
    const { rv } = await storage.guaranteedUpdate(
      storageKey(resource, namespace, name),
      { ignoreNotFound: true },
      (now) => changed(now?.object ?? fresh(options, burst, name), serial(), burst.size),
    );
    rvs[Math.min(writes, 1)] = rv;
  }
  return { writes, firstRv: rvs[0], lastRv: rvs.at(-1), tookMs: Math.round(clock.now() - since) };
}

function fresh({ clock, random }: BurstOptions, { resource, namespace }: Burst, name: string): KubeObject {
  const metadata = {
    name,
    ...(namespace && { namespace }),
    uid: uuid(random),
    creationTimestamp: timestamp(clock.now()),
  };
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
}

/** A write that changes nothing would be none, so each carries its own number. */
function changed(object: KubeObject, write: number, size: number): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const annotations = { ...metadata.annotations, 'kwatch/write': String(write), 'kwatch/padding': 'x'.repeat(size) };
  return { ...object, metadata: { ...metadata, annotations } };
}
