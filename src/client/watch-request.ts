import type { Random } from '../util/random.ts';
import type { WatchTarget } from './facts.ts';
import type { StartAt, TargetSpec } from './run.ts';
import { formatQuery, readQuery, type SentQuery, valueIn, without, withValue } from './sent-query.ts';
import { watchTarget } from './watch-target.ts';

/** Objects of one page (client-go's pager, facts/client §1.1). */
const PAGE_LIMIT = 500;
/** timeoutSeconds of a watch of ours: uniform in [300, 600), as client-go's (facts/client §1.1). */
const MIN_TIMEOUT_S = 300;

/** Only metadata: a relist wants uid and RV, not the objects. A server that cannot do it falls back to whole objects. */
export const LIST_ACCEPT = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
export const WATCH_ACCEPT = 'application/json';

/** Everything that the requests of one target are made of. */
export interface RequestPlan {
  target: WatchTarget;
  raw: boolean;
  start: StartAt;
  /** As given. */
  query: SentQuery;
  /** Path of the collection, for LIST and probes. */
  listPath: string;
  /** `metadata.name=…` where the path names one object, as a LIST must say it. */
  nameSelector?: string;
  /** The path itself says watch (legacy /watch/ form). */
  watchInPath: boolean;
}

export function planRequests(index: number, spec: TargetSpec): RequestPlan {
  const { target, listPath, watchInPath } = watchTarget(index, spec.path);
  return {
    target,
    raw: spec.raw,
    start: spec.start,
    query: readQuery(spec.query),
    listPath,
    watchInPath,
    ...(target.name === undefined ? {} : { nameSelector: `metadata.name=${target.name}` }),
  };
}

/** A copy that asks for another `timeoutSeconds` from now on. */
export function withTimeout(plan: RequestPlan, seconds: number): RequestPlan {
  return { ...plan, query: withValue(plan.query, 'timeoutSeconds', String(seconds)) };
}

/** The RV that the plan itself starts from; undefined: none. Where a LIST comes first it has no say. */
export function startingRv(plan: RequestPlan): string | undefined {
  if (typeof plan.start === 'object') return plan.start.rv;
  if (plan.start === 'url') return valueIn(plan.query, 'resourceVersion') || undefined;
  return undefined;
}

/** What the first watch asks for, and every one for which nothing better is known. */
export function fromStart(plan: RequestPlan): WatchFrom {
  return plan.start === 'url' ? { as: 'given' } : { as: 'rv', rv: startingRv(plan) };
}

/** How a watch request differs from the plan. */
export type WatchFrom =
  /** The query as the plan has it. */
  | { as: 'given' }
  /** From this RV; undefined: without one. */
  | { as: 'rv'; rv: string | undefined };

/** Path and query of a WATCH. */
export function watchPath(plan: RequestPlan, from: WatchFrom, random: Random): string {
  let query = plan.query;
  if (!plan.watchInPath && valueIn(query, 'watch') === undefined) query = withValue(query, 'watch', '1');
  if (!plan.raw) query = withOurDefaults(query, random);
  if (from.as === 'rv') {
    query = from.rv === undefined ? without(query, 'resourceVersion') : withValue(query, 'resourceVersion', from.rv);
    if (plan.start === 'list') query = withoutListParameters(query);
  }
  return join(plan.target.path, query);
}

/** Bookmarks keep the resume RV young; a planned end below ten minutes proves the path and spares idle timers. */
function withOurDefaults(query: SentQuery, random: Random): SentQuery {
  let full = query;
  if (valueIn(full, 'allowWatchBookmarks') === undefined) full = withValue(full, 'allowWatchBookmarks', 'true');
  if (valueIn(full, 'timeoutSeconds') === undefined) {
    full = withValue(full, 'timeoutSeconds', String(MIN_TIMEOUT_S + Math.floor(random() * MIN_TIMEOUT_S)));
  }
  return full;
}

