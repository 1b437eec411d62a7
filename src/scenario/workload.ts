import type { KubeObject } from '../protocol/object.ts';
import type { ResourceStorage } from '../store/resource-storage.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';

/** Bytes of padding in each pod: as large as a real pod with managedFields (design §5). */
const POD_PAD_BYTES = 12 * 1024;
/** Events that exist at most: a lab that is kept running must not grow (a cluster forgets them after an hour). */
const MAX_EVENTS = 200;
/** Bytes of padding drawn from few letters would compress; nothing here compresses, so plain repetition is enough. */
const PAD_LETTER = 'x';

export interface WorkloadOptions {
  pods: ResourceStorage;
  events: ResourceStorage;
  clock: Clock;
  random: Random;
  namespace: string;
  /** How many pods there are. At least 1. */
  objects: number;
}

/** How many writes, and how long they take in all (ms of the clock); 0: as fast as the store takes them. */
export interface Burst {
  count: number;
  durationMs: number;
}

/**
 * Writes to the store as controllers and kubelets do, but scripted: some pods that exist, one after the other changed.
 * It goes to the store and past the apiserver, so that writing goes on while an apiserver is cut off.
 */
export class Workload {
  readonly #options: WorkloadOptions;
  #changes = 0;
  #events = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
  }

  /** Creates the pods and one event. */
  async create(): Promise<void> {
    for (let index = 0; index < this.#options.objects; index++) {
      const name = podName(index);
      await this.#options.pods.create(this.#key('pods', name), this.#pod(name));
    }
    await this.writeEvent();
  }

  /** Changes the next pod in turn. One revision. */
  async changePod(): Promise<void> {
    const change = ++this.#changes;
    const name = podName(change % this.#options.objects);
    await this.#options.pods.guaranteedUpdate(this.#key('pods', name), {}, (current) => {
      const object = current?.object ?? this.#pod(name);
      const annotations = { ...object.metadata.annotations, 'lab.kwatch/change': String(change) };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
  }

  /** Writes one event about a pod, as kubelets do: a new one, or an old one counted up. One revision, without watch cache. */
  async writeEvent(): Promise<void> {
    const { namespace, clock } = this.#options;
    const nth = this.#events++ % MAX_EVENTS;
    const pod = podName(nth % this.#options.objects);
    const name = `${pod}.${nth.toString(16).padStart(4, '0')}`;
    const time = timestamp(clock.now());
    await this.#options.events.guaranteedUpdate(this.#key('events', name), { ignoreNotFound: true }, (current) => ({
      kind: 'Event',
      apiVersion: 'v1',
      metadata: current?.object.metadata ?? { name, namespace, uid: this.#uid(), creationTimestamp: time },
      involvedObject: { kind: 'Pod', namespace, name: pod, apiVersion: 'v1' },
      reason: 'Pulled',
      message: 'image is present',
      source: { component: 'lab' },
      firstTimestamp: current?.object.firstTimestamp ?? time,
      lastTimestamp: time,
      count: Number(current?.object.count ?? 0) + 1,
      type: 'Normal',
    }));
  }

  /** `burst.count` changes of pods, spread evenly; each is written at its own time, so a late one does not move the rest. */
  async burst(burst: Burst, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const start = clock.now();
    for (let index = 0; index < burst.count && !signal.aborted; index++) {
      const due = start + (burst.durationMs * index) / burst.count;
      const wait = due - clock.now();
      if (wait > 1) await clock.sleep(wait, signal);
      else if (index % BURST_TURN === 0) await clock.turn();
      if (!signal.aborted) await this.changePod();
    }
  }

  #key(resource: string, name: string): string {
    return `/registry/${resource}/${this.#options.namespace}/${name}`;
  }

  #uid(): string {
    const hex = (length: number) =>
      Array.from({ length }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  }

  #pod(name: string): KubeObject {
    const time = timestamp(this.#options.clock.now());
    return {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: this.#options.namespace,
        uid: this.#uid(),
        creationTimestamp: time,
        labels: { app: 'web' },
        annotations: { 'lab.kwatch/pad': PAD_LETTER.repeat(POD_PAD_BYTES) },
      },
      spec: {
        containers: [{ name: 'web', image: 'registry.example.io/web:1.0', resources: {} }],
        nodeName: 'node-a',
        restartPolicy: 'Always',
      },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
        podIP: '192.0.2.10',
        startTime: time,
        containerStatuses: [
          {
            name: 'web',
            ready: true,
            restartCount: 0,
            image: 'registry.example.io/web:1.0',
            state: { running: { startedAt: time } },
          },
        ],
      },
    };
  }
}

/**
 * While a burst runs as fast as it can, every so many writes give the sockets a turn of the event loop: in a cluster the
 * writers and the watchers do not share a thread.
 */
const BURST_TURN = 4;

/** RFC 3339 in whole seconds, as metadata has it. `at`: ms. */
function timestamp(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

function podName(index: number): string {
  return `web-${String(index).padStart(2, '0')}`;
}
