import { retryAfterMs } from '../protocol/retry-after.ts';
import type { Timer } from '../util/clock.ts';
import type { AnswerHead } from './answer-head.ts';
import type { TransportEnd } from './end-kind.ts';
import type { Endpoint } from './endpoint.ts';
import type { ProbeAnswer, ProbeKind, ProbeOutcome, WatchTarget } from './facts.ts';
import { type DueProbe, ProbeGate } from './probe-policy.ts';
import { MetricsReader, probeReader, probeRequest } from './probes.ts';
import { requestHeaders } from './request-headers.ts';
import { isNamespaced } from './resource-name.ts';
import type { RunOptions } from './run.ts';
import type { Lane, OpenRequest, Transport, TransportRequest } from './transport.ts';
import { probeUserAgent } from './user-agent.ts';
import type { RequestPlan } from './watch-request.ts';

/** An answer that takes longer says nothing any more, real ms. */
const PATIENCE_MS = 10_000;
/**
 * Short watches end by their own `timeoutSeconds` (`window` 1 s, `side` 5 s). Where a server or a proxy does not end them, we do, so
 * long after the headers, ms of the run's clock: what they were asked for is known by then.
 */
const OPEN_FOR_MS: Partial<Record<ProbeKind, number>> = { window: 3_000, side: 7_000 };
/** At least so much of it is real time, ms: a run may be played many times faster, the machine is not. */
const OPEN_AT_LEAST_MS = 250;

/** Who asks, and what is known of the resource beyond its path. */
export interface Asker {
  plan: RequestPlan;
  /** An object with a namespace was seen. */
  sawNamespace: boolean;
  /** Where its requests go, where it is not the run's endpoint: probes go there too. */
  endpoint: Endpoint | undefined;
}

/** How long an answer may stay open, and who is told of it. */
interface Asked {
  openForMs: number | undefined;
  tell(end: TransportEnd, head?: { head: AnswerHead; at: number }): void;
}

/** What reads one answer; `outcomes` pairs each with the target it is about. */
interface Reader {
  head(head: AnswerHead): void;
  bytes(chunks: readonly Uint8Array[], afterMs: number): boolean;
  outcomes(end: TransportEnd, waitedMs: number): { target: WatchTarget; outcome: ProbeOutcome }[];
}

/** Sends probes, each on a connection of its own (behind a balancer that may be another replica), and tells the answers. */
export class ProbeRunner {
  readonly #transport: Transport;
  readonly #options: RunOptions;
  readonly #targets: readonly WatchTarget[];
  readonly #now: () => number;
  readonly #tell: (answer: ProbeAnswer) => void;
  readonly #gate = new ProbeGate();
  readonly #running = new Set<() => void>();
  /** Questions that were put off. */
  readonly #later = new Map<string, Timer>();
  #stopped = false;

  constructor(
    transport: Transport,
    options: RunOptions,
    about: { targets: readonly WatchTarget[]; now: () => number; tell: (answer: ProbeAnswer) => void },
  ) {
    this.#transport = transport;
    this.#options = options;
    this.#targets = about.targets;
    this.#now = about.now;
    this.#tell = about.tell;
  }

  ask(ask: DueProbe, asker: Asker): void {
    const { target } = asker.plan;
    // Of a path that is no resource's only the server itself can be asked.
    if (target.resource === undefined && ask.kind !== 'version') return;
    if (this.#stopped) return;
    // A second watch is of the same objects, not of the same resource.
    const about = ask.kind === 'side' ? target.path : resourceOf(target);
    const wait = this.#gate.opensIn(ask, about);
    if (wait !== undefined) this.#putOff(ask, asker, wait, `${ask.kind} ${about}`);
    else if (this.#gate.admit(ask, about)) void this.#send(ask, asker);
  }

  /** Asks later; of several that would ask the same, once. */
  #putOff(ask: DueProbe, asker: Asker, wait: number, what: string): void {
    if (this.#later.has(what)) return;
    const timer = this.#options.clock.timer(wait, () => {
      this.#later.delete(what);
      this.ask({ ...ask, at: ask.at + wait }, asker);
    });
    this.#later.set(what, timer);
  }

