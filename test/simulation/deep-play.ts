import type { Endpoint } from '../../src/client/endpoint.ts';
import { type Lane, type RequestHandler, undiciTransport } from '../../src/client/transport.ts';
import { planRequests } from '../../src/client/watch-request.ts';
import type { DeepFacts } from '../../src/probe/deep-facts.ts';
import { runDeep } from '../../src/probe/deep-run.ts';
import type { Clock, Timer } from '../../src/util/clock.ts';
import { Cluster } from './cluster.ts';
import { NetworkClock } from './network-clock.ts';
import type { Scenario } from './scenario.ts';
import { VirtualNetwork } from './virtual-network.ts';

const CONNECT_MS = 1;

/** A path with somebody on it. */
export interface Path {
  /** Ends a request after so much silence, ms. */
  idleMs?: number;
  /** Ends it at that age, ms. */
  ageMs?: number;
  /** Takes bookmarks out of the stream. */
  dropsBookmarks?: boolean;
}

export interface DeepPlan {
  resource: 'pods' | 'events';
  cacheSize: number | 'auto';
  writesPerSecond: number;
  /** Of the other resource: they move the store, and so the cache's RV. */
  othersPerSecond: number;
  progressNotifyMs: number;
  compactEveryMs?: number;
  metrics: boolean;
  forMs: number;
  path: Path;
  /** After so long, ms. */
  restartAtMs?: number;
}

/** Runs the deep half against an embedded apiserver, whole HTTP exchanges in virtual time. */
export async function playDeep(
  plan: DeepPlan,
): Promise<{ facts: DeepFacts | undefined; notes: string[]; mostOpen: number }> {
  let clock: NetworkClock | undefined;
  const network = new VirtualNetwork((connect) => clock?.timer(CONNECT_MS, connect));
  clock = new NetworkClock(network);
  const cluster = new Cluster(clock, scenarioOf(plan));
  try {
    await cluster.start();
    void cluster.burst(plan.resource, 1e6, plan.writesPerSecond);
    void cluster.burst(plan.resource === 'pods' ? 'events' : 'pods', 1e6, plan.othersPerSecond);
    await clock.advance(10_000);
    const server = cluster.servers[0]!;
    const transport = undiciTransport(plainEndpoint(network.balance(() => server.port)));
    const notes: string[] = [];
    const open = { now: 0, most: 0 };
    const running = runDeep({
      lane: () => guarded(transport.lane(), clock as NetworkClock, plan.path, open),
      headers: async (about, accept) => ({ accept, 'user-agent': `kwatch/test probe/${about}` }),
      plan: planRequests(0, { path: `/api/v1/${plan.resource}`, query: '', raw: false, start: 'list' }),
      namespaced: true,
      cached: plan.resource === 'pods',
      metrics: plan.metrics,
      clock,
      forMs: plan.forMs,
      note: (text) => notes.push(text),
    });
    if (plan.restartAtMs !== undefined) {
      await clock.advance(plan.restartAtMs);
      void server.restart();
    }
    const facts = await clock.until(running);
    await clock.until(cluster.close());
    return { facts, notes, mostOpen: open.most };
  } finally {
    network.close();
  }
}

function scenarioOf({ cacheSize, progressNotifyMs, compactEveryMs }: DeepPlan): Scenario {
  return {
    seed: 7,
    objects: 20,
    servers: 1,
    cacheSize,
    progressNotifyMs,
    padBytes: 20,
    ...(compactEveryMs === undefined ? {} : { compactEveryMs }),
  } as Scenario;
}

function plainEndpoint(port: number): Endpoint {
  const host = `127.0.0.1:${port}`;
  return { scheme: 'http', host, prefix: '', tls: {}, authorization: async () => undefined, title: host };
}

/** The lane as the path leaves it. */
function guarded(lane: Lane, clock: Clock, path: Path, open: { now: number; most: number }): Lane {
  open.now += 1;
  open.most = Math.max(open.most, open.now);
  let closed = false;
  return {
    open: (request, handler) => {
      const guard = new Guard(handler, clock, path, () => opened.close());
      const opened = lane.open(request, guard);
      return opened;
    },
    close: () => {
      if (!closed) open.now -= 1;
      closed = true;
      lane.close();
    },
  };
}

class Guard implements RequestHandler {
  readonly #handler: RequestHandler;
  readonly #clock: Clock;
  readonly #path: Path;
  readonly #cut: () => void;
  #idle: Timer | undefined;
  #age: Timer | undefined;
  #over = false;

  constructor(handler: RequestHandler, clock: Clock, path: Path, close: () => void) {
    this.#handler = handler;
    this.#clock = clock;
    this.#path = path;
    this.#cut = () => {
      if (this.#over) return;
      close();
      this.onEnd({ end: 'truncated', detail: 'the path closed it' });
    };
  }

  onWritten(): void {
    this.#handler.onWritten();
  }

  onHead(head: Parameters<RequestHandler['onHead']>[0]): void {
    if (this.#path.ageMs !== undefined) this.#age = this.#clock.timer(this.#path.ageMs, this.#cut);
    this.#heard();
    this.#handler.onHead(head);
  }

  onBytes(chunks: Uint8Array[]): void {
    const passed = this.#path.dropsBookmarks
      ? chunks.filter((chunk) => !new TextDecoder().decode(chunk).startsWith('{"type":"BOOKMARK"'))
      : chunks;
    this.#heard();
    if (passed.length > 0) this.#handler.onBytes(passed);
  }

  onEnd(end: Parameters<RequestHandler['onEnd']>[0]): void {
    this.#over = true;
    this.#idle?.cancel();
    this.#age?.cancel();
    this.#handler.onEnd(end);
  }

  #heard(): void {
    this.#idle?.cancel();
    if (this.#path.idleMs !== undefined) this.#idle = this.#clock.timer(this.#path.idleMs, this.#cut);
  }
}
