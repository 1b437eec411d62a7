import type { Check, CheckOutcome, CheckResult, ProbeReport } from './check.ts';

/** One check, asked over both paths. */
export interface Compared {
  check: Check;
  direct: CheckOutcome | undefined;
  via: CheckOutcome | undefined;
  /** undefined: the same, as far as it was asked. */
  differs: Difference | undefined;
}

export interface Difference {
  /** `worse`: the second path fails where the first does not; `better`: the other way round; `other`: neither is wrong. */
  kind: 'worse' | 'better' | 'other';
  /** Why it may be so, where that is known. */
  because?: string;
}

/** Facts that say something of the path. Times, RVs, counts and rates move by themselves. */
const OF_THE_PATH = [
  'cached',
  'comparable',
  'confirmed',
  'content_encoding',
  'end',
  'flow_control',
  'http2',
  'http_status',
  'http_version',
  'list_encoding',
  'malformed_refused',
  'metrics',
  'rebuilt',
  'server',
  'server_version',
  'status_code',
  'tls_version',
  'via',
  'watch_list',
];

/** From worst to best. */
const RANK: Record<CheckResult, number> = { fail: 0, warn: 1, skip: 2, info: 3, pass: 3 };

/**
 * The checks of two paths side by side, in the order of the first: what differs is what the second path does to a watch. Numbers that
 * move from one moment to the next are no difference, a result that falls is.
 */
export function compareReports(direct: ProbeReport, via: ProbeReport): Compared[] {
  const rest = new Map(via.outcomes.map((outcome) => [outcome.check.id, outcome]));
  const compared = direct.outcomes.map((outcome): Compared => {
    const other = rest.get(outcome.check.id);
    rest.delete(outcome.check.id);
    return { check: outcome.check, direct: outcome, via: other, differs: differenceOf(outcome, other) };
  });
  // Asked over the second path alone.
  const alone = [...rest.values()].map(
    (outcome): Compared => ({ check: outcome.check, direct: undefined, via: outcome, differs: undefined }),
  );
  return [...compared, ...alone];
}

function differenceOf(direct: CheckOutcome, via: CheckOutcome | undefined): Difference | undefined {
  if (via === undefined) return undefined;
  const [one, other] = [RANK[direct.result], RANK[via.result]];
  const because = reason(direct);
  if (one !== other) {
    const kind = direct.result === 'skip' || via.result === 'skip' ? 'other' : other < one ? 'worse' : 'better';
    return { kind, ...because };
  }
  return sameFacts(direct, via) ? undefined : { kind: 'other', ...because };
}

/** Both paths may lead to different apiservers, each with a cache of its own. */
function reason({ check }: CheckOutcome): Pick<Difference, 'because'> {
  return /window|floor|replica|cache/.test(check.id)
    ? { because: 'the two paths may lead to different apiservers: each has a window of its own' }
    : {};
}

function sameFacts({ facts: one }: CheckOutcome, { facts: other }: CheckOutcome): boolean {
  return OF_THE_PATH.every((name) => one[name] === other[name]);
}