  /** No further answer is told. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#later.values()) timer.cancel();
    for (const end of this.#running) end();
    this.#running.clear();
  }

  async #send(ask: DueProbe, { plan, sawNamespace, endpoint }: Asker): Promise<void> {
    const { target } = plan;
    const namespaced = sawNamespace ? true : isNamespaced(target.group ?? '', target.resource ?? '');
    const { path, accept } = probeRequest(ask, plan, namespaced);
    const askedAt = this.#now();
    const reader = ask.kind === 'metrics' ? this.#metricsReader() : documentReader(ask, target);
    const tell = (end: TransportEnd, head?: { head: AnswerHead; at: number }) => {
      if (this.#stopped) return;
      const at = this.#now();
      for (const { target: about, outcome } of reader.outcomes(end, head ? at - head.at : 0)) {
        this.#tell({
          kind: ask.kind,
          target: about,
          askedAt,
          answeredAt: at,
          asked: path,
          ...(head ? { connection: head.head.connection, httpStatus: head.head.status } : {}),
          outcome,
        });
      }
    };
    try {
      const headers = await this.#headers(ask.kind, accept);
      if (this.#stopped) return;
      this.#open(this.#transport.lane(endpoint), { path, headers }, reader, { openForMs: OPEN_FOR_MS[ask.kind], tell });
    } catch (error) {
      tell({ end: 'no-response', detail: `not sent: ${(error as Error).message}` });
    }
  }

  async #headers(kind: ProbeKind, accept: string): Promise<Record<string, string>> {
    const authorization = await this.#options.endpoint.authorization();
    const headers = requestHeaders({ accept, userAgent: '', authorization, extra: this.#options.headers });
    // Whatever -H says: a probe says that it is one, and what it reads is JSON or text.
    return { ...headers, accept, 'user-agent': probeUserAgent(this.#options.version, kind) };
  }

  #open(lane: Lane, question: TransportRequest, reader: Reader, { openForMs, tell }: Asked): void {
    const { clock } = this.#options;
    let enough: Timer | undefined;
    let head: { head: AnswerHead; at: number } | undefined;
    let request: OpenRequest | undefined;
    const close = () => {
      timer.cancel();
      enough?.cancel();
      this.#running.delete(close);
      request?.close();
      lane.close();
    };
    const finish = (end: TransportEnd) => {
      close();
      tell(end, head);
    };
    const timer = clock.timer(PATIENCE_MS * (clock.speed ?? 1), () => {
      finish({ end: 'no-response', detail: `not answered within ${PATIENCE_MS / 1000} s` });
    });
    this.#running.add(close);
    request = lane.open(question, {
      onWritten: () => undefined,
      onHead: (answer) => {
        head = { head: answer, at: this.#now() };
        reader.head(answer);
        if (openForMs !== undefined && answer.status === 200) {
          const wait = Math.max(openForMs, OPEN_AT_LEAST_MS * (clock.speed ?? 1));
          enough = clock.timer(wait, () => finish({ end: 'stopped', detail: '' }));
        }
        if (answer.status === 429 || answer.status === 503) {
          this.#gate.quiet(this.#now() + (retryAfterMs(answer.headers) ?? 0));
        }
      },
      onBytes: (chunks) => {
        if (reader.bytes(chunks, head ? this.#now() - head.at : 0)) finish({ end: 'stopped', detail: '' });
      },
      onEnd: finish,
    });
  }

  /** /metrics speaks of all resources at once: each of the run's gets its own answer. */
  #metricsReader(): Reader {
    const about = [...new Map(this.#targets.map((target) => [resourceOf(target), target])).values()];
    const resources = about.map(({ group = '', resource = '' }) => ({ group, resource }));
    const reader = new MetricsReader(resources);
    return {
      head: (head) => reader.head(head),
      bytes: (chunks) => reader.bytes(chunks),
      outcomes: (end) =>
        reader.outcomes(end).map((outcome, index) => ({ target: about[index] as WatchTarget, outcome })),
    };
  }
}

function documentReader(ask: DueProbe, target: WatchTarget): Reader {
  const reader = probeReader(ask);
  return {
    head: (head) => reader.head(head),
    bytes: (chunks, afterMs) => reader.bytes(chunks, afterMs),
    outcomes: (end, waitedMs) => [{ target, outcome: reader.outcome(end, waitedMs) }],
  };
}

/** `deployments.apps`; the path, where it is no resource's. */
function resourceOf({ resource, group, path }: WatchTarget): string {
  if (resource === undefined) return path;
  return group ? `${resource}.${group}` : resource;
}
