import type { Replica } from '../../src/apiserver/replica.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import type { RunFacts } from '../../src/client/facts.ts';
import type { SessionOutput } from '../../src/client/output.ts';
import type { Run, TargetSpec } from '../../src/client/run.ts';
import { startRun } from '../../src/client/session-runner.ts';
import { awaitsAnswers } from '../../src/diagnosis/awaiting-answers.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { FindingLedger } from '../../src/diagnosis/finding-ledger.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { seededRandom } from '../../src/util/random.ts';
import { Cluster, FIRST_REVISION, NAMESPACE, nameOf } from './cluster.ts';
import { NetworkClock } from './network-clock.ts';
import type { Scenario, Step, WatcherPlan } from './scenario.ts';
import { VirtualNetwork } from './virtual-network.ts';

/** Time after the last step, ms: evidence that comes late (windows 5 s after a 410, siblings 15 s) is all in by then. */
const AFTERWARDS_MS = 30_000;
/** How often the facts are looked at besides after what may decide something, ms. */
const LOOK_MS = 5_000;

/** How fast the changes are made that were there before the client. */
const BEFORE_PER_SECOND = 2_000;

/** What a new connection takes, ms: no two things that follow from each other happen in the same moment. */
const CONNECT_MS = 1;

/** What a simulation gave: the client's side and the server's. */
export interface Played {
  scenario: Scenario;
  facts: RunFacts;
  /** Every revision of every finding, in the order of telling. */
  told: Finding[];
  /** The last ones. */
  findings: readonly Finding[];
  trace: readonly TraceEvent[];
  /** By the client's number of the connection: which server it led to. */
  connections: readonly number[];
  /** Steps with the time at which they began. */
  steps: readonly { at: number; step: Step }[];
}

