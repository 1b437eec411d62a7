import { LOWER_BOUND_CAPACITY } from '../cacher/watch-cache-history.ts';
import type { RunClock } from '../client/run.ts';
import type { FeedItem } from '../render/feed.ts';
import type { ExpectStep } from '../scenario/script.ts';
import type { TraceEvent } from '../store/trace.ts';
import type { LocalServer } from './local-server.ts';
import { judge, type Standing } from './script-judge.ts';
import type { Cast } from './script-targets.ts';
import { failureLine, type ScriptVerdict, verdictItem, verdictLine } from './script-verdict.ts';
import type { ScriptWatchers } from './script-watchers.ts';
import { TracedCounts } from './traced-counts.ts';
import type { VerdictCheck } from './verdict-check.ts';

/** An `expect` without `within` waits so long, ms of the clock: a probe's answer may decide what a finding says. */
const PATIENCE_MS = 5000;

export interface ScriptExpectationsOptions {
  cast: Cast;
  watchers: ScriptWatchers;
  server: LocalServer;
  check: VerdictCheck;
  clock: RunClock;
  signal: AbortSignal;
  tell(item: FeedItem): void;
  /** A step came out otherwise, in words. */
  complain(step: ExpectStep, text: string): void;
}

/** Waits for what a script expects, judges it, and tells how it came out. */
export class ScriptExpectations {
  readonly #options: ScriptExpectationsOptions;
  readonly #traced = new TracedCounts();
  readonly #verdicts: ScriptVerdict[] = [];

  constructor(options: ScriptExpectationsOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#verdicts.filter(({ ok }) => ok).length;
  }

  get count(): number {
    return this.#verdicts.length;
  }

  /** The script begins: what the server told before does not count. */
  begin(): void {
    this.#traced.reset();
  }

  /** Takes what the server did. */
  takeTrace(event: TraceEvent): void {
    this.#traced.take(event);
  }

  async expect(step: ExpectStep): Promise<void> {
    const { clock, check, watchers, signal } = this.#options;
    const { given, finding = [] } = step;
    if (given !== undefined && !check.did(given, watchers.auditIdsOf(step.of), finding)) {
      this.#note(`– ${this.#who(step)}: not expected, the server did not ${given} it`);
      return;
    }
    const until = clock.now() + (step.withinMs ?? PATIENCE_MS);
    let standing = this.#standing(step);
    while (standing.open && clock.now() < until && !signal.aborted) {
      await watchers.change(until - clock.now());
      // After the turn in which it happened: one look for all of it.
      await clock.turn();
      standing = this.#standing(step);
    }
    if (!signal.aborted) this.#settle(step, standing);
  }

  #settle(step: ExpectStep, last: Standing): void {
    const { check, watchers, clock, complain } = this.#options;
    const grew = step.resumed && last.held ? this.#ringGrew(step.of) : '';
    const standing = { ...last, found: `${last.found}${grew}` };
    const agreement = standing.finding && check.judge(standing.finding, watchers.facts);
    const verdict = { step, standing, agreement, ok: standing.held && agreement?.ok !== false };
    this.#verdicts.push(verdict);
    this.#options.tell(verdictItem(verdict, clock.now(), this.#roleOf(step.of) !== undefined));
    this.#note(verdictLine(verdict, this.#who(step)));
    if (!standing.held) complain(step, failureLine(step, standing, step.of));
  }

  #standing(step: ExpectStep): Standing {
    const { watchers } = this.#options;
    const spokenOf = this.#verdicts.flatMap(({ standing }) => (standing.held ? (standing.finding?.id ?? []) : []));
    const findings = watchers.findingsOf(step.of).filter(({ explainedBy }) => explainedBy === undefined);
    return judge(step, {
      findings: findings.filter(({ id }) => !spokenOf.includes(id)),
      state: watchers.stateOf(step.of),
      streams: watchers.streamsOf(step.of),
      list: watchers.listOf(step.of)?.facts,
      traced: step.trace === undefined ? 0 : this.#traced.of(step.trace, step.resource),
    });
  }

  #note(text: string): void {
    this.#options.tell({ kind: 'note', at: this.#options.clock.now(), text });
  }

  /** Why nothing was lost, where the ring of the watcher's resource is dynamic and has grown. */
  #ringGrew(watcher: string): string {
    const { cast, server } = this.#options;
    const { resource = '', server: index = 0 } = cast.watchers.find((one) => one.watcher === watcher) ?? {};
    const ring = server.replicas[index]?.cachers.get(resource)?.state();
    if (ring === undefined || ring.pinned || ring.capacity <= LOWER_BOUND_CAPACITY) return '';
    return `: the ring grew to ${ring.capacity}`;
  }

  /** Name and role. */
  #who({ of }: ExpectStep): string {
    return [of, this.#roleOf(of)].filter(Boolean).join(' ');
  }

  /** undefined: no watcher. */
  #roleOf(name: string): string | undefined {
    const watcher = this.#options.cast.watchers.find((one) => one.watcher === name);
    return watcher && (watcher.role ?? '');
  }
}
