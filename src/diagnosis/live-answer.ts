import type { ProbeAnswer, ProbeKind, RunFacts, StreamFacts } from '../client/facts.ts';
import { compareRv } from '../protocol/resource-version.ts';
import { answerOf } from './answer.ts';
import type { Confidence, Finding, FindingClass, RefusedBy } from './finding.ts';
import { goneText } from './known-texts.ts';
import { quote } from './quote.ts';

/** What a cluster answered when it was asked whether one RV can still be watched from. */
export interface LiveAnswer {
  rv: string;
  /** `ahead`: accepted, but the cache has not come to it. `gone`: 410. `rejected`: any other refusal. */
  watch: 'served' | 'ahead' | 'gone' | 'rejected' | 'no-answer';
  refusedBy?: RefusedBy;
  /** Where the watch cache's history begins: the lowest and the highest that was told. Unequal: several apiservers. */
  floors?: { low: string; high: string };
  /** Revisions between the RV and the floor (the one that refused it, or the highest). */
  apart?: string;
  etcd: 'holds' | 'compacted' | 'unseen';
  cacheRv?: string;
  /** The window probe met etcd itself: there is no watch cache in between. */
  uncached: boolean;
  serverVersion?: string;
  /** Diagnosis of the refusal; absent where there is none. */
  finding?: Finding;
  class: FindingClass;
  confidence: Confidence;
  /** What could not be seen, and why. */
  unseen: { what: string; why: string }[];
}

/** `run`: the watch from `rv` and the probes beside it, with what diagnosis found in them. */
export function liveAnswer(rv: string, run: RunFacts, findings: readonly Finding[]): LiveAnswer {
  const stream = run.streams[0];
  const cacheRv = outcome(run, 'cache-rv', 'rv')?.rv;
  const gone = goneIn(stream);
  const etcd = etcdState(run, rv, gone?.refusedBy);
  // The cache of an idle resource lags behind etcd: what etcd has is no RV of the future.
  const behind = cacheRv !== undefined && compareRv(cacheRv, rv) === -1 && etcd !== 'holds';
  const watch = watchState(stream, gone !== undefined, behind);
  const floors = floorsOf(run, gone?.floor);
  const near = gone?.floor ?? floors?.high;
  const apart = near === undefined ? undefined : distance(rv, near);
  const finding = findings.find((each) => each.class !== 'healthy' && each.explainedBy === undefined);
  const refused = watch === 'gone' || watch === 'rejected' || watch === 'no-answer';
  return {
    rv,
    watch,
    ...(gone ? { refusedBy: gone.refusedBy } : {}),
    ...(floors ? { floors } : {}),
    ...(apart === undefined ? {} : { apart }),
    etcd,
    ...(cacheRv === undefined ? {} : { cacheRv }),
    uncached: isUncached(run, gone?.refusedBy),
    ...(run.serverVersion === undefined ? {} : { serverVersion: run.serverVersion }),
    ...(refused && finding ? { finding } : {}),
    ...classOf(watch, refused ? finding : undefined),
    unseen: unseenOf(run, {
      granted: watch === 'served' || watch === 'ahead',
      floorTold: gone?.floor !== undefined,
    }),
  };
}

function classOf(
  watch: LiveAnswer['watch'],
  finding: Finding | undefined,
): { class: FindingClass; confidence: Confidence } {
  if (finding) return { class: finding.class, confidence: finding.confidence };
  switch (watch) {
    case 'served':
      return { class: 'healthy', confidence: 'high' };
    case 'ahead':
      return { class: 'rv-too-large', confidence: 'medium' };
    case 'gone':
      return { class: 'ambiguous-410', confidence: 'low' };
    case 'rejected':
    case 'no-answer':
      return { class: 'unreachable', confidence: 'low' };
  }
}

function watchState(stream: StreamFacts | undefined, gone: boolean, behind: boolean): LiveAnswer['watch'] {
  if (gone) return 'gone';
  if (stream?.httpStatus === undefined) return 'no-answer';
  const open = stream.end === undefined || stream.end === 'stopped' || stream.end === 'eof';
  if (stream.httpStatus !== 200 || stream.errorStatus !== undefined || !open) return 'rejected';
  return behind ? 'ahead' : 'served';
}

