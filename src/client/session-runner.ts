import type { Timer } from '../util/clock.ts';
import { ControlStream } from './control-stream.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListFacts, PendingList, ProbeAnswer, RunFacts, StreamFacts } from './facts.ts';
import { http2Transport } from './http2-transport.ts';
import type { SessionOutput } from './output.ts';
import type { DueProbe } from './probe-policy.ts';
import { ProbeRunner } from './probe-runner.ts';
import type { Run, RunEnd, RunOptions } from './run.ts';
import { RunRecorder } from './run-facts.ts';
import { TargetRunner } from './target-runner.ts';
import { type Lane, type Transport, undiciTransport } from './transport.ts';
import { planRequests, type RequestPlan } from './watch-request.ts';

/** Starts a run: a session for each target, over one transport and one clock. */
export function startRun(options: RunOptions): Run {
  const { endpoint, http2 } = options;
  return startRunOver(http2 ? http2Transport(endpoint) : undiciTransport(endpoint), options);
}

/** The same over any transport. */
export function startRunOver(transport: Transport, options: RunOptions): Run {
  return new SessionRunner(transport, options);
}

interface Target {
  plan: RequestPlan;
  runner: TargetRunner;
  sawNamespace: boolean;
  /** Where its requests and probes go; undefined: to the run's endpoint. */
  endpoint: Endpoint | undefined;
}

class SessionRunner implements Run {
  readonly done: Promise<RunEnd>;
  readonly #options: RunOptions;
  readonly #transport: Transport;
  readonly #recorder: RunRecorder;
  readonly #probes: ProbeRunner;
  readonly #control: ControlStream | undefined;
  #controlled = false;
  readonly #targets: Target[];
  #resolve: (end: RunEnd) => void = () => undefined;
  #lastNow = Number.NEGATIVE_INFINITY;
  #streams = 0;
  #started = false;
  #forTimer: Timer | undefined;
  #granted = false;
  /** Set by whoever ended the run from outside. */
  #reason: 'asked' | 'time' | undefined;
  readonly #onAbort = () => this.stop();

