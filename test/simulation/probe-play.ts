import type { Replica } from '../../src/apiserver/replica.ts';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { type Lane, type RequestHandler, undiciTransport } from '../../src/client/transport.ts';
import { planRequests } from '../../src/client/watch-request.ts';
import type { Asker } from '../../src/probe/ask.ts';
import type { CheckOutcome } from '../../src/probe/check.ts';
import type { DeepFacts } from '../../src/probe/deep-facts.ts';
import { runDeep } from '../../src/probe/deep-run.ts';
import type { Measured } from '../../src/probe/measured.ts';
import { runQuick } from '../../src/probe/quick-run.ts';
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
  /** Holds headers back until the first byte of the body. */
  holdsHeaders?: boolean;
  /** Adds them to each answer. */
  headers?: Record<string, string>;
  /** Refuses these paths with 403. */
  forbids?: RegExp;
}

export interface ProbePlan {
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
  /** Apiservers behind one address, each new connection to the next. Default 1. */
  servers?: number;
  /** After so long, ms. */
  restartAtMs?: number;
}

/** What a probe meets: an embedded apiserver, whole HTTP exchanges, in virtual time. */
interface Met {
  asker: Asker;
  clock: NetworkClock;
  /** Connections at the same time, at most. */
  mostOpen(): number;
}

/** Runs the deep half. */
export function playDeep(
  plan: ProbePlan,
): Promise<{ facts: DeepFacts | undefined; notes: string[]; mostOpen: number }> {
  return meet(plan, async ({ asker, clock, mostOpen }, server) => {
    const notes: string[] = [];
    const running = runDeep({
      ...asker,
      cached: plan.resource === 'pods',
      metrics: plan.metrics,
      forMs: plan.forMs,
      note: (text) => notes.push(text),
    });
    if (plan.restartAtMs !== undefined) {
      await clock.advance(plan.restartAtMs);
      void server.restart();
    }
    return { facts: await clock.until(running), notes, mostOpen: mostOpen() };
  });
}

/** Runs the quick half. */
export function playQuick(
  plan: ProbePlan,
): Promise<{ measured: Measured | undefined; outcomes: CheckOutcome[]; tookMs: number }> {
  return meet(plan, async ({ asker, clock }) => {
    const outcomes: CheckOutcome[] = [];
    const start = clock.now();
    const measured = await clock.until(runQuick(asker, (outcome) => outcomes.push(outcome)));
    return { measured, outcomes, tookMs: clock.now() - start };
  });
}

async function meet<T>(plan: ProbePlan, act: (met: Met, server: Replica) => Promise<T>): Promise<T> {
  let clock: NetworkClock | undefined;
  const network = new VirtualNetwork((connect) => clock?.timer(CONNECT_MS, connect));
  clock = new NetworkClock(network);
  const cluster = new Cluster(clock, scenarioOf(plan));
  try {
    await cluster.start();
    void cluster.burst(plan.resource, 1e6, plan.writesPerSecond);
    void cluster.burst(plan.resource === 'pods' ? 'events' : 'pods', 1e6, plan.othersPerSecond);
    await clock.advance(10_000);
    let turn = 0;
    const port = network.balance(() => cluster.servers[turn++ % cluster.servers.length]?.port);
    const transport = undiciTransport(plainEndpoint(port));
    const open = { now: 0, most: 0 };
    const asker: Asker = {
      lane: () => guarded(transport.lane(), clock as NetworkClock, plan.path, open),
      headers: async (about, accept) => ({ accept, 'user-agent': `kwatch/test probe/${about}` }),
      plan: planRequests(0, { path: `/api/v1/${plan.resource}`, query: '', raw: false, start: 'list' }),
      namespaced: true,
      clock,
    };
    const told = await act({ asker, clock, mostOpen: () => open.most }, cluster.servers[0] as Replica);
    await clock.until(cluster.close());
    return told;
  } finally {
    network.close();
  }
}

function scenarioOf({ cacheSize, progressNotifyMs, compactEveryMs, servers = 1 }: ProbePlan): Scenario {
  return {
    seed: 7,
    objects: 20,
    servers,
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
      if (path.forbids?.test(request.path)) {
        forbid(handler);
        return { close: () => undefined, pause: () => undefined, unpause: () => undefined };
      }
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

function forbid(handler: RequestHandler): void {
  queueMicrotask(() => {
    handler.onWritten();
    handler.onHead({ status: 403, httpVersion: '1.1', headers: {}, framed: true, connection: 0 });
    handler.onEnd({ end: 'eof', detail: '' });
  });
}

class Guard implements RequestHandler {
  readonly #handler: RequestHandler;
  readonly #clock: Clock;
  readonly #path: Path;
  readonly #cut: () => void;
  #held: AnswerHead | undefined;
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

  onHead(head: AnswerHead): void {
    if (this.#path.ageMs !== undefined) this.#age = this.#clock.timer(this.#path.ageMs, this.#cut);
    this.#heard();
    const seen = { ...head, headers: { ...head.headers, ...this.#path.headers } };
    if (this.#path.holdsHeaders) this.#held = seen;
    else this.#handler.onHead(seen);
  }

  onBytes(chunks: Uint8Array[]): void {
    const passed = this.#path.dropsBookmarks
      ? chunks.filter((chunk) => !new TextDecoder().decode(chunk).startsWith('{"type":"BOOKMARK"'))
      : chunks;
    this.#heard();
    this.#release();
    if (passed.length > 0) this.#handler.onBytes(passed);
  }

  onEnd(end: Parameters<RequestHandler['onEnd']>[0]): void {
    this.#over = true;
    this.#idle?.cancel();
    this.#age?.cancel();
    this.#release();
    this.#handler.onEnd(end);
  }

  #release(): void {
    if (this.#held) this.#handler.onHead(this.#held);
    this.#held = undefined;
  }

  #heard(): void {
    this.#idle?.cancel();
    if (this.#path.idleMs !== undefined) this.#idle = this.#clock.timer(this.#path.idleMs, this.#cut);
  }
}
