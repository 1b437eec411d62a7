import type { Endpoint } from '../client/endpoint.ts';
import type { RunFacts, StreamFacts } from '../client/facts.ts';
import { type ListedOnce, listOnce } from '../client/list-once.ts';
import type { Phase } from '../client/output.ts';
import type { RunClock } from '../client/run.ts';
import { watchTarget } from '../client/watch-target.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { FeedItem } from '../render/feed.ts';
import type { DisconnectStep, ListStep, ResumeStep, StallStep, WatcherState, WatchStep } from '../scenario/script.ts';
import type { ScriptClients } from '../scenario/script-runner.ts';
import type { Random } from '../util/random.ts';
import { DiagnosedRun } from './diagnosed-run.ts';
import { type Cast, listPathOf, targetOf } from './script-targets.ts';
import type { Agreement, JudgedRun } from './verdict-check.ts';

/** A step that opens a stream waits so long for its headers, ms of the clock: a cache that is not ready keeps them back. */
const SETTLE_MS = 5000;

export interface ScriptWatchersOptions {
  cast: Cast;
  /** Of the apiservers, by index. */
  endpoints: readonly [Endpoint, ...Endpoint[]];
  /** The way through a middlebox of the script. */
  endpointVia(proxy: string): Endpoint;
  version: string;
  clock: RunClock;
  random: Random;
  signal: AbortSignal;
  /** The ring is pinned to so many events. */
  pinned: number | undefined;
  /** Takes everything that the watchers tell, and what the script does with them. */
  tell(item: FeedItem): void;
  agree(finding: Finding): Agreement | undefined;
  /** A watcher leaves its socket unread, or reads on. */
  onStall(watcher: string, on: boolean): void;
}

/** As many as a run's facts hold (client/run-facts.ts). */
const MAX_STREAMS = 200;

interface Actor {
  index: number;
  phase: Phase['state'] | undefined;
  /** When it came back last. */
  since: number;
  stalled: boolean;
  /** Index of the apiserver that it asks. */
  server: number;
}

/** The watchers and lists of a script: clients on real sockets, which learn nothing but what the server sends them. */
export class ScriptWatchers implements Omit<ScriptClients, 'expect'> {
  readonly diagnosed: DiagnosedRun;
  readonly #options: ScriptWatchersOptions;
  readonly #actors = new Map<string, Actor>();
  readonly #names: readonly string[];
  readonly #lists = new Map<string, ListedOnce>();
  /** Apiserver of each stream: as many as the run's facts remember. */
  readonly #servers = new Map<number, number>();
  /** A stall that was to last longer than the run ends with it. */
  readonly #closing = new AbortController();
  /** Those who wait for a phase to change. */
  #waiting: (() => void)[] = [];

  constructor(options: ScriptWatchersOptions) {
    const { cast, endpoints, clock } = options;
    this.#options = options;
    this.#names = [...cast.watchers.map(({ watcher }) => watcher), ...cast.lists.map(({ list }) => list)];
    for (const [index, { watcher, server = 0 }] of cast.watchers.entries()) {
      this.#actors.set(watcher, { index, phase: undefined, since: clock.now(), stalled: false, server });
    }
    this.diagnosed = new DiagnosedRun({
      run: {
        endpoint: endpoints[0],
        targets: cast.watchers.map((step) => targetOf(step, endpoints)),
        version: options.version,
        clock,
        random: options.random,
        probing: true,
        signal: options.signal,
      },
      face: { push: (item) => this.#take(item) },
      ...(options.pinned === undefined ? {} : { pinned: options.pinned }),
      label: (target) => this.nameOf(target),
      agree: options.agree,
    });
  }

  get facts(): RunFacts & JudgedRun {
    return { ...this.diagnosed.run.facts(), serverOf: (stream) => this.#servers.get(stream) ?? 0 };
  }

  nameOf(target: number): string {
    return this.#names[target] ?? '?';
  }

  /** Findings about a watcher or a list. */
  findingsOf(name: string): Finding[] {
    return this.diagnosed.findings().filter(({ target }) => this.nameOf(target) === name);
  }

  stateOf(name: string): WatcherState | undefined {
    const phase = this.#actors.get(name)?.phase;
    if (phase === 'streaming') return 'live';
    if (phase === 'away') return 'away';
    return phase === 'stopped' ? 'ended' : undefined;
  }

  /** Streams that a watcher asked for since it came (back) last. */
  streamsOf(name: string): StreamFacts[] {
    const actor = this.#actors.get(name);
    return this.facts.streams.filter(({ target, askedAt }) => target.index === actor?.index && askedAt >= actor.since);
  }

  /** Audit-Ids of everything that a watcher asked for and was answered. */
  auditIdsOf(name: string): string[] {
    const index = this.#actors.get(name)?.index;
    const own = this.facts.streams.filter(({ target }) => target.index === index);
    return own.flatMap(({ headers }) => headers['audit-id'] ?? []);
  }

  listOf(name: string): ListedOnce | undefined {
    return this.#lists.get(name);
  }

  async watch(step: WatchStep): Promise<void> {
    const { via } = step;
    await this.#open(step.watcher, via === undefined ? {} : { endpoint: this.#options.endpointVia(via) });
  }

  async disconnect({ watcher }: DisconnectStep): Promise<void> {
    const actor = this.#actor(watcher);
    const { run } = this.diagnosed;
    // Somebody at the screen may have been there before the script.
    if (actor.phase === 'away') return;
    this.#tellMove('away', watcher, actor);
    run.drop(actor.index);
    actor.stalled = false;
    run.stall(actor.index, false);
  }

  async resume(step: ResumeStep): Promise<void> {
    const actor = this.#actor(step.watcher);
    if (actor.stalled) {
      this.#stall(step.watcher, actor, false);
      return;
    }
    if (actor.phase !== 'away') return;
    this.#tellMove('back', step.watcher, actor);
    const endpoint = step.server === undefined ? undefined : this.#options.endpoints[step.server];
    actor.server = step.server ?? actor.server;
    await this.#open(step.watcher, {
      ...(step.timeoutSeconds === undefined ? {} : { timeoutSeconds: step.timeoutSeconds }),
      ...(endpoint === undefined ? {} : { endpoint }),
    });
  }

