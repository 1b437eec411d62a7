import type { Replica } from '../apiserver/replica.ts';
import type { MvccStore } from '../store/mvcc-store.ts';
import { assertNever } from '../util/assert-never.ts';
import type { Clock } from '../util/clock.ts';
import type { LabResource } from './lab-object.ts';
import type { Middleboxes } from './middleboxes.ts';
import type {
  BurstStep,
  DisconnectStep,
  ExpectStep,
  ListStep,
  ResumeStep,
  Script,
  ScriptStep,
  StallStep,
  WatchStep,
} from './script.ts';
import { ScriptTimetable } from './script-timetable.ts';
import { reason, StepFailure } from './step-failure.ts';
import type { Workload } from './workload.ts';
import { burstOf, trickleOf, WriteAgenda } from './write-agenda.ts';

/**
 * What a script does to its watchers and asks of them. They are clients on the far side of a socket, so the caller supplies
 * them. Each promise resolves when the step is done; it rejects with an Error whose message is a reason for people.
 */
export interface ScriptClients {
  watch(step: WatchStep): Promise<void>;
  list(step: ListStep): Promise<void>;
  stall(step: StallStep): Promise<void>;
  disconnect(step: DisconnectStep): Promise<void>;
  resume(step: ResumeStep): Promise<void>;
  expect(step: ExpectStep): Promise<void>;
}

export interface ScriptRunnerOptions {
  store: MvccStore;
  replicas: readonly Replica[];
  workload: Workload;
  clients: ScriptClients;
  middleboxes: Middleboxes;
  clock: Clock;
  /** Ends everything. */
  signal: AbortSignal;
}

/** A burst without a duration of its own: writes a second (design §5). */
export const BURST_PER_SECOND = 250;

/** An apiserver that does not serve again within so long will not: in order it takes 60 s at most, and some to start, ms. */
const RESTART_MS = 120_000;