/** `resourceVersionMatch` and `continue` of a list-then-watch query were meant for the LIST: a watch would refuse them. */
function withoutListParameters(query: SentQuery): SentQuery {
  return valueIn(query, 'sendInitialEvents') === undefined
    ? without(query, 'resourceVersionMatch', 'continue')
    : without(query, 'continue');
}

export interface ListFrom {
  /** `start`: as the plan says, a `resourceVersion` in it included. `fresh`: without any RV, a consistent read. */
  as: 'start' | 'fresh';
  /** Token of the next page. */
  continue?: string;
}

/** Path and query of a LIST (contract §4: the same query without what only a watch knows). */
export function listPath(plan: RequestPlan, from: ListFrom): string {
  let query = without(plan.query, 'watch', 'timeoutSeconds', 'sendInitialEvents');
  const asGiven = plan.raw && plan.start === 'list' && from.as === 'start';
  if (!plan.raw) query = without(query, 'allowWatchBookmarks');
  if (from.as === 'fresh') query = without(query, 'resourceVersion', 'resourceVersionMatch', 'continue');
  if (plan.start === 'now') query = withValue(query, 'limit', '1');
  else if (!asGiven && valueIn(query, 'limit') === undefined) query = withValue(query, 'limit', String(PAGE_LIMIT));
  if (from.continue !== undefined) {
    // A server refuses an RV beside a continue token, which carries its own (facts/server §2.3).
    query = without(withValue(query, 'continue', from.continue), 'resourceVersion', 'resourceVersionMatch');
  }
  if (plan.nameSelector !== undefined) query = withFieldSelector(query, plan.nameSelector);
  return join(plan.listPath, query);
}

/** A name that no object has: what is asked is the RV, never an object. */
export const MATCHES_NOTHING = 'metadata.name=kwatch-probe-matches-nothing';
/** Length of a side probe, s. */
const SIDE_SECONDS = 5;

/** A watch from RV 1 that can only be refused, or stay silent for a second: the refusal names the floor (facts/server §6.3 P1). */
export function windowPath(plan: RequestPlan): string {
  return join(plan.listPath, readQuery(`watch=1&resourceVersion=1&timeoutSeconds=1&${selector(MATCHES_NOTHING)}`));
}

/**
 * A LIST of one name at an RV: etcd itself answers, and reads one key (facts/server §6.3 P2). That needs a namespace in the
 * path, or a cluster-scoped resource. Where neither is known one page of one object does instead. `rv` "0": what the cache
 * has (P3).
 */
export function singleNamePath(plan: RequestPlan, rv: string, namespaced: boolean | undefined): string {
  const at = `resourceVersion=${encodeURIComponent(rv)}${rv === '0' ? '' : '&resourceVersionMatch=Exact'}`;
  const { target, listPath: path } = plan;
  if (target.namespace === undefined && namespaced === undefined) return `${path}?limit=1&${at}`;
  const scoped =
    target.namespace === undefined && namespaced ? path.replace(/\/([^/]+)$/, '/namespaces/default/$1') : path;
  return `${scoped}?${selector(MATCHES_NOTHING)}&${at}`;
}

/** A second watch of the same things from `rv`, over after a few seconds. */
export function sidePath(plan: RequestPlan, rv: string): string {
  const selectors = plan.query.filter(({ name }) => name === 'labelSelector' || name === 'fieldSelector');
  const own = readQuery(
    `watch=1&allowWatchBookmarks=true&timeoutSeconds=${SIDE_SECONDS}&resourceVersion=${encodeURIComponent(rv)}`,
  );
  const query = [...own, ...selectors];
  return join(plan.listPath, plan.nameSelector === undefined ? query : withFieldSelector(query, plan.nameSelector));
}

function selector(requirement: string): string {
  return `fieldSelector=${encodeURIComponent(requirement)}`;
}

/** Adds a requirement to those there are. */
function withFieldSelector(query: SentQuery, requirement: string): SentQuery {
  const given = valueIn(query, 'fieldSelector');
  return withValue(query, 'fieldSelector', given ? `${given},${requirement}` : requirement);
}

function join(path: string, query: SentQuery): string {
  return query.length === 0 ? path : `${path}?${formatQuery(query)}`;
}
