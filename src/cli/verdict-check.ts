import type { ListFacts, RunFacts, StreamFacts } from '../client/facts.ts';
import type { Finding, FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import type { RefusalCause, TraceEvent } from '../store/trace.ts';

/** Refusals and closings of the server that are remembered; a story has a few dozen. */
const MAX_REMEMBERED = 1000;
/** A stream's end is seen by its client some time after the server made it: sockets, and our own unread ones. */
const SEEN_WITHIN_MS = 5000;
/** An apiserver that shuts down in order lets its watches live on for so long (facts/server §5.4), and some. */
const SHUTDOWN_MS = 65_000;

type Refusal = Extract<TraceEvent, { what: 'refuse' }>;
type Closing = Extract<TraceEvent, { what: 'reinit' | 'terminate' | 'restart' }>;

/** A run whose findings are judged. */
export interface JudgedRun extends Pick<RunFacts, 'streams' | 'lists'> {
  serverOf?: (stream: number) => number;
}

/** What the server says to a finding; undefined where its trace has nothing to do with it. */
export interface Agreement {
  ok: boolean;
  /** The server's word, where it is another one. */
  says?: string;
}

/**
 * Holds the client's verdicts against what the embedded server did. The two are joined by the Audit-Id that the server puts
 * on every answer: the client learns nothing by it that a client of a real apiserver would not learn.
 */
export class VerdictCheck {
  readonly #refusals = new Map<string, Refusal>();
  readonly #closings: Closing[] = [];
  /** Of the store, by the last write. */
  #revision = 0;

  /** Takes everything the server traces. */
  take(event: TraceEvent): void {
    if (event.what === 'write') {
      this.#revision = event.rv;
    } else if (event.what === 'refuse') {
      this.#refusals.set(event.auditId, event);
      const [oldest] = this.#refusals.keys();
      if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest);
    } else if (event.what === 'reinit' || event.what === 'terminate' || event.what === 'restart') {
      this.#closings.push(event);
      if (this.#closings.length > MAX_REMEMBERED) this.#closings.shift();
    }
  }

  /** True where the server did this to one of these requests; a refusal for a reason that is one of `classes`. */
  did(what: 'terminate' | 'refuse', auditIds: readonly string[], classes: readonly string[]): boolean {
    if (what === 'refuse') {
      const refusals = auditIds.flatMap((id) => this.#refusals.get(id) ?? []);
      return refusals.some((refusal) => classes.includes(classOf(refusal)));
    }
    return this.#closings.some((one) => one.what === what && auditIds.includes(one.auditId ?? ''));
  }

  /** Judges a finding about a run with these facts. `serverOf`: index of the apiserver that a stream was on. */
  judge(finding: Finding, { streams, lists, serverOf = () => 0 }: JudgedRun): Agreement | undefined {
    const stream = streams.find((one) => one.stream === finding.stream);
    if (finding.facts.refused_by !== undefined) {
      const asked = stream ?? lists.findLast((list) => isRefusalOf(finding, list));
      return asked && this.#judgeRefusal(finding, asked);
    }
    if (finding.class === 'rv-too-large') return this.#judgeTooLarge(finding);
    if (stream === undefined) return undefined;
    switch (finding.class) {
      case 'server-timeout':
        return this.#judgeEnd(finding, stream, serverOf(stream.stream), 'planned');
      case 'slow-watcher-terminated':
        return this.#judgeEnd(finding, stream, serverOf(stream.stream), 'terminate');
      case 'apiserver-shutdown':
        return this.#judgeEnd(finding, stream, serverOf(stream.stream), 'restart');
      default:
        return undefined;
    }
  }

  /** An RV that the store itself has not come to; where only a cache was behind it, there is nothing to compare with. */
  #judgeTooLarge({ facts }: Finding): Agreement | undefined {
    return Number(facts.requested_rv) > this.#revision ? { ok: true } : undefined;
  }

  #judgeRefusal(finding: Finding, asked: StreamFacts | ListFacts): Agreement {
    const refusal = this.#refusals.get(asked.headers['audit-id'] ?? '');
    if (refusal === undefined) return { ok: false, says: 'nothing was refused' };
    const truth = truthOf(refusal, finding);
    const says = `${truth.class}, refused by ${truth.refusedBy}`;
    if (finding.facts.refused_by !== truth.refusedBy) return { ok: false, says };
    if (finding.class === truth.class) return { ok: true };
    return { ok: names(finding, truth.class), says };
  }

  /** What ended a stream, by the server's trace; a planned end is one that nothing else explains. */
  #judgeEnd(
    finding: Finding,
    stream: StreamFacts,
    server: number,
    claimed: 'planned' | 'terminate' | 'restart',
  ): Agreement {
    const ended = this.#closings
      .filter((closing) => (closing.apiserver ?? 0) === server && concerns(closing, stream))
      .map(({ what }) => what);
    if (claimed === 'planned' ? ended.length === 0 : ended.includes(claimed)) return { ok: true };
    const [what] = ended;
    if (what === undefined) return { ok: false, says: 'it ended as planned' };
    return { ok: names(finding, CLASS_OF[what]), says: SAYS[what] };
  }
}

/** Who names the truth as another possibility, and is not sure, has not said more than the evidence carries. */
function names({ confidence, candidates }: Finding, truth: FindingClass): boolean {
  return confidence !== 'high' && candidates.some((one) => one.class === truth);
}

const CLASS_OF = {
  reinit: 'cache-rebuilt',
  terminate: 'slow-watcher-terminated',
  restart: 'apiserver-shutdown',
} as const satisfies Record<Closing['what'], FindingClass>;
const SAYS = { reinit: 'the cache was rebuilt', terminate: 'terminated', restart: 'the apiserver went' } as const;

function isRefusalOf({ target }: Finding, list: ListFacts): boolean {
  return list.target.index === target && list.refusal !== undefined;
}

/** True where `closing` ended this stream, or may have. */
function concerns(closing: Closing, { target, headers, openedAt = 0, endedAt }: StreamFacts): boolean {
  const { at } = closing;
  const until = endedAt ?? Number.POSITIVE_INFINITY;
  switch (closing.what) {
    case 'terminate':
      return closing.auditId !== undefined && closing.auditId === headers['audit-id'];
    case 'reinit':
      return (
        closing.resource.split('.')[0] === target.resource &&
        at >= openedAt &&
        at <= until &&
        at > until - SEEN_WITHIN_MS
      );
    case 'restart':
      return at >= openedAt && at <= until && at > until - SHUTDOWN_MS;
  }
}

/** The class that is true, by the server's own knowledge of why the history was gone. */
function truthOf(refusal: RefusalCause, finding: Finding): { class: FindingClass; refusedBy: RefusedBy } {
  const { refusedBy, because } = refusal;
  // A page of a list: the same compaction, told of its token.
  if (finding.class === 'continue-token-expired' && because === 'compacted') return { class: finding.class, refusedBy };
  return { class: classOf(refusal), refusedBy };
}

function classOf({ because, rebuiltBecause }: RefusalCause): FindingClass {
  switch (because) {
    case 'ring':
      return 'ring-buffer-expiry';
    case 'compacted':
      return 'upstream-compaction';
    case 'rebuilt':
      return rebuiltBecause === 'compacted' ? 'upstream-compaction' : 'cache-rebuilt';
  }
}
