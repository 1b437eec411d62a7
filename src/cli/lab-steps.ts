import type { ScriptStep } from '../scenario/script.ts';
import { BURST_PER_SECOND, type WatcherName } from '../scenario/story.ts';
import type { WatcherControl } from '../scenario/story-runner.ts';
import type { Workload } from '../scenario/workload.ts';
import { UsageError } from '../util/usage-error.ts';
import type { LocalServer } from './local-server.ts';

/** What the lab's keys lay hands on. */
export interface LabHands {
  server: LocalServer;
  workload: Workload;
  /** Absent where the lab has no watchers of its own. */
  watchers?: WatcherControl;
  signal: AbortSignal;
}

/** Does one step that a lab key stands for. Rejects with the reason where it cannot be done. */
export async function performLabStep(step: ScriptStep, hands: LabHands): Promise<void> {
  const { server, workload, watchers, signal } = hands;
  switch (step.verb) {
    case 'burst':
      return workload.burst(
        { count: step.count, durationMs: step.withinMs ?? (step.count * 1000) / BURST_PER_SECOND },
        signal,
      );
    case 'compact':
      return server.store.compact(step.revision === 'head' ? await server.store.revision() : step.revision);
    case 'disconnect':
      return watchers?.leave(step.watcher as WatcherName);
    case 'resume':
      return watchers?.comeBack(step.watcher as WatcherName);
    case 'cut':
      return replicaOf(server, step.server).cut(resourceOf(step.resource));
    case 'restore':
      return replicaOf(server, step.server).restore(resourceOf(step.resource));
    case 'resize':
      replicaOf(server, step.server).cachers.get(step.resource)?.setRingCapacity(step.capacity);
      return;
    default:
      throw new UsageError(`no lab key does this: ${step.verb}`);
  }
}

function replicaOf({ replicas }: LocalServer, index = 0) {
  const replica = replicas[index];
  if (replica === undefined) throw new UsageError(`there is no apiserver ${index}`);
  return replica;
}

function resourceOf(resource: string): string | undefined {
  return resource === 'upstream' ? undefined : resource;
}
