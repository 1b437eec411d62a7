import type { RunFacts } from '../client/facts.ts';
import type { SessionOutput } from '../client/output.ts';
import type { Run, RunEnd, RunOptions } from '../client/run.ts';
import { startRun } from '../client/session-runner.ts';
import { awaitsAnswers } from '../diagnosis/awaiting-answers.ts';
import { type DiagnoseOptions, diagnose } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { FindingLedger } from '../diagnosis/finding-ledger.ts';
import { verdictOf } from '../diagnosis/verdict.ts';
import type { FindingItem } from '../render/feed.ts';
import { targetOf } from '../render/feed-target.ts';
import type { RunSummary } from '../render/json.ts';
import type { Face } from './face.ts';

/** How often silence is looked at, ms of the clock; at high speeds no more often than this many real ms. */
const LOOK_MS = 1000;
const LOOK_REAL_MS = 20;

export interface DiagnosedRunOptions {
  run: Omit<RunOptions, 'onOutput'>;
  face: Pick<Face, 'push'>;
  /** `A`, `B`, … of a target, in `local`. */
  label?: (target: number) => string;
  /** `local`: what the server's trace says to a finding. */
  agree?: (finding: Finding) => FindingItem['agrees'];
  /** `local`: the ring is pinned to so many events. */
  pinned?: number;
}

/** A run of sessions with its diagnosis beside it: facts are looked at after whatever may decide something, and once a second. */
export class DiagnosedRun {
  readonly run: Run;
  readonly #options: DiagnosedRunOptions;
  readonly #ledger = new FindingLedger();
  readonly #counts = { streams: 0, events: 0, bookmarks: 0 };
  readonly #diagnoseOptions: DiagnoseOptions;
  #lookDue = false;
  #over = false;

  constructor(options: DiagnosedRunOptions) {
    this.#options = options;
    this.#diagnoseOptions = options.pinned === undefined ? {} : { pinned: options.pinned };
    this.run = startRun({ ...options.run, onOutput: (output) => this.#take(output) });
    void this.#lookEverySecond();
  }

  /** Resolves when the run has ended and the last findings have been told. */
  async done(): Promise<RunEnd> {
    const end = await this.run.done;
    this.#over = true;
    this.#look();
    return end;
  }

  /** The latest revision of each finding. */
  findings(): readonly Finding[] {
    return this.#ledger.findings();
  }

  summary(exitCode: number): RunSummary {
    const facts = this.run.facts();
    const verdict = verdictOf(this.findings(), facts);
    const lastRv = this.run.resumeRv(verdict.target) ?? this.run.resumeRv(0);
    const watcher = this.#options.label?.(verdict.target);
    return {
      at: facts.now,
      verdict,
      findings: this.findings(),
      ...this.#counts,
      ...(lastRv === undefined ? {} : { lastRv }),
      ...(watcher === undefined ? {} : { watcher }),
      exitCode,
    };
  }

  #take(output: SessionOutput): void {
    this.#count(output);
    const label = this.#options.label;
    const watcher = label?.(targetOf(output)?.index ?? 0);
    this.#options.face.push(watcher === undefined ? output : { watcher, ...output });
    if (!decides(output) || this.#lookDue) return;
    this.#lookDue = true;
    // After the step that this output is a part of, not in its middle.
    queueMicrotask(() => {
      this.#lookDue = false;
      this.#look();
    });
  }

  #count(output: SessionOutput): void {
    if (output.kind === 'event') {
      if (output.fields.type === 'BOOKMARK') this.#counts.bookmarks++;
      else if (output.fields.type !== 'ERROR') this.#counts.events++;
    } else if (output.kind === 'open' && output.stream !== undefined) {
      this.#counts.streams = Math.max(this.#counts.streams, output.stream);
    } else if (output.kind === 'end') {
      this.#counts.streams = Math.max(this.#counts.streams, output.facts.stream);
    }
  }

  #look(): void {
    const facts: RunFacts = this.run.facts();
    const found = diagnose(facts, this.#diagnoseOptions).filter((finding) => !awaitsAnswers(finding, facts));
    for (const finding of this.#ledger.update(found, facts)) {
      const agrees = this.#options.agree?.(finding);
      const watcher = this.#options.label?.(finding.target);
      this.#options.face.push({
        kind: 'finding',
        at: facts.now,
        finding,
        ...(watcher === undefined ? {} : { watcher }),
        ...(agrees === undefined ? {} : { agrees }),
      });
    }
  }

  async #lookEverySecond(): Promise<void> {
    const { clock } = this.#options.run;
    while (!this.#over) {
      await clock.sleep(Math.max(LOOK_MS, LOOK_REAL_MS * (clock.speed ?? 1)), this.#options.run.signal);
      if (this.#options.run.signal?.aborted) return;
      if (!this.#over) this.#look();
    }
  }
}

/** Outputs after which the facts may mean something else than before. */
function decides(output: SessionOutput): boolean {
  switch (output.kind) {
    case 'end':
    case 'list':
    case 'probe':
    case 'control':
    case 'malformed':
      return true;
    case 'event':
      return output.fields.type === 'ERROR';
    case 'phase':
      return output.phase.state === 'no-answer';
    case 'open':
      return output.verb === 'watch';
  }
}
