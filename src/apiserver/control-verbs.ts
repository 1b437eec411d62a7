import type { Query } from '../protocol/query.ts';
import type { Clock } from '../util/clock.ts';
import { ControlRefusal, type ControlVerb } from './control.ts';
import { type Replica, ReplicaBusyError } from './replica.ts';
import { groupResource, type Resource } from './resource.ts';

/**
 * How long a restart may take until the answer is that it is not ready, ms: the 60 s that open watches live on, and as much again
 * for a start. It goes on trying all the same.
 */
const RESTART_PATIENCE_MS = 120_000;

export interface ReplicaVerbsOptions {
  replicas: readonly Replica[];
  resources: readonly Resource[];
  clock: Clock;
}

/** The verbs of the control door that are about one apiserver (contract §4); `apiserver=I`, 0 where it is not given. */
export function replicaVerbs(options: ReplicaVerbsOptions): Record<string, ControlVerb> {
  const { replicas } = options;
  return {
    cut: linkVerb(options, (replica, resource) => replica.cut(resource)),
    blackhole: linkVerb(options, (replica, resource) => replica.blackhole(resource)),
    restore: linkVerb(options, (replica, resource) => replica.restore(resource)),
    'restart-apiserver': (query) => cycle(options, onlyReplica(query, replicas), (replica) => replica.restart()),
    'kill-apiserver': (query) => cycle(options, onlyReplica(query, replicas), (replica) => replica.kill()),
  };
}

/** The one value of a parameter; undefined where it is not given. Throws ControlRefusal for two of them. */
export function single(query: Query, name: string): string | undefined {
  const values = query.get(name);
  if (values !== undefined && values.length > 1)
    throw new ControlRefusal(400, `${name} is given ${values.length} times`);
  return values?.[0];
}

/** Refuses what would otherwise be ignored in silence: a misspelt parameter. */
export function checkParameters(query: Query, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (!known.includes(name))
      throw new ControlRefusal(400, `no parameter ${quoted(name)} here; there are: ${known.join(', ')}`);
  }
}

/** A whole number from `least` to `most`; `missing` where it is not given. Throws ControlRefusal. */
export function wholeParameter(
  query: Query,
  name: string,
  { least, most, missing }: { least: number; most: number; missing: number },
): number {
  const text = single(query, name);
  if (text === undefined) return missing;
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
  throw new ControlRefusal(400, `${name} must be a whole number from ${least} to ${most}, not ${quoted(text)}`);
}

/** The type that `resource=` names, as `pods` or `deployments.apps`. Throws ControlRefusal. */
export function resourceParameter(query: Query, resources: readonly Resource[]): Resource | undefined {
  const name = single(query, 'resource');
  if (name === undefined) return undefined;
  const stored = resources.filter(({ prefix }) => prefix !== undefined);
  const found = stored.find((one) => one.name === name || groupResource(one) === name);
  if (found !== undefined) return found;
  throw new ControlRefusal(400, `no resource ${quoted(name)}; there are: ${stored.map(groupResource).join(', ')}`);
}

/** What a stranger wrote, short and in one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function linkVerb(
  { replicas, resources }: ReplicaVerbsOptions,
  act: (replica: Replica, resource: string | undefined) => void,
): ControlVerb {
  return async (query) => {
    checkParameters(query, ['apiserver', 'resource']);
    const { index, replica } = replicaParameter(query, replicas);
    const resource = resourceParameter(query, resources);
    const name = resource && groupResource(resource);
    act(replica, name);
    return { apiserver: index, ...(name && { resource: name }), link: replica.link.state(name) };
  };
}

interface Numbered {
  index: number;
  replica: Replica;
}

function onlyReplica(query: Query, replicas: readonly Replica[]): Numbered {
  checkParameters(query, ['apiserver']);
  return replicaParameter(query, replicas);
}

/** The apiserver that `apiserver=` names. Throws ControlRefusal. */
export function replicaParameter(query: Query, replicas: readonly Replica[]): Numbered {
  const index = wholeParameter(query, 'apiserver', { least: 0, most: replicas.length - 1, missing: 0 });
  return { index, replica: replicas[index] as Replica };
}

async function cycle(
  { clock }: ReplicaVerbsOptions,
  { index, replica }: Numbered,
  act: (replica: Replica) => Promise<void>,
): Promise<object> {
  const since = clock.now();
  const patience = new AbortController();
  const done = act(replica).then(() => true);
  const tooLate = clock.sleep(RESTART_PATIENCE_MS, patience.signal).then(() => false);
  try {
    if (!(await Promise.race([done, tooLate]))) throw new ControlRefusal(409, notReady(index, replica));
  } catch (error) {
    throw error instanceof ReplicaBusyError ? new ControlRefusal(409, error.message) : error;
  } finally {
    patience.abort();
  }
  return { apiserver: index, url: replica.url, tookMs: Math.round(clock.now() - since) };
}

function notReady(index: number, replica: Replica): string {
  const link = replica.link.state();
  const why = link === 'connected' ? '' : `; its link to the store is ${link}`;
  return `apiserver ${index} is not ready after ${RESTART_PATIENCE_MS / 1000} s${why}; it goes on trying`;
}