function goneIn(stream: StreamFacts | undefined): { refusedBy: RefusedBy; floor?: string } | undefined {
  if (!stream) return undefined;
  const answer = answerOf({ at: stream.askedAt, stream });
  if (answer?.code !== 410 && answer?.httpStatus !== 410) return undefined;
  const { refusedBy, floor } = goneText(answer.message);
  return floor === undefined ? { refusedBy } : { refusedBy, floor };
}

/** Later answers first would do as well: a floor only rises, so what is told within a second or two is one range. */
function floorsOf(run: RunFacts, told: string | undefined): { low: string; high: string } | undefined {
  const floors = [
    ...(told === undefined ? [] : [told]),
    ...run.probes.flatMap(({ outcome: { kind, ...rest } }) =>
      kind === 'floor' && 'floor' in rest ? [rest.floor] : [],
    ),
  ];
  if (floors.length === 0) return undefined;
  const sorted = floors.sort((a, b) => compareRv(a, b) ?? 0);
  return { low: sorted[0] as string, high: sorted.at(-1) as string };
}

function etcdState(run: RunFacts, rv: string, refusedBy: RefusedBy | undefined): LiveAnswer['etcd'] {
  if (refusedBy === 'etcd') return 'compacted';
  for (const { kind, outcome: found } of run.probes) {
    if (kind !== 'exact') continue;
    if (found.kind === 'compacted') return 'compacted';
    if (found.kind === 'alive' && found.rv === rv) return 'holds';
  }
  return 'unseen';
}

/** By etcd's own words; or events whose history reaches back to 1, since no kube-apiserver caches them unless told to (facts/server §4). */
function isUncached(run: RunFacts, refusedBy: RefusedBy | undefined): boolean {
  if (outcome(run, 'window', 'compacted') !== undefined || refusedBy === 'etcd') return true;
  const { resource, group } = run.streams[0]?.target ?? {};
  const events = resource === 'events' && (group === '' || group === 'events.k8s.io');
  const ring = outcome(run, 'metrics', 'metrics')?.samples.watch_cache_capacity;
  return events && ring === undefined && outcome(run, 'window', 'open') !== undefined;
}

function outcome<K extends ProbeAnswer['outcome']['kind']>(
  run: RunFacts,
  kind: ProbeKind,
  wanted: K,
): Extract<ProbeAnswer['outcome'], { kind: K }> | undefined {
  for (const { kind: asked, outcome: found } of run.probes)
    if (asked === kind && found.kind === wanted) return found as Extract<ProbeAnswer['outcome'], { kind: K }>;
  return undefined;
}

const WHAT: Record<ProbeKind, string> = {
  window: 'the window’s floor',
  exact: 'whether etcd still has it',
  'cache-rv': 'the cache’s own RV',
  side: 'a second stream',
  metrics: 'the server’s counters (/metrics)',
  version: 'the server’s version',
};

/** `granted`: then whether etcd still has the RV is no question. `floorTold`: the refusal itself named the floor. */
function unseenOf(
  run: RunFacts,
  { granted, floorTold }: { granted: boolean; floorTold: boolean },
): LiveAnswer['unseen'] {
  const told = new Map<ProbeKind, string>();
  for (const { kind, outcome: found } of run.probes) {
    if (found.kind !== 'failed' || (granted && kind === 'exact') || (floorTold && kind === 'window')) told.delete(kind);
    else if (!run.probes.some((each) => each.kind === kind && each.outcome.kind !== 'failed'))
      told.set(kind, found.detail);
  }
  return [...told].map(([kind, detail]) => ({ what: WHAT[kind], why: reason(detail) }));
}

/** The HTTP status says enough: a 403's words name each thing anew. */
function reason(detail: string): string {
  return /^HTTP \d{3}/.exec(detail)?.[0] ?? quote(detail, 90);
}

/** Exact, also beyond 2^53; undefined where the two have no order. */
function distance(a: string, b: string): string | undefined {
  if (compareRv(a, b) === undefined) return undefined;
  const difference = BigInt(a) - BigInt(b);
  return String(difference < 0n ? -difference : difference);
}
