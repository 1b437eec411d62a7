import type { Budget } from './budget.ts';

/** `fail` makes the command end with 1. `info`: a measurement. `skip`: it could not be asked; the answer says why. */
export type CheckResult = 'pass' | 'fail' | 'warn' | 'info' | 'skip';

/** One thing that is asked. */
export interface Check {
  /** Stable, for programs: `window-floor`. */
  id: string;
  /** For people, a few words. */
  title: string;
  half: 'quick' | 'deep';
}

export interface CheckOutcome {
  check: Check;
  result: CheckResult;
  /** One line. It may hold text of the server: renderers sanitise it. */
  answer: string;
  /** Why it matters, or what else was seen. */
  detail?: string;
  /** What to do or ask next. */
  next?: string;
  /** What was measured, names as in JSON (`floor`, `took_ms`). */
  facts: Record<string, string | number | boolean>;
  tookMs: number;
  /** Requests that it cost. */
  requests: number;
}

/** What a check has to say, without its name and its cost. */
export type Said = Pick<CheckOutcome, 'result' | 'answer' | 'detail' | 'next' | 'facts'>;

/** All that one path answered. */
export interface ProbeReport {
  /** The endpoint, as it is shown: `https://10.0.0.1:6443`. */
  server: string;
  /** `pods`, `deployments.apps`, or the path of what is no resource. */
  resource: string;
  /** ms since the epoch. */
  startedAt: number;
  outcomes: CheckOutcome[];
  budget?: Budget;
}
