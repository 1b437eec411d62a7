import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { ProbeKind } from './facts.ts';

/** One extra request that a session would like. */
export interface ProbeAsk {
  kind: ProbeKind;
  /** `exact`, `side`. */
  rv?: ResourceVersion;
  /** It answers to something that has just happened; the others only keep the picture fresh. */
  urgent: boolean;
}

/** A probe that is due: `at` is when it was, whatever happened between then and its sending. */
export type DueProbe = ProbeAsk & { at: number };

/** Window probes while a stream runs, ms apart at least (design §4, a good guest). */
const WINDOW_EVERY_MS = 30_000;
/**
 * Window probes after a 410, ms: floors that differ at one moment are several replicas, a floor that moves with every write
 * rules a rebuild out. Three samples on three connections within five seconds show either.
 */
const WINDOWS_AFTER_GONE_MS = [0, 2000, 5000];
/** A 410 that comes again within so long brings no new series of windows, ms. */
const GONE_QUIET_MS = 30_000;

/**
 * Which question when, for one target (cases' probes; facts/server §6.3). Once the first LIST or watch is granted: the
 * version, the counters and the floor as they are before anything happens. While streaming: the floor, now and then. After a 410: whether
 * etcd still holds the RV, the counters again, and the floor three times.
 */
export class ProbeSchedule {
  readonly #probing: boolean;
  #planned: { at: number; ask: ProbeAsk }[] = [];
  #windowAt: number | undefined;
  #goneAt = Number.NEGATIVE_INFINITY;

  constructor(probing: boolean) {
    this.#probing = probing;
  }

  /** A LIST or a watch was granted. */
  opened(at: number): void {
    if (!this.#probing || this.#windowAt !== undefined) return;
    for (const kind of ['version', 'metrics', 'window'] as const) this.#plan(at, { kind, urgent: false });
    this.#windowAt = at + WINDOW_EVERY_MS;
  }

  /** A watch was refused with 410. `rv`: the RV that is gone; undefined where none is known. */
  gone(at: number, rv: ResourceVersion | undefined): void {
    if (!this.#probing) return;
    if (rv !== undefined && rv !== '0') this.#plan(at, { kind: 'exact', rv, urgent: true });
    // Of each refusal: the counters tell what happened since the last reading, so the last must not lie before it.
    this.#plan(at, { kind: 'metrics', urgent: true });
    if (at - this.#goneAt < GONE_QUIET_MS) return;
    this.#goneAt = at;
    for (const after of WINDOWS_AFTER_GONE_MS) this.#plan(at + after, { kind: 'window', urgent: true });
    if (this.#windowAt !== undefined) this.#windowAt = at + WINDOW_EVERY_MS;
  }

  /** The stream has been silent for longer than it should. */
  silent(at: number, rv: ResourceVersion): void {
    if (!this.#probing) return;
    this.#plan(at, { kind: 'side', rv, urgent: true });
    // Whether the cache itself has moved since, or has not even come to that RV: then nothing was due.
    this.#plan(at, { kind: 'cache-rv', urgent: true });
  }

  /** Takes out what is due at `at`. */
  due(at: number, streaming: boolean): DueProbe[] {
    if (!this.#probing) return [];
    const due = this.#planned.filter((one) => one.at <= at).map(({ ask }) => ({ ...ask, at }));
    this.#planned = this.#planned.filter((one) => one.at > at);
    if (streaming && this.#windowAt !== undefined && this.#windowAt <= at) {
      due.push({ kind: 'window', urgent: false, at });
      this.#windowAt = at + WINDOW_EVERY_MS;
    }
    return due;
  }

  /** When something is due next. */
  nextAt(streaming: boolean): number | undefined {
    const times = this.#planned.map(({ at }) => at);
    if (streaming && this.#windowAt !== undefined) times.push(this.#windowAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #plan(at: number, ask: ProbeAsk): void {
    this.#planned.push({ at, ask });
  }
}

/** All probes of a run within a minute, whatever the reason. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
/** Of these at most so many readings of /metrics, which are megabytes on a real apiserver: a 410 that loops is told by less. */
const METRICS_PER_MINUTE = 8;
/** The least time between two probes of one kind about one thing, ms: [routine, urgent]. */
const APART_MS: Record<ProbeKind, [number, number]> = {
  window: [WINDOW_EVERY_MS, 500],
  // /metrics is megabytes on a real apiserver: once before, and after a 410, where it may decide between two causes.
  metrics: [Number.POSITIVE_INFINITY, 500],
  version: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  // The same RV needs no second answer so soon.
  exact: [MINUTE_MS, MINUTE_MS],
  'cache-rv': [MINUTE_MS, MINUTE_MS],
  // Of the same RV; the session itself keeps its distance.
  side: [MINUTE_MS, MINUTE_MS],
};
/** Questions whose answer is another one a moment later; the others have one answer. */
const PUT_OFF: ReadonlySet<ProbeKind> = new Set(['metrics', 'window'] as const);
/** Things asked about that are remembered. */
const MAX_REMEMBERED = 500;

/** One gate for all sessions of a run: siblings on one resource do not ask the same question twice. */
export class ProbeGate {
  readonly #last = new Map<string, number>();
  readonly #recent: { at: number; kind: ProbeKind }[] = [];
  #quietUntil = Number.NEGATIVE_INFINITY;

  /** Something on the way asked to be left alone for a while: no probe of the run is sent before. */
  quiet(until: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, until);
  }

  /** True where the probe may be sent; it counts as sent. `about`: the resource (`deployments.apps`). */
  admit(ask: DueProbe, about: string): boolean {
    const { at, kind } = ask;
    if (at < this.#quietUntil) return false;
    while (this.#recent.length > 0 && (this.#recent[0]?.at ?? 0) <= at - MINUTE_MS) this.#recent.shift();
    if (this.#recent.length >= MAX_PER_MINUTE) return false;
    if (kind === 'metrics' && this.#recent.filter((one) => one.kind === kind).length >= METRICS_PER_MINUTE)
      return false;
    const key = keyOf(ask, about);
    const last = this.#last.get(key);
    if (last !== undefined && at - last < APART_MS[ask.kind][ask.urgent ? 1 : 0]) return false;
    if (this.#last.size >= MAX_REMEMBERED) this.#last.clear();
    this.#last.set(key, at);
    this.#recent.push({ at, kind });
    return true;
  }

  /**
   * How long after `ask.at` the same question may be put again, ms, where only another one just before it stands in the way: what
   * answers to a refusal must be read after it. undefined: never, or at once.
   */
  opensIn(ask: DueProbe, about: string): number | undefined {
    const last = this.#last.get(keyOf(ask, about));
    if (last === undefined || !ask.urgent || !PUT_OFF.has(ask.kind)) return undefined;
    const wait = last + APART_MS[ask.kind][1] - ask.at;
    return wait > 0 ? wait : undefined;
  }
}

function keyOf({ kind, rv }: ProbeAsk, about: string): string {
  // One answer of these speaks for every resource.
  if (kind === 'metrics' || kind === 'version') return kind;
  return kind === 'exact' ? `${kind} ${about} ${rv}` : `${kind} ${about}`;
}
