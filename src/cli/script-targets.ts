import type { Endpoint } from '../client/endpoint.ts';
import { collectionPath, resolveResource } from '../client/resource-name.ts';
import type { StartAt, TargetSpec } from '../client/run.ts';
import type { ListStep, Script, WatchStep } from '../scenario/script.ts';

/** Where scripts write: `kubectl get pods` finds it without `-n`. */
export const LAB_NAMESPACE = 'default';

/** The watchers and the lists that a script names, in its order: watchers first, as they are the targets of the run. */
export interface Cast {
  watchers: readonly WatchStep[];
  lists: readonly ListStep[];
}

export function castOf(script: Script): Cast {
  return {
    watchers: script.steps.filter((step): step is WatchStep => step.verb === 'watch'),
    lists: script.steps.filter((step): step is ListStep => step.verb === 'list'),
  };
}

/** A watcher as a target of a run: it sends nothing before its step. `endpoints`: of the apiservers, by index. */
export function targetOf(step: WatchStep, endpoints: readonly Endpoint[]): TargetSpec {
  const { resource, rv = 'list', server = 0 } = step;
  const query = new URLSearchParams();
  if (step.labelSelector) query.set('labelSelector', step.labelSelector);
  if (step.fieldSelector) query.set('fieldSelector', step.fieldSelector);
  if (step.timeoutSeconds) query.set('timeoutSeconds', String(step.timeoutSeconds));
  const endpoint = server === 0 ? undefined : endpoints[server];
  return {
    path: pathOf(resource),
    query: query.toString(),
    raw: false,
    start: isWord(rv) ? rv : { rv },
    held: true,
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

function isWord(rv: string): rv is Extract<StartAt, string> {
  return rv === 'list' || rv === 'now' || rv === 'unset';
}

/** Path and query of a LIST. `rv`: what `rvOf` stands for. */
export function listPathOf(step: ListStep, rv: string | undefined): string {
  const query = new URLSearchParams();
  query.set('limit', String(step.limit ?? 0));
  if (rv !== undefined) query.set('resourceVersion', rv);
  if (step.match) query.set('resourceVersionMatch', step.match);
  return `${pathOf(step.resource)}?${query}`;
}

export function pathOf(resource: string): string {
  return collectionPath(resolveResource(resource), LAB_NAMESPACE);
}
