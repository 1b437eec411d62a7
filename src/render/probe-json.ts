import type { Bound, Budget } from '../probe/budget.ts';
import { budgetWords } from '../probe/budget-words.ts';
import type { CheckOutcome, CheckResult, ProbeReport } from '../probe/check.ts';
import type { Compared } from '../probe/via.ts';
import { type JsonRecord, SCHEMA } from './json.ts';
import { prune } from './record-fields.ts';
import { rfc3339 } from './time-format.ts';

/** Which of two paths it is about; absent where there is one. */
export type PathName = 'direct' | 'via';

/** One check, as soon as it is answered. `at`: ms. */
export function checkRecord(outcome: CheckOutcome, at: number, path?: PathName): JsonRecord {
  const { check, result, answer, detail, next, facts, tookMs, requests } = outcome;
  return prune({
    ...head('check', at),
    path,
    id: check.id,
    title: check.title,
    half: check.half,
    result,
    answer,
    detail,
    next,
    facts,
    took_ms: Math.round(tookMs),
    requests,
  }) as JsonRecord;
}

/** How long a client may be away; a bound that nothing tells is absent. */
export function budgetRecord(budget: Budget, at: number, path?: PathName): JsonRecord {
  const { history, survivesChanges, away, staleness, refusedBy, assumes } = budget;
  return prune({
    ...head('budget', at),
    path,
    refused_by: refusedBy,
    class: CLASS[refusedBy],
    history: bound(history),
    survives_changes: survivesChanges,
    away: { current: bound(away.current), bookmarks: bound(away.bookmarks), no_bookmarks: bound(away.noBookmarks) },
    stale_at_most_ms: staleness.bookmarks.atMostMs === undefined ? undefined : Math.ceil(staleness.bookmarks.atMostMs),
    assumes,
    text: Object.values(budgetWords(budget).rows.map(({ client, away }) => `${client}: ${away}`)),
  }) as JsonRecord;
}

/** What differs over the second path. */
export function differenceRecords(compared: readonly Compared[], at: number): JsonRecord[] {
  return compared.flatMap(({ check, direct, via, differs }) =>
    differs && direct && via
      ? [
          prune({
            ...head('difference', at),
            id: check.id,
            kind: differs.kind,
            because: differs.because,
            direct: { result: direct.result, answer: direct.answer },
            via: { result: via.result, answer: via.answer },
          }) as JsonRecord,
        ]
      : [],
  );
}

/** The last record. */
export function probeSummary(reports: readonly ProbeReport[], at: number, exitCode: number): JsonRecord {
  const outcomes = reports.flatMap((report) => report.outcomes);
  const count = (result: CheckResult) => outcomes.filter((one) => one.result === result).length;
  return {
    ...head('summary', at),
    servers: reports.map(({ server }) => server),
    resource: reports[0]?.resource,
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    info: count('info'),
    skip: count('skip'),
    requests: outcomes.reduce((sum, { requests }) => sum + requests, 0),
    exit_code: exitCode,
  };
}

const CLASS = { 'watch-cache': 'ring-buffer-expiry', etcd: 'upstream-compaction', unknown: 'ambiguous-410' } as const;

function head(record: string, at: number): JsonRecord {
  return { record, schema: SCHEMA, at: rfc3339(at) };
}

function bound({ guaranteedMs, atLeastMs, atMostMs }: Bound) {
  return prune({
    guaranteed_ms: Math.floor(guaranteedMs),
    at_least_ms: Math.floor(atLeastMs),
    at_most_ms: atMostMs === undefined ? undefined : Math.ceil(atMostMs),
  });
}