  async stall({ watcher, forMs }: StallStep): Promise<void> {
    const actor = this.#actor(watcher);
    this.#stall(watcher, actor, true);
    if (forMs === undefined) return;
    const { signal } = this.#closing;
    void this.#options.clock.sleep(forMs, signal).then(() => {
      if (actor.stalled && !signal.aborted) this.#stall(watcher, actor, false);
    });
  }

  async list(step: ListStep): Promise<void> {
    const { endpoints, version, clock } = this.#options;
    const before = step.continueOf === undefined ? undefined : this.#lists.get(step.continueOf);
    if (step.continueOf !== undefined && before?.continue === undefined) {
      throw new Error(`the list ${step.continueOf} has no further page`);
    }
    const path = listPathOf(step, step.rv ?? this.#rvOf(step.rvOf));
    const listed = await listOnce({
      endpoint: endpoints[step.server ?? 0] ?? endpoints[0],
      target: watchTarget(this.#names.indexOf(step.list), path.replace(/\?.*$/, '')).target,
      path,
      ...(before?.continue === undefined ? {} : { token: before.continue }),
      version,
      clock,
    });
    this.#lists.set(step.list, listed);
    this.diagnosed.run.noteList(listed.facts);
  }

  /** Ends the run, and tells the last findings. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.diagnosed.run.stop();
    await this.diagnosed.done();
  }

  /** Something happened outside of the watchers' sight. */
  poke(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Something changed that an expectation may have waited for; resolves after `ms` of the clock at the latest. */
  async change(ms: number): Promise<void> {
    const patience = new AbortController();
    const changed = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([changed, this.#options.clock.sleep(ms, patience.signal)]);
    patience.abort();
  }

  #rvOf(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    const actor = this.#actors.get(name);
    const rv = actor === undefined ? this.#lists.get(name)?.facts.rv : this.diagnosed.run.resumeRv(actor.index);
    if (rv === undefined) throw new Error(`${name} holds no resourceVersion`);
    return rv;
  }

  #actor(name: string): Actor {
    const actor = this.#actors.get(name);
    if (actor === undefined) throw new Error(`there is no watcher ${name}`);
    return actor;
  }

  /** Until its stream is open, was refused, or a while has passed. */
  async #open(name: string, change: { timeoutSeconds?: number; endpoint?: Endpoint }): Promise<void> {
    const { clock } = this.#options;
    const actor = this.#actor(name);
    actor.since = clock.now();
    actor.phase = undefined;
    this.diagnosed.run.resume(actor.index, change);
    const until = clock.now() + SETTLE_MS;
    while (!SETTLED.has(actor.phase) && clock.now() < until && !this.#options.signal.aborted) {
      await this.change(until - clock.now());
    }
  }

  #stall(watcher: string, actor: Actor, on: boolean): void {
    actor.stalled = on;
    this.#options.onStall(watcher, on);
    this.diagnosed.run.stall(actor.index, on);
  }

  #tellMove(what: 'away' | 'back', watcher: string, { index }: Actor): void {
    const holdsRv = this.diagnosed.run.resumeRv(index);
    const at = this.#options.clock.now();
    this.#options.tell({ kind: 'trace', at, what, watcher, ...(holdsRv ? { holdsRv } : {}) });
  }

  #noteServer(stream: number, server: number): void {
    if (server === 0) return;
    this.#servers.set(stream, server);
    const [oldest] = this.#servers.keys();
    if (this.#servers.size > MAX_STREAMS && oldest !== undefined) this.#servers.delete(oldest);
  }

  #take(item: FeedItem): void {
    if (item.kind === 'phase') {
      const actor = this.#actors.get(item.watcher ?? '');
      if (actor) actor.phase = item.phase.state;
      if (actor && item.phase.state === 'connecting') this.#noteServer(item.phase.stream, actor.server);
    }
    this.#options.tell(item);
    this.poke();
  }
}

/** Phases in which a request has had its answer. */
const SETTLED: ReadonlySet<Phase['state'] | undefined> = new Set([
  'streaming',
  'backoff',
  'stopped',
  'no-answer',
] as const);
