import type { ControlVerb } from './control.ts';
import { checkParameters, replicaParameter, wholeParameter } from './control-verbs.ts';
import type { Replica } from './replica.ts';

/** Upstream's Retry-After goes from 1 to 32 s; longer ones come from what stands before an apiserver. */
const MAX_RETRY_AFTER_S = 3_600;
const MAX_THROTTLE_S = 86_400;

/**
 * The switch of priority and fairness: `throttle?apiserver=I&seconds=S&retry-after=N` turns every request away with the 429 of
 * a server that is too busy, for S seconds or until `unthrottle?apiserver=I`. Watches that are open and health checks go on.
 */
export function throttleVerbs(replicas: readonly Replica[]): Record<string, ControlVerb> {
  return {
    throttle: async (query) => {
      checkParameters(query, ['apiserver', 'seconds', 'retry-after']);
      const { index, replica } = replicaParameter(query, replicas);
      const seconds = wholeParameter(query, 'seconds', { least: 0, most: MAX_THROTTLE_S, missing: 0 });
      const retryAfterSeconds = wholeParameter(query, 'retry-after', { least: 1, most: MAX_RETRY_AFTER_S, missing: 1 });
      replica.flowControl.throttle({ retryAfterSeconds, forMs: seconds === 0 ? undefined : seconds * 1000 });
      return { apiserver: index, throttled: true, ...(seconds > 0 && { seconds }), retryAfterSeconds };
    },
    unthrottle: async (query) => {
      checkParameters(query, ['apiserver']);
      const { index, replica } = replicaParameter(query, replicas);
      replica.flowControl.unthrottle();
      return { apiserver: index, throttled: false };
    },
  };
}
