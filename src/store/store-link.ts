import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import type { WatchRequest } from './linked-watch.ts';
import type {
  Cancellable,
  RangeRequest,
  RangeResult,
  Revision,
  Storage,
  WatchResponse,
  WriteResult,
} from './storage.ts';
import { StoreConnection, type Wire } from './store-connection.ts';
import type { CompactReason } from './trace.ts';

/** How one resource, or all of them, are joined to the store. */
export type LinkState = 'connected' | 'cut' | 'blackholed';

export interface StoreLinkOptions {
  store: Storage;
  clock: Clock;
  random: Random;
}

/**
 * What lies between one apiserver and the store: a connection a resource, as an apiserver has, and one more for what belongs to
 * no resource. The whole of it can be cut or blackholed, or one resource's; a cut of the whole is stronger. It outlives the
 * apiserver: what was cut stays cut when that is started anew.
 */
export class StoreLink implements Storage {
  readonly #options: StoreLinkOptions;
  readonly #connections = new Map<string, StoreConnection>();
  readonly #cutOff = new Map<string, LinkState>();
  #whole: LinkState = 'connected';

  constructor(options: StoreLinkOptions) {
    this.#options = options;
  }

  /** The client of one resource (`pods`, `deployments.apps`), as its storage uses it. Always the same one. */
  connection(resource: string): StoreConnection {
    const known = this.#connections.get(resource);
    if (known !== undefined) return known;
    const made = new StoreConnection(this.#options);
    this.#connections.set(resource, made);
    made.set(this.#wireOf(resource));
    return made;
  }

  /** Of one resource, or of the whole. */
  state(resource?: string): LinkState {
    if (this.#whole !== 'connected' || resource === undefined) return this.#whole;
    return this.#cutOff.get(resource) ?? 'connected';
  }

  /** Resources that are not connected although the whole is. */
  exceptions(): ReadonlyMap<string, LinkState> {
    return this.#cutOff;
  }

  cut(resource?: string): void {
    this.#set('cut', resource);
  }

  blackhole(resource?: string): void {
    this.#set('blackholed', resource);
  }

  /** Without a resource: everything is as it was. */
  restore(resource?: string): void {
    if (resource === undefined) this.#cutOff.clear();
    this.#set('connected', resource);
  }

  /** The process at this end is a new one: its clients dial as if for the first time. */
  renew(): void {
    for (const connection of this.#connections.values()) connection.renew();
  }

  /** For good: nobody waits for the store any longer. */
  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  revision(options?: Cancellable): Promise<Revision> {
    return this.#own.revision(options);
  }

  range(request: RangeRequest): Promise<RangeResult> {
    return this.#own.range(request);
  }

  put(key: string, value: Uint8Array, expect?: Revision, options?: Cancellable): Promise<WriteResult> {
    return this.#own.put(key, value, expect, options);
  }

  delete(key: string, expect?: Revision, options?: Cancellable): Promise<WriteResult> {
    return this.#own.delete(key, expect, options);
  }

  watch(request: WatchRequest): AsyncIterable<WatchResponse> {
    return this.#own.watch(request);
  }

  compact(revision: Revision, why?: CompactReason): Promise<void> {
    return this.#own.compact(revision, why);
  }

  /** The connection of what belongs to no resource: health, the compactor. */
  get #own(): StoreConnection {
    return this.connection('');
  }

  #set(state: LinkState, resource: string | undefined): void {
    if (resource === undefined) this.#whole = state;
    else if (state === 'connected') this.#cutOff.delete(resource);
    else this.#cutOff.set(resource, state);
    for (const [name, connection] of this.#connections) connection.set(this.#wireOf(name));
  }

  #wireOf(resource: string): Wire {
    const state = this.state(resource);
    if (state === 'connected') return 'connected';
    if (state === 'blackholed') return 'silent';
    return this.#whole === 'cut' ? 'refused' : 'reset';
  }
}
