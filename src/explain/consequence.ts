import type { Client } from './client.ts';
import type { ExplainedClass, Harm } from './explain.ts';

/** What follows for the client that met the trouble, where its kind decides that rather than the cause. */
export interface Consequence {
  says: string;
  /** Where the client makes more of it than the cause alone would be. */
  harm?: Harm;
}

/** Ends and refusals that pass: what matters is whether the client tries again. */
const PASSING: readonly ExplainedClass[] = [
  'connection-lost',
  'silent-stall',
  'ambiguous-end',
  'server-timeout',
  'self-inflicted',
  'unreachable',
  'gateway-error',
  'apf-rejected',
  'watch-cache-not-ready',
  'malformed-stream',
  'apiserver-shutdown',
];

/** facts/client §§2 to 5; of fluentd's filter and KubeOps: their sources. */
const AFTER: Partial<Record<Client, string>> = {
  kubectl: 'kubectl does not reconnect: run the command again.',
  python: 'The Python client raises it, and the watch is over: your program has to start the next one.',
  kopf: 'Kopf watches again by itself, unless it says that the watcher has failed.',
  airflow: 'The scheduler of Airflow starts its watcher again by itself.',
  fabric8: 'fabric8 reconnects by itself with growing pauses, unless its caller set a limit.',
  java: 'The informers of the official Java client list and watch again by themselves.',
  javascript:
    'In @kubernetes/client-node an informer stops for good after an error like this: the program has to call start() again.',
  'kube-rs': 'kube-rs watches again by itself from its last RV, as long as the program goes on polling the stream.',
  dotnet: 'The watch has ended with it: the program has to start a new one (KubeOps does).',
  ruby: 'fluentd’s metadata filter starts again by itself; after a plain kubeclient watch your program has to.',
};

/** Kopf gives up this watcher; the process lives on and looks healthy (nolar/kopf, reactor). */
const KOPF_GAVE_UP = /Watcher for \S{1,300} has failed|Resource observer has failed|Root task .{1,80} is failed/;

/** Programs that say themselves that they do not go on. */
const GAVE_UP =
  /\bwill (?:stop|be stopped)\b|\bhalting\b|\b(?:giving|gave) up\b|\bwill not (?:retry|reconnect)\b|reflector failed, halting/i;

/** What the client does about trouble of this class; `told`: the words for the cause say so themselves, or nothing passes by itself. */
export function consequence(
  text: string,
  client: Client,
  found: ExplainedClass,
  told: boolean,
): Consequence | undefined {
  if (KOPF_GAVE_UP.test(text)) {
    return {
      harm: 'act',
      says: 'Kopf has given this watcher up and does not start it again, while the operator lives on: restart the operator, or update Kopf.',
    };
  }
  if (GAVE_UP.test(text) && PASSING.includes(found)) {
    return {
      harm: 'act',
      says: 'The program says itself that it does not go on (it will stop, gives up): nothing is watched any more until it is restarted.',
    };
  }
  const says = told ? undefined : AFTER[client];
  return says !== undefined && PASSING.includes(found) ? { says } : undefined;
}
