import type { ResourceStorage } from '../store/resource-storage.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { changedObject, type LabResource, labObject, POD_PAD_BYTES } from './lab-object.ts';

/** Events that exist at most: a lab that is kept running must not grow (a cluster forgets them after an hour). */
const MAX_EVENTS = 200;
/** Objects of the other resources that writes without a name take in turn. */
const IN_TURN = 10;

export interface WorkloadOptions {
  /** Storage of a resource: the store itself, past every apiserver, so that writing goes on while one is cut off. */
  storage(resource: LabResource): ResourceStorage;
  clock: Clock;
  random: Random;
  namespace: string;
  /** How many pods there are. At least 1. */
  objects: number;
}

export interface WriteRequest {
  resource: LabResource;
  /** Absent: the next in turn. */
  name?: string;
  /** Bytes of padding; absent: as it has, and a new pod has 12 KiB. */
  size?: number;
  labels?: Readonly<Record<string, string>>;
}

/** Writes to the store as controllers and kubelets do, but scripted: each one revision. */
export class Workload {
  readonly #options: WorkloadOptions;
  readonly #storages = new Map<LabResource, ResourceStorage>();
  readonly #turns = new Map<LabResource, number>();
  /** What it has created, for deletions. */
  readonly #names = new Map<LabResource, Set<string>>();
  #writes = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
  }

  /** Creates the pods and one event. */
  async create(): Promise<void> {
    for (let index = 0; index < this.#options.objects; index++) {
      await this.write({ resource: 'pods', name: podName(index) });
    }
    await this.write({ resource: 'events' });
  }

  /** Changes an object, or creates it. */
  async write(request: WriteRequest): Promise<void> {
    const { clock } = this.#options;
    const { resource, labels } = request;
    const name = request.name ?? this.#next(resource);
    const nth = this.#writes++;
    await this.#storage(resource).guaranteedUpdate(this.#key(resource, name), { ignoreNotFound: true }, (current) => {
      const at = clock.now();
      const size = request.size ?? (current === undefined && resource === 'pods' ? POD_PAD_BYTES : undefined);
      const before = current?.object ?? labObject(resource, { ...this.#newborn(name), at });
      return changedObject(before, { nth, size, labels, at });
    });
    this.#known(resource).add(name);
  }

  /** Deletes one object by name, or so many of its own in the order of their names. Rejects with the store's ApiError. */
  async delete(resource: LabResource, which: { name: string } | { count: number }): Promise<void> {
    const known = this.#known(resource);
    const names = 'name' in which ? [which.name] : [...known].sort().slice(0, which.count);
    for (const name of names) {
      await this.#storage(resource).delete(this.#key(resource, name), () => {});
      known.delete(name);
    }
  }

  #next(resource: LabResource): string {
    const turn = this.#turns.get(resource) ?? 0;
    this.#turns.set(resource, turn + 1);
    const { objects } = this.#options;
    switch (resource) {
      case 'pods':
        return podName((turn + 1) % objects);
      case 'events': {
        const nth = turn % MAX_EVENTS;
        return `${podName(nth % objects)}.${nth.toString(16).padStart(4, '0')}`;
      }
      default:
        return `${resource.slice(0, -1)}-${turn % IN_TURN}`;
    }
  }

  #storage(resource: LabResource): ResourceStorage {
    const known = this.#storages.get(resource);
    if (known) return known;
    const made = this.#options.storage(resource);
    this.#storages.set(resource, made);
    return made;
  }

  #known(resource: LabResource): Set<string> {
    const known = this.#names.get(resource) ?? new Set();
    this.#names.set(resource, known);
    return known;
  }

  #key(resource: LabResource, name: string): string {
    return `/registry/${resource}/${this.#options.namespace}/${name}`;
  }

  #newborn(name: string) {
    const hex = (length: number) =>
      Array.from({ length }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    const uid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
    return { name, namespace: this.#options.namespace, uid };
  }
}

function podName(index: number): string {
  return `web-${String(index).padStart(2, '0')}`;
}
