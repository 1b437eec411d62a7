import type { Cacher } from '../cacher/cacher.ts';
import { ApiError } from '../protocol/api-error.ts';
import { type Storage, StoreError } from '../store/storage.ts';
import { StoreLink } from '../store/store-link.ts';
import type { TraceSink } from '../store/trace.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from './apiserver.ts';
import type { FlowControl } from './flow-control.ts';
import { writeIdentityLease } from './identity-lease.ts';
import type { OpenWatches } from './open-watches.ts';
import { groupResource } from './resource.ts';
import { RESOURCES } from './resources.ts';

/** instance.go `IdentityLeaseRenewIntervalPeriod`, ms. */
const LEASE_RENEWAL_MS = 10_000;

/** Between two tries to start, ms; a kubelet waits some seconds longer each time. */
const START_AGAIN_MS = 1_000;

export interface ReplicaOptions extends Omit<ApiServerOptions, 'store' | 'storeOf' | 'metrics'> {
  /** The store itself; the replica reaches it over a link of its own. */
  store: Storage;
  /** Its number among the apiservers of one store, from 0. */
  index: number;
}

/** It is on its way out or up already. */
export class ReplicaBusyError extends Error {
  constructor(index: number, state: Replica['state']) {
    super(`apiserver ${index} is ${state} already`);
    this.name = 'ReplicaBusyError';
  }
}

/** One apiserver that can be cut off the store, restarted and killed. URL and port stay the same over its incarnations. */
export interface Replica {
  readonly url: string;
  readonly port: number;
  /** The watch caches of the present incarnation, by group resource; they are replaced by a restart. */
  readonly cachers: ReadonlyMap<string, Cacher>;
  /** Who watches the present incarnation. */
  readonly watches: OpenWatches;
  /** The switch that turns requests away; off again after a restart. */
  readonly flowControl: FlowControl;
  readonly state: 'serving' | 'shutting-down' | 'starting';
  /** What lies between it and the store. It outlives a restart: what is cut stays cut. */
  readonly link: StoreLink;
  /** Takes it off the store, with all its resources or one (`pods`, `deployments.apps`), until `restore`. */
  cut(resource?: string): void;
  /** As `cut`, but without a sign: nothing is refused, nothing arrives. */
  blackhole(resource?: string): void;
  /** Back on the line; without a resource, for all of them. It takes the apiserver until its next attempt to notice. */
  restore(resource?: string): void;
  /**
   * Orderly: open watches live on for up to 60 s (ApiServer.shutDown), then it starts anew with empty caches. Resolves when it
   * is ready. Rejects with ReplicaBusyError.
   */
  restart(): Promise<void>;
  /** Dies at once and starts anew. Rejects with ReplicaBusyError. */
  kill(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

/** Starts an apiserver on a link of its own. Rejects as `startApiServer`. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { store, clock, random } = options;
  const link = new StoreLink({ store, clock, random });
  const server = await start(options, link, options.port);
  return new RestartableReplica(options, link, server);
}

function start(options: ReplicaOptions, link: StoreLink, port: number): Promise<ApiServer> {
  const { trace, index } = options;
  return startApiServer({
    ...options,
    store: link,
    storeOf: (resource) => link.connection(resource),
    port,
    ...(trace && { trace: (event) => trace({ ...event, apiserver: index }) }),
  });
}

class RestartableReplica implements Replica {
  readonly link: StoreLink;
  readonly #options: ReplicaOptions;
  readonly #tell: TraceSink;
  #server: ApiServer;
  #state: Replica['state'] = 'serving';
  #closed = false;

  constructor(options: ReplicaOptions, link: StoreLink, server: ApiServer) {
    const { trace, index } = options;
    this.link = link;
    this.#options = options;
    this.#server = server;
    this.#tell = (event) => trace?.({ ...event, apiserver: index });
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  get cachers(): ReadonlyMap<string, Cacher> {
    return this.#server.cachers;
  }

  get watches(): OpenWatches {
    return this.#server.watches;
  }

  get flowControl(): FlowControl {
    return this.#server.flowControl;
  }

  get state(): Replica['state'] {
    return this.#state;
  }

  cut(resource?: string): void {
    this.#tell({ what: 'cut', at: this.#now(), how: 'cut', ...(resource && { resource }) });
    this.link.cut(resource);
  }

  blackhole(resource?: string): void {
    this.#tell({ what: 'cut', at: this.#now(), how: 'blackholed', ...(resource && { resource }) });
    this.link.blackhole(resource);
  }

  restore(resource?: string): void {
    this.#tell({ what: 'restore', at: this.#now(), ...(resource && { resource }) });
    this.link.restore(resource);
  }

  restart(): Promise<void> {
    return this.#cycle('orderly', () => this.#server.shutDown());
  }

  kill(): Promise<void> {
    return this.#cycle('killed', () => this.#server.kill());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.link.close();
    await this.#server.close();
  }

  async #cycle(how: 'orderly' | 'killed', end: () => Promise<void>): Promise<void> {
    if (this.#state !== 'serving') throw new ReplicaBusyError(this.#options.index, this.#state);
    this.#tell({ what: 'restart', at: this.#now(), how });
    this.#state = 'shutting-down';
    const since = this.#now();
    await end();
    this.#state = 'starting';
    const server = await this.#startAnew(since);
    if (server === undefined) return;
    this.#server = server;
    this.#state = 'serving';
    if (!this.#hasMissedRenewal(since)) await this.#signLease();
  }

  /**
   * An apiserver writes its Lease when it serves, so its caches begin before: who comes back at once with the last RV is not refused.
   * Where it was away for longer, renewals of a real cluster have moved the revision on meanwhile; one stands for them.
   */
  #hasMissedRenewal(awaySince: number): boolean {
    return this.#now() - awaySince >= LEASE_RENEWAL_MS;
  }

  /**
   * The next incarnation; undefined where it was closed for good meanwhile. A process that does not reach the store, or whose port
   * somebody took, does not begin to serve: it ends, and whoever supervises it starts it again.
   */
  async #startAnew(awaySince: number): Promise<ApiServer | undefined> {
    while (!this.#closed) {
      try {
        this.link.renew();
        await this.link.revision();
        if (this.#hasMissedRenewal(awaySince)) await this.#signLease();
        const server = await start(this.#options, this.link, this.port);
        if (!this.#closed) return server;
        await server.close();
      } catch (error) {
        if (!mayPass(error)) throw error;
        await this.#options.clock.sleep(START_AGAIN_MS);
      }
    }
    return undefined;
  }

  async #signLease(): Promise<void> {
    const { clock, random, index, resources = RESOURCES } = this.#options;
    const leases = resources.find(({ name }) => name === 'leases');
    if (leases === undefined || this.link.state(groupResource(leases)) !== 'connected') return;
    try {
      await writeIdentityLease({ store: this.link.connection(groupResource(leases)), leases, clock, random, index });
    } catch (error) {
      // Out of reach since a moment ago: whoever is to be kept from starting by that will see for himself.
      if (!mayPass(error)) throw error;
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

/** The store is away, or the port is taken: another try may find it otherwise. */
function mayPass(error: unknown): boolean {
  if (error instanceof StoreError || error instanceof ApiError) return true;
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
