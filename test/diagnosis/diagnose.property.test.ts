import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { END_KINDS, type ProbeOutcome, type RunFacts, type StreamFacts } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { CLASSES, type Finding } from '../../src/diagnosis/finding.ts';
import { FindingLedger } from '../../src/diagnosis/finding-ledger.ts';
import { hasControl } from '../../src/diagnosis/quote.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FactsBuilder, failure, INITIALIZATIONS, seconds } from './facts-builder.ts';

/** Whatever a server says, and whatever a clock measures: one answer, the same each time, within the contract's lengths. */
const HOSTILE = '\u001b]0;owned\u0007\u202Eevil\u2066\n\r\t\u0085';

const message = fc.oneof(
  fc.constantFrom(
    'too old resource version: 100 (200)',
    `too old resource version: 100 (200)${HOSTILE}`,
    'The resourceVersion for the provided watch is too old.',
    'The resourceVersion for the provided list is too old.',
    'The provided continue parameter is too old to display a consistent list result.',
    'etcdserver: mvcc: required revision has been compacted',
    'Timeout: Too large resource version: 900, current: 800',
    'storage is (re)initializing',
    'Too many requests, please try again later.\n',
    'conversion webhook for x failed',
    'Internal error occurred: etcd event received with PrevKv=nil (key="/registry/a", modRevision=7, type=DELETE)',
    '',
    HOSTILE,
    'x'.repeat(5_000),
    `pods is forbidden: User "u${HOSTILE}" cannot watch resource "pods${HOSTILE}" in API group "" in the namespace "a"`,
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

const status = fc
  .record({
    message,
    code: fc.constantFrom(410, 429, 500, 504, 200, 403, undefined),
    reason: fc.string({ maxLength: 20 }),
  })
  .map(({ code, ...rest }) => failure(code === undefined ? rest : { ...rest, code }));
const rvText = fc.oneof(
  fc.constantFrom('100', '150', '200', '0', '18446744073709551615'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const headers = fc.dictionary(
  fc.constantFrom('audit-id', 'server', 'via', 'retry-after', 'content-type', 'x-kubernetes-pf-flowschema-uid'),
  fc.oneof(fc.constantFrom('1', 'nginx', HOSTILE), fc.string({ unit: 'binary', maxLength: 40 })),
);

const stream = fc.record({
  target: fc.nat(2),
  gap: fc.constantFrom(0, 0.02, 1, 6, 70, 400),
  life: fc.constantFrom(0.02, 3, 20, 45, 60, 95, 300, 700, 2_000),
  idle: fc.constantFrom(0, 0.5, 20, 50, 80, 250),
  end: maybe(fc.constantFrom(...END_KINDS)),
  http: fc.constantFrom(200, 200, 200, 410, 429, 401, 403, 404, 405, 422, 500, 502, 504, undefined),
  requested: maybe(rvText),
  origin: fc.constantFrom('none', 'url', 'list', 'event', 'bookmark') as fc.Arbitrary<
    'url' | 'event' | 'bookmark' | 'list' | 'none'
  >,
  last: maybe(rvText),
  timeout: maybe(fc.constantFrom(20, 45, 60, 300, 600)),
  clientTimeoutMs: maybe(fc.constantFrom(20_000, 60_000)),
  bookmarks: fc.nat(5),
  events: fc.nat(500),
  error: maybe(status),
  body: maybe(status),
  headers,
  detail: maybe(fc.oneof(fc.constant(HOSTILE), fc.string({ unit: 'binary', maxLength: 60 }))),
  peakPerSecond: fc.constantFrom(0, 1, 60, 400),
  readStalledMs: fc.constantFrom(0, 0, 2_000, 90_000),
  tailBytes: fc.constantFrom(0, 0, 0, 170),
  malformed: fc.constantFrom(0, 0, 0, 2),
  oddRv: maybe(rvText),
  flags: fc.record({
    allowWatchBookmarks: fc.boolean(),
    sendInitialEvents: fc.boolean(),
    hasSelector: fc.boolean(),
    framed: fc.boolean(),
  }),
  back: fc.boolean(),
  mark: fc.constantFrom(null, undefined, 5),
  noAnswer: fc.boolean(),
  longestSilenceMs: maybe(fc.constantFrom(0, 20_000, 50_000, 130_000)),
  late: fc.constantFrom(0, 0, 15, 60),
  badBookmark: maybe(fc.record({ rv: rvText, lastEvent: rvText })),
  lowFrames: maybe(fc.record({ count: fc.integer({ min: 1, max: 9 }), events: fc.nat(1), seconds: fc.nat(40) })),
  clumps: maybe(fc.array(fc.record({ quietMs: fc.nat(90_000), events: fc.nat(40), spreadMs: fc.nat(90_000) }))),
  exits: maybe(fc.record({ name: fc.constantFrom('a/b', 'c', HOSTILE), cameBack: fc.boolean() })),
});

const outcome: fc.Arbitrary<ProbeOutcome> = fc.oneof(
  rvText.map((floor) => ({ kind: 'floor' as const, floor: rv(floor) })),
  fc.constant({ kind: 'open' as const }),
  fc.constant({ kind: 'alive' as const, rv: rv('100') }),
  fc.constant({ kind: 'compacted' as const, rv: rv('100') }),
  rvText.map((text) => ({ kind: 'rv' as const, rv: rv(text) })),
  fc.nat(3).map((value) => ({
    kind: 'metrics' as const,
    samples: { [INITIALIZATIONS]: value, process_start_time_seconds: value % 2 },
  })),
  fc.nat(5).map((frames) => ({ kind: 'side' as const, frames, waitedMs: 5_000 })),
  fc.constant({ kind: 'failed' as const, detail: HOSTILE }),
);

/** What a stream shows of what it delivered. */
function showMore(
  facts: StreamFacts,
  { longestSilenceMs, late, badBookmark, lowFrames, clumps, exits }: Generated<typeof stream>,
): void {
  if (longestSilenceMs !== undefined) facts.longestSilenceMs = longestSilenceMs;
  if (late > 0 && facts.openedAt !== undefined) facts.openedAt += late * 1000;
  if (badBookmark) facts.badBookmark = badBookmark;
  if (lowFrames) {
    const { seconds: lasted, ...counts } = lowFrames;
    facts.lowFrames = { ...counts, firstAt: facts.askedAt, lastAt: facts.askedAt + lasted * 1000 };
  }
  if (clumps) facts.clumps = clumps.map((clump) => ({ ...clump, at: facts.askedAt }));
  if (exits) {
    const { name, cameBack } = exits;
    const first = { name, at: facts.askedAt };
    facts.selectionExits = { count: 1, names: [name], first, ...(cameBack ? { cameBack: { name } } : {}) };
  }
}

const runs: fc.Arbitrary<RunFacts> = fc
  .record({
    streams: fc.array(stream, { maxLength: 7 }),
    probes: fc.array(fc.record({ at: fc.nat(900), outcome, target: fc.nat(2) }), { maxLength: 6 }),
    lists: fc.array(
      fc.record({
        at: fc.nat(900),
        rv: maybe(rvText),
        status: maybe(status),
        hadContinue: fc.boolean(),
        target: fc.nat(2),
        waited: fc.boolean(),
        missed: maybe(
          fc.record({ name: fc.constantFrom('a/b', HOSTILE), rv: rvText, by: fc.constantFrom('bookmark', 'event') }),
        ),
      }),
      { maxLength: 4 },
    ),
    resources: fc.tuple(
      ...[0, 1, 2].map(() => fc.constantFrom('pods', 'events', 'widgets.stable.example.io', HOSTILE)),
    ),
    finished: fc.boolean(),
    pending: fc.boolean(),
    tokenExpiresAt: maybe(fc.constant(1_900_000_000_500)),
  })
  .map((made) => {
    const b = new FactsBuilder();
    const targets = made.resources.map((resource) => b.target(resource, resource === HOSTILE ? { path: HOSTILE } : {}));
    const clocks = [0, 0, 0];
    for (const one of made.streams) {
      const at = (clocks[one.target] ?? 0) + one.gap;
      const until = at + one.life;
      clocks[one.target] = until;
      const facts = b.stream(targets[one.target]!, {
        at,
        until,
        ...(one.end ? { end: one.end } : {}),
        ...(one.requested === undefined
          ? {}
          : { rv: one.requested, rvAt: Math.max(0, at - one.idle), origin: one.origin }),
        ...(one.last === undefined ? {} : { last: [one.last, Math.max(at, until - one.idle), 'event'] }),
        ...(one.timeout === undefined ? {} : { timeout: one.timeout }),
        bookmarks: Array.from({ length: one.bookmarks }, (_, i) => at + i * 60),
        events: one.events,
        ...(one.error ? { error: one.error } : {}),
      });
      if (one.http === undefined) {
        delete facts.httpStatus;
        delete facts.openedAt;
      } else facts.httpStatus = one.http;
      Object.assign(facts, one.flags, {
        headers: one.headers,
        peakPerSecond: one.peakPerSecond,
        tailBytes: one.tailBytes,
        malformed: one.malformed,
      });
      facts.readStalledMs = one.readStalledMs;
      if (one.readStalledMs > 0) facts.readStallEndedAt = facts.askedAt + one.readStalledMs;
      if (one.peakPerSecond > 0) facts.peakAt = facts.askedAt + 1;
      if (one.clientTimeoutMs !== undefined) facts.clientTimeoutMs = one.clientTimeoutMs;
      if (one.body) facts.body = { text: one.body.message ?? '', size: 5, status: one.body };
      if (one.detail !== undefined) facts.endDetail = one.detail;
      if (one.malformed > 0 || one.tailBytes > 0) Object.assign(facts, { malformedText: HOSTILE, tailText: HOSTILE });
      if (one.oddRv !== undefined) facts.oddRv = one.oddRv;
      if (one.back) facts.wentBackwards = { before: rv('9'), lower: rv('5') };
      if (one.mark !== undefined) facts.initialEventsEndAt = one.mark;
      if (one.noAnswer) facts.noAnswerAt = facts.askedAt + 10_000;
      showMore(facts, one);
    }
    for (const { at, outcome: what, target } of made.probes)
      b.probe(targets[target]!, at, what, '/x?resourceVersion=100&resourceVersionMatch=Exact');
    for (const { at, rv: text, status: told, hadContinue, target, waited, missed } of made.lists) {
      b.list(targets[target]!, at, text, {
        ...(told ? { httpStatus: told.code ?? 500, refusal: { status: told, hadContinue } } : {}),
        ...(waited ? { noAnswerAt: seconds(at + 10) } : {}),
        ...(missed
          ? {
              missed: {
                count: 1,
                names: [missed.name],
                name: missed.name,
                rv: missed.rv,
                coveredBy: { rv: '900', by: missed.by as 'bookmark' },
              },
            }
          : {}),
      });
    }
    const end = Math.max(...clocks, ...made.lists.map(({ at }) => at));
    const waiting = {
      target: targets[0]!,
      methodPath: targets[0]!.path,
      why: '410' as const,
      askedAt: seconds(end + 5),
    };
    const more = {
      ...(made.pending ? { pendingLists: [{ ...waiting, noAnswerAt: seconds(end + 15) }] } : {}),
      finished: made.finished,
      ...(made.tokenExpiresAt === undefined ? {} : { tokenExpiresAt: made.tokenExpiresAt }),
    };
    return b.run(Math.max(...clocks, ...made.lists.map(({ at }) => at), ...made.probes.map(({ at }) => at)) + 30, more);
  });

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

const length = (text: string) => Array.from(text).length;

function withinTheContract(finding: Finding): void {
  expect(CLASSES).toContain(finding.class);
  expect(length(finding.title)).toBeLessThanOrEqual(120);
  expect(finding.title.length).toBeGreaterThan(0);
  expect(length(finding.text)).toBeLessThanOrEqual(900);
  expect(finding.next.length).toBeLessThanOrEqual(5);
  const { verdict, refusedBy, why, ruledOut, do: act } = finding.lines;
  const shown = [
    finding.title,
    finding.text,
    ...finding.evidence,
    ...finding.next,
    ...finding.ruledOut,
    verdict,
    refusedBy,
    why,
    ruledOut,
    act,
  ];
  for (const text of shown) expect(hasControl(text), JSON.stringify(text)).toBe(false);
  if (finding.class.startsWith('ambiguous-')) expect(finding.confidence).not.toBe('high');
  expect(finding.candidates[0]?.class).toBe(finding.class);
  expect(new Set(finding.candidates.map((one) => one.class)).size).toBe(finding.candidates.length);
  for (const [name, value] of Object.entries(finding.facts)) {
    expect(name).toMatch(/^[a-z_]+$/);
    if (name.endsWith('_ms')) expect(Number.isInteger(value)).toBe(true);
    if (name.endsWith('_rv')) expect(typeof value).toBe('string');
  }
}

describe('diagnose, whatever the facts', () => {
  it('gives the same findings each time, within the contract, and changes nothing', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(runs, (run) => {
        const findings = diagnose(frozen(run));
        expect(diagnose(run)).toEqual(findings);
        findings.forEach(withinTheContract);
        withinTheContract(verdictOf(findings, run));
        const ids = findings.map(({ id }) => id);
        expect(ids).toEqual(ids.map((_, i) => `f${i + 1}`));
        expect(new Set(findings.map(({ key }) => key)).size).toBe(findings.length);
        for (const { id, explainedBy } of findings) {
          if (explainedBy === undefined) continue;
          expect(ids).toContain(explainedBy);
          expect(explainedBy).not.toBe(id);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives exactly one verdict to each 410', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const covered = diagnose(run).flatMap(({ facts, streams }) => (facts.refused_by === undefined ? [] : streams));
        const gone = run.streams.filter(({ errorStatus, httpStatus, body, end }) =>
          errorStatus
            ? errorStatus.code === 410 || httpStatus === 410
            : end !== undefined && (httpStatus === 410 || (httpStatus !== 200 && body?.status?.code === 410)),
        );
        for (const { stream: number } of gone) expect(covered.filter((one) => one === number)).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps ids and only raises revisions, however the story is cut', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const ledger = new FindingLedger();
        const revs = new Map<string, number>();
        const moments = [...run.streams, ...run.lists].map(({ askedAt }) => askedAt);
        for (const now of [...moments.sort((one, other) => one - other), run.now]) {
          const part = {
            ...run,
            now,
            streams: run.streams.filter(({ askedAt }) => askedAt <= now),
            lists: run.lists.filter(({ askedAt }) => askedAt <= now),
          };
          for (const { id, rev } of ledger.update(diagnose(part), part)) {
            expect(rev).toBe((revs.get(id) ?? 0) + 1);
            revs.set(id, rev);
          }
        }
        expect(ledger.findings()).toHaveLength(diagnose(run).length);
      }),
      { numRuns: 150 },
    );
  });
});