/** Plays one scenario from its start to its end on a clock of its own. */
export async function play(scenario: Scenario): Promise<Played> {
  let clock: NetworkClock | undefined;
  const network = new VirtualNetwork((connect) => clock?.timer(CONNECT_MS, connect));
  clock = new NetworkClock(network);
  try {
    return await new Simulation(scenario, network, clock).play();
  } finally {
    network.close();
  }
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #clock: NetworkClock;
  readonly #cluster: Cluster;
  readonly #network: VirtualNetwork;
  readonly #ledger = new FindingLedger();
  readonly #told: Finding[] = [];
  readonly #connections: number[] = [-1];
  readonly #steps: { at: number; step: Step }[] = [];
  /** Where connections lead to now. */
  #routed = 0;
  #lookDue = false;

  constructor(scenario: Scenario, network: VirtualNetwork, clock: NetworkClock) {
    this.#scenario = scenario;
    this.#network = network;
    this.#clock = clock;
    this.#cluster = new Cluster(this.#clock, scenario);
  }

  async play(): Promise<Played> {
    const { scenario } = this;
    const clock = this.#clock;
    await this.#cluster.start();
    await clock.until(this.#cluster.burst('pods', scenario.before, BEFORE_PER_SECOND));
    const revision = await this.#cluster.store.revision();
    if (scenario.backgroundMs !== undefined) void this.#cluster.background(scenario.backgroundMs);
    const run = this.#startRun(revision);
    await clock.advance(1_000);
    for (const step of scenario.steps) {
      this.#steps.push({ at: clock.now(), step });
      if (step.do === 'wait') await this.#wait(run, step.ms);
      else await clock.until(this.#do(run, step));
    }
    await this.#wait(run, AFTERWARDS_MS);
    run.stop();
    await clock.settle();
    this.#look(run);
    await clock.until(this.#cluster.close());
    return {
      scenario,
      facts: run.facts(),
      told: this.#told,
      findings: this.#ledger.findings(),
      trace: this.#cluster.trace,
      connections: this.#connections,
      steps: this.#steps,
    };
  }

  get scenario(): Scenario {
    return this.#scenario;
  }

  #startRun(revision: number): Run {
    const port = this.#network.balance(() => this.#route());
    const { watchers, probing, seed } = this.#scenario;
    const run: Run = startRun({
      endpoint: plainEndpoint(port),
      targets: watchers.map((plan) => targetOf(plan, revision)),
      version: 'simulation',
      probing,
      clock: this.#clock,
      random: seededRandom(seed),
      onOutput: (output) => {
        if (!decides(output) || this.#lookDue) return;
        this.#lookDue = true;
        // After the step that this output is a part of.
        queueMicrotask(() => this.#look(run));
      },
    });
    return run;
  }

  #route(): number | undefined {
    const { servers } = this.#cluster;
    // A balancer leads nobody to a server that is not there, while it has another one.
    for (let tries = servers.length; this.#scenario.balance === 'any' && tries > 0; tries -= 1) {
      this.#routed += 1;
      if (this.#server(this.#routed).state === 'serving') break;
    }
    const port = this.#server(this.#routed).port;
    if (this.#network.listens(port)) this.#connections.push(this.#routed % servers.length);
    return port;
  }

  async #wait(run: Run, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      await this.#clock.advance(Math.min(left, LOOK_MS));
      this.#look(run);
    }
  }

  async #do(run: Run, step: Exclude<Step, { do: 'wait' }>): Promise<void> {
    const watcher = 'watcher' in step ? step.watcher % this.#scenario.watchers.length : 0;
    switch (step.do) {
      case 'burst':
        return this.#cluster.burst(step.resource, step.count, step.perSecond);
      case 'leave':
        return run.drop(watcher);
      case 'return':
        return run.resume(watcher);
      case 'stall':
        run.pause(true);
        this.#clock.timer(step.ms, () => run.pause(false));
        return;
      case 'compact':
        return this.#cluster.compact(step.behind);
      case 'route':
        this.#routed = step.server;
        return;
      case 'cut':
        return this.#server(step.server).cut();
      case 'blackhole':
        return this.#server(step.server).blackhole();
      case 'restore':
        return this.#server(step.server).restore();
      case 'restart':
      case 'kill':
        return this.#end(this.#server(step.server), step.do);
    }
  }

  /** It takes its time, and other things happen meanwhile. One that is on its way out or up already is left alone. */
  #end(server: Replica, how: 'restart' | 'kill'): void {
    if (server.state === 'serving') void server[how]();
  }

  #server(index: number): Replica {
    return this.#cluster.servers[index % this.#scenario.servers]!;
  }

  #look(run: Run): void {
    this.#lookDue = false;
    const facts = run.facts();
    const found = diagnose(facts).filter((finding) => !awaitsAnswers(finding, facts));
    for (const finding of this.#ledger.update(found, facts)) this.#told.push({ ...finding });
  }
}

/** Outputs after which the facts may mean something else than before; the same as the commands take. */
function decides({ kind, ...output }: SessionOutput): boolean {
  if (kind === 'event') return 'fields' in output && output.fields.type === 'ERROR';
  return kind === 'end' || kind === 'list' || kind === 'probe' || kind === 'malformed' || kind === 'open';
}

function plainEndpoint(port: number): Endpoint {
  const host = `127.0.0.1:${port}`;
  return { scheme: 'http', host, prefix: '', tls: {}, authorization: async () => undefined, title: host };
}

/** `revision`: the store's when the client starts. */
function targetOf({ resource, start, bookmarks, selector, timeoutSeconds }: WatcherPlan, revision: number): TargetSpec {
  const query = new URLSearchParams();
  if (!bookmarks) query.set('allowWatchBookmarks', 'false');
  if (selector === 'some') query.set('labelSelector', 'quarter=1');
  if (selector === 'rare') query.set('fieldSelector', `metadata.name=${nameOf(0)}`);
  if (timeoutSeconds !== undefined) query.set('timeoutSeconds', String(timeoutSeconds));
  return {
    path: `/api/v1/namespaces/${NAMESPACE}/${resource}`,
    query: query.toString(),
    raw: false,
    start: typeof start === 'number' ? { rv: String(oldRv(start, revision)) } : start,
  };
}

function oldRv(part: number, revision: number): number {
  return Math.round(FIRST_REVISION + part * (revision - FIRST_REVISION));
}