  constructor(transport: Transport, options: RunOptions) {
    this.#options = options;
    this.#transport = transport;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const probing = options.probing ?? true;
    this.#recorder = new RunRecorder(options.endpoint, { startedAt: this.#now(), probing });
    this.#targets = options.targets.map((spec, index) => {
      const plan = planRequests(index, spec);
      const { endpoint } = spec;
      return { plan, runner: this.#targetRunner(plan, transport.lane(endpoint)), sawNamespace: false, endpoint };
    });
    this.#probes = new ProbeRunner(transport, options, {
      targets: this.#targets.map(({ plan }) => plan.target),
      now: () => this.#now(),
      tell: (answer) => this.#onAnswer(answer),
    });
    this.#control = options.control ? this.#controlStream() : undefined;
    for (const [index, { plan, runner }] of this.#targets.entries()) {
      runner.start({
        plan,
        held: options.targets[index]?.held ?? false,
        once: options.once ?? false,
        pinQuery: options.pinQuery ?? false,
        probing,
        renewable: options.endpoint.renew !== undefined,
        random: options.random,
        takeStream: () => {
          this.#streams += 1;
          return this.#streams;
        },
      });
    }
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.stop();
  }

  facts(): RunFacts {
    return this.#recorder.facts(this.#now());
  }

  stop(): void {
    this.#end('asked');
  }

  pause(on: boolean): void {
    for (const { runner } of this.#targets) runner.setUnread('output', on);
  }

  drop(target: number): void {
    this.#targets[target]?.runner.give({ kind: 'leave' });
  }

  resume(index: number, { endpoint, ...change }: { timeoutSeconds?: number; endpoint?: Endpoint } = {}): void {
    const target = this.#targets[index];
    if (target === undefined) return;
    if (endpoint !== undefined && target.runner.state?.kind === 'away') {
      target.endpoint = endpoint;
      target.runner.moveTo(this.#transport.lane(endpoint));
    }
    target.runner.give({ kind: 'return', ...change });
  }

  stall(target: number, on: boolean): void {
    this.#targets[target]?.runner.setUnread('stall', on);
  }

  noteList(facts: ListFacts): void {
    const output: SessionOutput = { kind: 'list', at: facts.endedAt, facts };
    this.#recorder.note(output);
    this.#options.onOutput(output);
  }

  resumeRv(target: number): string | undefined {
    return this.#targets[target]?.runner.state?.core.ledger.resume?.rv;
  }

  #targetRunner(plan: RequestPlan, lane: Lane): TargetRunner {
    const host = {
      options: this.#options,
      now: () => this.#now(),
      onStarted: () => this.#onStarted(),
      onStream: (facts: StreamFacts) => this.#recorder.addStream(this.#placed(facts)),
      onListAsked: (pending: PendingList) => this.#recorder.listAsked(this.#placed(pending)),
      onListAnswered: () => this.#recorder.listAnswered(plan.target),
      onOutputs: (outputs: readonly SessionOutput[]) => this.#onOutputs(outputs, plan.target.index),
      onProbe: (ask: DueProbe) => {
        const target = this.#targets[plan.target.index];
        if (target) this.#probes.ask(ask, target);
      },
      onStopped: () => this.#onStopped(),
    };
    return new TargetRunner(host, lane);
  }

  /** Notes where a request goes, if not to the run's endpoint. */
  #placed<Facts extends StreamFacts | PendingList>(facts: Facts): Facts {
    const elsewhere = this.#targets[facts.target.index]?.endpoint;
    if (elsewhere !== undefined) facts.endpoint = { scheme: elsewhere.scheme, host: elsewhere.host };
    return facts;
  }

  #controlStream(): ControlStream {
    return new ControlStream(this.#transport.lane(), this.#options, {
      now: () => this.#now(),
      onState: (facts) => {
        const output: SessionOutput = { kind: 'control', at: this.#now(), facts };
        this.#recorder.note(output);
        this.#options.onOutput(output);
      },
      onAlive: () => {
        for (const { runner } of this.#targets) runner.give({ kind: 'path-alive' });
      },
    });
  }

  /** Beside a run that was granted something: one that is refused as a whole asks nothing more. */
  #onGranted(): void {
    this.#granted = true;
    if (this.#controlled || !this.#control) return;
    this.#controlled = true;
    this.#control.start();
  }

  /** The clock may be set back under us; no duration may become negative by it. */
  #now(): number {
    this.#lastNow = Math.max(this.#lastNow, this.#options.clock.now());
    return this.#lastNow;
  }

  #onStarted(): void {
    if (this.#started) return;
    this.#started = true;
    const { clock, forMs } = this.#options;
    clock.start?.();
    if (forMs !== undefined) this.#forTimer = clock.timer(forMs, () => this.#end('time'));
  }

  #onOutputs(outputs: readonly SessionOutput[], index: number): void {
    for (const output of outputs) {
      if (output.kind === 'event') {
        if (output.fields.namespace) (this.#targets[index] as Target).sawNamespace = true;
      } else {
        this.#recorder.note(output);
      }
      this.#options.onOutput(output);
      if (output.kind === 'open' && output.httpStatus === 200) this.#onGranted();
    }
  }

  #onAnswer(answer: ProbeAnswer): void {
    this.#targets[answer.target.index]?.runner.give({ kind: 'probed', answer });
  }

  #end(reason: 'asked' | 'time'): void {
    this.#reason ??= reason;
    for (const { runner } of this.#targets) runner.give({ kind: 'stop-asked' });
    // A lab without watchers: there is nobody to wait for.
    if (this.#targets.length === 0) this.#onStopped();
  }

  #onStopped(): void {
    const why = this.#targets.map(({ runner }) => (runner.state?.kind === 'stopped' ? runner.state.why : undefined));
    if (why.includes(undefined)) return;
    this.#probes.stop();
    this.#control?.stop();
    this.#forTimer?.cancel();
    this.#recorder.finished = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    for (const { runner } of this.#targets) runner.dispose();
    const reason = this.#reason ?? (why.includes('once') ? 'once' : 'refused');
    this.#resolve({ reason, granted: this.#granted });
  }
}
