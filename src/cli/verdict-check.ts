import type { StreamFacts } from '../client/facts.ts';
import type { Finding, FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import type { RefusalCause, TraceEvent } from '../store/trace.ts';

/** Refusals and closings of the server that are remembered; a story has a few dozen. */
const MAX_REMEMBERED = 1000;

type Refusal = Extract<TraceEvent, { what: 'refuse' }>;
type Closing = Extract<TraceEvent, { what: 'reinit' | 'terminate' }>;

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

  /** Takes everything the server traces. */
  take(event: TraceEvent): void {
    if (event.what === 'refuse') {
      this.#refusals.set(event.auditId, event);
      const [oldest] = this.#refusals.keys();
      if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest);
    } else if (event.what === 'reinit' || event.what === 'terminate') {
      this.#closings.push(event);
      if (this.#closings.length > MAX_REMEMBERED) this.#closings.shift();
    }
  }

  /** Judges `finding`, which is about `stream`. */
  judge(finding: Finding, stream: StreamFacts | undefined): Agreement | undefined {
    if (stream === undefined) return undefined;
    if (finding.facts.refused_by !== undefined) return this.#judgeRefusal(finding, stream);
    if (finding.class === 'server-timeout') return this.#judgePlannedEnd(stream);
    return undefined;
  }

  #judgeRefusal(finding: Finding, stream: StreamFacts): Agreement {
    const refusal = this.#refusals.get(stream.headers['audit-id'] ?? '');
    if (refusal === undefined) return { ok: false, says: 'nothing was refused' };
    const truth = classOf(refusal);
    if (finding.class === truth.class && finding.facts.refused_by === truth.refusedBy) return { ok: true };
    return { ok: false, says: `${truth.class}, refused by ${truth.refusedBy}` };
  }

  /** A planned end is one that nothing else explains: no rebuild, no termination while the stream was open. */
  #judgePlannedEnd({ target, openedAt = 0, endedAt = 0 }: StreamFacts): Agreement {
    const other = this.#closings.find(
      ({ resource, at }) => resource.split('.')[0] === target.resource && at >= openedAt && at <= endedAt,
    );
    return other === undefined
      ? { ok: true }
      : { ok: false, says: other.what === 'reinit' ? 'the cache was rebuilt' : 'terminated' };
  }
}

/** The class that is true, by the server's own knowledge of why the history was gone. */
function classOf({ refusedBy, because, rebuiltBecause }: RefusalCause): { class: FindingClass; refusedBy: RefusedBy } {
  switch (because) {
    case 'ring':
      return { class: 'ring-buffer-expiry', refusedBy };
    case 'compacted':
      return { class: 'upstream-compaction', refusedBy };
    case 'rebuilt':
      return { class: rebuiltBecause === 'compacted' ? 'upstream-compaction' : 'cache-rebuilt', refusedBy };
  }
}
