import type { ControlFacts } from './control-facts.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListFacts, PendingList, ProbeAnswer, RunFacts, StreamFacts, WatchTarget } from './facts.ts';
import type { SessionOutput } from './output.ts';

/** What a run remembers (facts.ts): hours of a healthy watch, or minutes of a broken one. */
const MAX_STREAMS = 200;
const MAX_LISTS = 100;
const MAX_PROBES = 200;

/** Gathers the measurements of a run, in the order in which they come; the oldest make room. */
export class RunRecorder {
  readonly #streams: StreamFacts[] = [];
  readonly #lists: ListFacts[] = [];
  readonly #probes: ProbeAnswer[] = [];
  readonly #pendingLists = new Map<number, PendingList>();
  readonly #endpoint: Endpoint;
  readonly #startedAt: number;
  readonly #probing: boolean;
  #serverVersion: string | undefined;
  #control: ControlFacts | undefined;
  finished = false;

  constructor(endpoint: Endpoint, options: { startedAt: number; probing: boolean }) {
    this.#endpoint = endpoint;
    this.#startedAt = options.startedAt;
    this.#probing = options.probing;
  }

  /** A watch is asked for; its facts go on changing until its end. */
  addStream(facts: StreamFacts): void {
    this.#streams.push(facts);
    if (this.#streams.length <= MAX_STREAMS) return;
    const oldest = this.#streams.findIndex(({ endedAt }) => endedAt !== undefined);
    if (oldest >= 0) this.#streams.splice(oldest, 1);
  }

  note(output: SessionOutput): void {
    if (output.kind === 'control') this.#control = output.facts;
    if (output.kind === 'list') push(this.#lists, output.facts, MAX_LISTS);
    if (output.kind !== 'probe') return;
    push(this.#probes, output.answer, MAX_PROBES);
    if (output.answer.outcome.kind === 'version') this.#serverVersion = output.answer.outcome.gitVersion;
  }

  /** `pending` goes on changing until its headers come. */
  listAsked(pending: PendingList): void {
    this.#pendingLists.set(pending.target.index, pending);
  }

  listAnswered(target: WatchTarget): void {
    this.#pendingLists.delete(target.index);
  }

  facts(now: number): RunFacts {
    const { scheme, host, tokenExpiresAt, anonymous } = this.#endpoint;
    return {
      startedAt: this.#startedAt,
      now,
      probing: this.#probing,
      streams: this.#streams,
      lists: this.#lists,
      probes: this.#probes,
      pendingLists: [...this.#pendingLists.values()],
      ...(this.#serverVersion === undefined ? {} : { serverVersion: this.#serverVersion }),
      ...(this.#control === undefined ? {} : { control: this.#control }),
      ...(tokenExpiresAt === undefined ? {} : { tokenExpiresAt }),
      endpoint: { scheme, host, ...(anonymous ? { anonymous } : {}) },
      finished: this.finished,
    };
  }
}

function push<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}
