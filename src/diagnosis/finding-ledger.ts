import type { RunFacts } from '../client/facts.ts';
import type { Finding } from './finding.ts';
import { clip } from './quote.ts';
import { MAX_TITLE } from './words.ts';

/** Findings that are remembered. A run makes at most a few for each attempt, and attempts are bounded in the facts. */
const MAX_KEPT = 1_000;

/** What the ledger needs of the facts: whether more will come, and how far back they still know. */
export type LedgerRun = Pick<RunFacts, 'finished' | 'streams' | 'lists'>;

/**
 * Turns the results of successive diagnoses into records: gives each finding an id that stays, and a new `rev` when
 * something material changed (contract §2). It holds no opinion; what was found is decided in diagnose().
 */
export class FindingLedger {
  /** By key, in the order of their first appearance. */
  readonly #kept = new Map<string, Finding>();
  /** What was read in the record that was told last, by key. */
  readonly #told = new Map<string, string>();
  readonly #withdrawn = new Set<string>();
  /** Keys under which a finding goes on, since its first streams have left the facts' bounds. */
  readonly #renamed = new Map<string, string>();
  #next = 1;

  /**
   * Takes what a diagnosis found now; returns what is to be told: new findings, and new revisions of old ones. With `run`
   * finished, whatever differs from what was told last is told now. Without `run`, a finding is never withdrawn.
   */
  update(findings: readonly Finding[], run?: LedgerRun): Finding[] {
    const ids = this.#assignIds(findings);
    const told: Finding[] = [];
    const present = new Set<string>();
    for (const found of findings) {
      const key = this.#keyOf(found);
      present.add(key);
      const before = this.#kept.get(key);
      const now = withIds(found, ids);
      const last = run?.finished === true && this.#told.get(key) !== readable(now);
      const changed = !before || material(before) !== material(now) || last;
      now.rev = before ? before.rev + (changed ? 1 : 0) : 1;
      this.#keep(key, now);
      if (!changed) continue;
      this.#told.set(key, readable(now));
      told.push(now);
    }
    for (const [key, before] of this.#kept) {
      if (present.has(key) || this.#withdrawn.has(key)) continue;
      const withdrawn = withdraw(before, findings, ids, run);
      if (!withdrawn) continue;
      this.#withdrawn.add(key);
      this.#kept.set(key, withdrawn);
      told.push(withdrawn);
    }
    return told;
  }

  /** The latest revision of each finding that still stands, in the order of their first appearance. */
  findings(): readonly Finding[] {
    return [...this.#kept].flatMap(([key, finding]) => (this.#withdrawn.has(key) ? [] : [finding]));
  }

  /** Ids of this diagnosis (`f1` by position) to ids that stay. */
  #assignIds(findings: readonly Finding[]): Map<string, string> {
    const ids = new Map<string, string>();
    for (const finding of findings) {
      const before = this.#kept.get(this.#keyOf(finding)) ?? this.#continued(finding);
      ids.set(finding.id, before?.id ?? `f${this.#next++}`);
    }
    return ids;
  }

  #keyOf({ key }: Finding): string {
    return this.#renamed.get(key) ?? key;
  }

  /** A finding whose first streams have left the facts' bounds is headed by a later one now: the same under another key. */
  #continued(finding: Finding): Finding | undefined {
    for (const [key, kept] of this.#kept) {
      if (kept.class !== finding.class || kept.target !== finding.target || slotOf(key) !== slotOf(finding.key))
        continue;
      if (finding.streams[0] === undefined || !kept.streams.slice(1).includes(finding.streams[0])) continue;
      this.#renamed.set(finding.key, key);
      return kept;
    }
    return undefined;
  }

  #keep(key: string, finding: Finding): void {
    this.#withdrawn.delete(key);
    this.#kept.set(key, finding);
    if (this.#kept.size <= MAX_KEPT) return;
    const [oldest] = this.#kept.keys();
    if (oldest === undefined) return;
    this.#kept.delete(oldest);
    this.#told.delete(oldest);
  }
}

/** `end` of `s3:end`. */
function slotOf(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}

/** What has to change for a new revision. Numbers that tick (ages, counts) do not: they would be told every second. */
function material(finding: Finding): string {
  const { class: name, sub, severity, confidence, candidates, explainedBy, healed, ruledOut, next, lines } = finding;
  const named = candidates.map((one) => one.class).join();
  return [name, sub, severity, confidence, named, explainedBy, healed, ruledOut.length, next[0], lines.do].join('|');
}

/** What is read of it: told once more at the end of a run where it differs, so that the summary's verdict is a finding that was told. */
function readable({ title, text, facts }: Finding): string {
  return JSON.stringify([title, text, facts]);
}

function withIds(finding: Finding, ids: ReadonlyMap<string, string>): Finding {
  const { explainedBy, ...rest } = finding;
  const explanation = explainedBy === undefined ? undefined : ids.get(explainedBy);
  return { ...rest, id: ids.get(finding.id) ?? finding.id, ...(explanation ? { explainedBy: explanation } : {}) };
}

/**
 * What was told and is found no longer: another finding has taken it in (that one explains it), or later evidence speaks
 * against it (a silent stream that spoke again). Where the facts merely no longer reach back to it, it stands.
 */
function withdraw(
  before: Finding,
  findings: readonly Finding[],
  ids: ReadonlyMap<string, string>,
  run: LedgerRun | undefined,
): Finding | undefined {
  const taker = findings.find(
    ({ key, streams }) =>
      slotOf(key) === slotOf(before.key) && streams.some((stream) => before.streams.includes(stream)),
  );
  const known = run !== undefined && reachesBackTo(before, run);
  if (!taker && !known) return undefined;
  const explanation = taker ? ids.get(taker.id) : undefined;
  return {
    ...before,
    rev: before.rev + 1,
    severity: 'info',
    confidence: 'low',
    candidates: before.candidates.map((one) => ({ class: one.class, confidence: 'low' })),
    title: clip(`Withdrawn: ${before.title}`, MAX_TITLE),
    ...(explanation ? { explainedBy: explanation } : {}),
    lines: { ...before.lines, do: 'nothing: later evidence speaks against it' },
  };
}

function reachesBackTo({ streams, at }: Finding, run: LedgerRun): boolean {
  if (streams.length > 0) return run.streams.some(({ stream }) => streams.includes(stream));
  return run.lists.some((list) => list.endedAt <= at);
}