/** Performs steps, of a script one after the other, or single ones of a person at the screen. Bursts go on beside them. */
export class ScriptRunner {
  readonly #options: ScriptRunnerOptions;
  readonly #agenda: WriteAgenda;
  readonly #writing: Promise<void>;
  /** Rejects with the first StepFailure of a write that went on beside the steps; never resolves. */
  readonly failed: Promise<never>;
  #fail: (failure: StepFailure) => void = () => {};
  readonly #aborted: Promise<void>;
  #bursts: Promise<void>[] = [];
  readonly #timetable = new ScriptTimetable();

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#agenda = new WriteAgenda(options.clock, options.signal);
    this.#aborted = aborted(options.signal);
    this.#writing = this.#agenda.run();
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Whoever waits for it hears of it; until then it is not unhandled.
    this.failed.catch(() => {});
  }

  /** Writes that go on beside everything, from the script's beginning: `perSecond` to pods and to events each. */
  #background(perSecond: number): void {
    if (perSecond <= 0) return;
    const { workload } = this.#options;
    for (const resource of ['pods', 'events'] as const) {
      this.#agenda.add(
        trickleOf(perSecond, 0, {
          write: () => workload.write({ resource }),
          failed: (error) => this.#fail(new StepFailure({ verb: 'write', resource }, reason(error))),
        }),
      );
    }
  }

  /** Plays a script to its end, its bursts included, or until the signal. Rejects with a StepFailure. */
  async play(script: Script, onStep: (step: ScriptStep, index: number) => void): Promise<void> {
    const { clock, signal } = this.#options;
    this.#agenda.begin();
    this.#background(script.numbers.background ?? 0);
    for (const [index, step] of script.steps.entries()) {
      const early = (this.#timetable.timeOf(step) ?? 0) - this.#agenda.now();
      if (early > 0) await Promise.race([clock.sleep(early, signal), this.failed]);
      this.#timetable.begins(step, this.#agenda.now());
      // What was to be written before it has been: so the same script gives every write the same revision.
      const due = this.#timetable.timeOf(step) ?? this.#agenda.now();
      await Promise.race([this.#agenda.caughtUp(due), this.failed, this.#aborted]);
      if (signal.aborted) return;
      onStep(step, index);
      await Promise.race([this.perform(step), this.failed, this.#aborted]);
    }
    await Promise.race([Promise.all(this.#bursts), this.failed, this.#aborted]);
  }

  /** Does one step. Rejects with a StepFailure. */
  async perform(step: ScriptStep): Promise<void> {
    try {
      await this.#do(step);
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      throw new StepFailure(step, reason(error));
    }
  }

  /** After the signal: the last write has been done. */
  async done(): Promise<void> {
    await this.#writing;
  }

  #do(step: ScriptStep): Promise<void> | void {
    const { workload, clients, middleboxes, clock, signal } = this.#options;
    switch (step.verb) {
      case 'write':
        return this.#write(step);
      case 'burst':
        return this.#burst(step);
      case 'delete': {
        const which = step.name === undefined ? { count: step.count ?? 1 } : { name: step.name };
        return workload.delete(step.resource as LabResource, which);
      }
      case 'compact':
        return this.#compact(step.revision);
      case 'wait':
        return clock.sleep(step.forMs, signal);
      case 'cut':
        return this.#cut(step);
      case 'restore':
        return this.#replica(step.server).restore(linked(step.resource));
      case 'restart':
        return this.#restart(step);
      case 'resize':
        return this.#resize(step);
      case 'throttle':
        return this.#throttle(step);
      case 'proxy':
        return middleboxes.put(step, this.#replica(step.server));
      case 'break':
        return middleboxes.strike(step);
      case 'watch':
        return clients.watch(step);
      case 'list':
        return clients.list(step);
      case 'stall':
        return clients.stall(step);
      case 'disconnect':
        return clients.disconnect(step);
      case 'resume':
        return clients.resume(step);
      case 'expect':
        return clients.expect(step);
      default:
        return assertNever(step);
    }
  }

  async #write(step: Extract<ScriptStep, { verb: 'write' }>): Promise<void> {
    const { workload, clock, signal } = this.#options;
    const { verb: _verb, at: _at, line: _line, says: _says, count = 1, resource, ...rest } = step;
    for (let nth = 0; nth < count && !signal.aborted; nth++) {
      if (nth % 4 === 3) await clock.turn();
      await workload.write({ ...rest, resource: resource as LabResource });
    }
  }

  #burst(step: BurstStep): void {
    const { count, withinMs, resource = 'pods', size } = step;
    const { workload } = this.#options;
    // One with a time of its own begins then, however late the step was reached: the same in every run.
    const start = this.#timetable.timeOf(step) ?? this.#agenda.now();
    const durationMs = withinMs ?? (count * 1000) / BURST_PER_SECOND;
    const request = { resource: resource as LabResource, ...(size === undefined ? {} : { size }) };
    const over = new Promise<void>((resolve) => {
      const on = {
        write: () => workload.write(request),
        failed: (error: unknown) => this.#fail(new StepFailure(step, reason(error))),
        done: resolve,
      };
      this.#agenda.add(burstOf({ count, durationMs, start }, on));
    });
    this.#bursts.push(over);
    void over.then(() => {
      this.#bursts = this.#bursts.filter((one) => one !== over);
    });
  }

  async #compact(revision: number | 'head'): Promise<void> {
    const { store } = this.#options;
    const state = store.state();
    // Head is what it is compacted to already: that is how it was wanted.
    if (revision === 'head' && state.revision === state.compactedRevision) return;
    await store.compact(revision === 'head' ? state.revision : revision);
  }

  #cut({ resource, server, silent }: Extract<ScriptStep, { verb: 'cut' }>): void {
    const replica = this.#replica(server);
    if (silent) replica.blackhole(linked(resource));
    else replica.cut(linked(resource));
  }

  async #restart({ server, kill }: Extract<ScriptStep, { verb: 'restart' }>): Promise<void> {
    const { clock } = this.#options;
    const replica = this.#replica(server);
    const patience = new AbortController();
    const late = clock.sleep(RESTART_MS, patience.signal).then(() => 'late' as const);
    const done = kill ? replica.kill() : replica.restart();
    const how = await Promise.race([done, late]);
    patience.abort();
    if (how !== 'late') return;
    done.catch(() => {});
    const why = replica.link.state() === 'connected' ? '' : ': it is cut off from the store (restore comes first)';
    throw new Error(`the apiserver does not serve again within ${RESTART_MS / 1000} s${why}`);
  }

  #throttle({ server, forMs, retryAfter = 1 }: Extract<ScriptStep, { verb: 'throttle' }>): void {
    this.#replica(server).flowControl.throttle({ retryAfterSeconds: retryAfter, forMs });
  }

  #resize({ resource, capacity, server }: Extract<ScriptStep, { verb: 'resize' }>): void {
    const cacher = this.#replica(server).cachers.get(resource);
    if (cacher === undefined) throw new Error(`${resource} has no watch cache`);
    cacher.setRingCapacity(capacity);
  }

  #replica(index = 0): Replica {
    const replica = this.#options.replicas[index];
    if (replica === undefined) throw new Error(`there is no apiserver ${index}`);
    return replica;
  }
}

function linked(resource: string): string | undefined {
  return resource === 'upstream' ? undefined : resource;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
