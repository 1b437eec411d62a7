import type { Asker } from './ask.ts';
import { type BudgetInput, budgetOf } from './budget.ts';
import { budgetInput } from './budget-input.ts';
import type { CheckOutcome, ProbeReport } from './check.ts';
import { deepOutcomes } from './deep-checks.ts';
import type { DeepFacts } from './deep-facts.ts';
import { runDeep } from './deep-run.ts';
import { type Measured, revisionRate } from './measured.ts';
import { runQuick } from './quick-run.ts';

export interface ProbeOptions {
  asker: Asker;
  /** As shown. */
  server: string;
  resource: string;
  /** Length of the deep half, ms; undefined: the quick half alone. */
  deepMs: number | undefined;
  /** An outcome, as soon as it is there. */
  tell(outcome: CheckOutcome): void;
  /** What the deep half has just seen. */
  note(text: string): void;
}

/** What one path answered so far; the deep half may still be to come. */
export interface Probed {
  report: ProbeReport;
  /** Undefined: the resource cannot be listed, and nothing else was asked. */
  measured: Measured | undefined;
}

/** The quick half. */
export async function probeQuick({ asker, server, resource, tell }: ProbeOptions): Promise<Probed> {
  const startedAt = asker.clock.now();
  const outcomes: CheckOutcome[] = [];
  const measured = await runQuick(asker, (outcome) => {
    outcomes.push(outcome);
    tell(outcome);
  });
  const report = { server, resource, startedAt, outcomes };
  return { report: measured ? { ...report, budget: budgetOf(inputOf(measured)) } : report, measured };
}

/** The deep half, and the budget anew. */
export async function probeDeep(options: ProbeOptions, { report, measured }: Probed): Promise<ProbeReport> {
  const { asker, deepMs, tell, note } = options;
  if (!measured || deepMs === undefined || asker.signal?.aborted) return report;
  const facts = await runDeep({
    ...asker,
    cached: measured.cached,
    metrics: measured.samples !== undefined,
    forMs: deepMs,
    note,
  });
  const outcomes = deepOutcomes(facts);
  for (const outcome of outcomes) tell(outcome);
  return { ...report, outcomes: [...report.outcomes, ...outcomes], budget: budgetOf(inputOf(measured, facts)) };
}

function inputOf(measured: Measured, deep?: DeepFacts): BudgetInput {
  const { cached, samples } = measured;
  const capacity = samples?.watch_cache_capacity;
  const revisions = revisionRate(measured);
  return budgetInput(
    {
      ...(cached === undefined ? {} : { cached }),
      ...(capacity === undefined ? {} : { capacity }),
      ...(revisions === undefined ? {} : { revisions }),
    },
    deep,
  );
}
