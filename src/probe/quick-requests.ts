import { probeRequest } from '../client/probes.ts';
import { LIST_ACCEPT, MATCHES_NOTHING, WATCH_ACCEPT } from '../client/watch-request.ts';
import { type ResourceVersion, rv } from '../protocol/resource-version.ts';
import type { Asker, Question } from './ask.ts';

/** Beyond the `timeoutSeconds` of a short watch we wait for its end no longer than this, ms. */
const END_PATIENCE_MS = 2_000;
/** The first question connects, and may wait for a token or a slow path, ms. */
const FIRST_PATIENCE_MS = 10_000;
/** Length of the watch at RV 1, s: where it is not refused it ends by that. */
const WINDOW_SECONDS = 1;

type Plan = Pick<Asker, 'plan' | 'namespaced'>;

/** One object of the resource, from etcd itself. */
export function firstList({ plan }: Plan): Question {
  return {
    path: `${plan.listPath}?limit=1`,
    accept: LIST_ACCEPT,
    about: 'list',
    as: 'document',
    patienceMs: FIRST_PATIENCE_MS,
  };
}

/** The same by somebody who takes gzip. */
export function zippedList(asker: Plan): Question {
  return { ...firstList(asker), about: 'gzip', extra: { 'accept-encoding': 'gzip' }, patienceMs: END_PATIENCE_MS };
}

/** One object of the cache's, metadata only: a cache sends them all, and we stop reading at 64 KiB. */
export function pagedCacheList({ plan }: Plan): Question {
  return { path: `${plan.listPath}?resourceVersion=0&limit=1`, accept: LIST_ACCEPT, about: 'cached', as: 'document' };
}

/** Of the server. */
export function versionOf(): Question {
  return { path: '/version', accept: 'application/json', about: 'version', as: 'document' };
}

/** A watch that a cache refuses, naming its floor. `untilError`: how it ends is not wanted. */
export function windowWatch({ plan }: Plan, untilError: boolean): Question {
  const { path, accept } = probeRequest({ kind: 'window', urgent: false }, plan, undefined);
  const patienceMs = WINDOW_SECONDS * 1000 + END_PATIENCE_MS;
  return { path, accept, about: 'window', as: 'watch', untilError, patienceMs };
}

/** A LIST of one name that no object has: at an RV, as the cache has it (`0`), or as etcd has it. */
export function singleName({ plan, namespaced }: Plan, at: ResourceVersion | '0' | 'newest'): Question {
  const ask =
    at === '0' || at === 'newest'
      ? ({ kind: 'cache-rv', urgent: false } as const)
      : ({ kind: 'exact', rv: rv(at), urgent: false } as const);
  const { path } = probeRequest(ask, plan, namespaced);
  return {
    path: at === 'newest' ? path.replace(/[?&]resourceVersion=0$/, '') : path,
    accept: LIST_ACCEPT,
    about: at === 'newest' ? 'etcd-rv' : ask.kind,
    as: 'document',
  };
}

/** A watch of a name that no object has: nothing but bookmarks can come. `from`: an RV, or what is none. */
export function emptyWatch(
  { plan }: Plan,
  about: string,
  seconds: number,
  query: Record<string, string>,
  extra: Record<string, string> = {},
): Question {
  const all = new URLSearchParams({
    watch: '1',
    timeoutSeconds: String(seconds),
    fieldSelector: MATCHES_NOTHING,
    ...query,
  });
  return {
    path: `${plan.listPath}?${all}`,
    accept: WATCH_ACCEPT,
    about,
    as: 'watch',
    extra,
    patienceMs: seconds * 1000 + END_PATIENCE_MS,
  };
}
