import type { ListFacts, PendingList, RunFacts, StreamFacts, WatchTarget } from '../client/facts.ts';
import type { GoneSigns } from './gone-signs.ts';

/** One request of a target that matters for its story: a watch, or a LIST. Exactly one of the two is there. */
export interface Attempt {
  at: number;
  stream?: StreamFacts;
  list?: ListFacts;
}

/** One attempt among those before and after it: what rules look at, since evidence comes late. */
export interface Place extends Attempt {
  scene: Scene;
  target: WatchTarget;
  /** All attempts of the target in the order of asking, and where this one is. */
  line: readonly Attempt[];
  index: number;
}

/** A run, indexed once per diagnosis. */
export interface Scene {
  run: RunFacts;
  /** The ring is known to be pinned to so many events. */
  pinned?: number;
  lines: ReadonlyMap<number, readonly Attempt[]>;
  /** Signs of each 410: asked for by the refusal itself, and by the end before it (gone-signs). */
  gone: Map<StreamFacts | ListFacts, GoneSigns>;
  /** What `once`, `oncePerLine` and `oncePerResource` have found. */
  found: Map<object, unknown>;
}

/**
 * What is asked for at many places and is the same for all of them, found once in a diagnosis: an index over the run, without which
 * each end would look at every other stream. `find` is the key, so it has to be one function, not a new one each time.
 */
export function once<T>(scene: Scene, find: (scene: Scene) => T): T {
  const known = scene.found.get(find);
  if (known !== undefined) return known as T;
  const result = find(scene);
  scene.found.set(find, result);
  return result;
}

/** The same for all attempts of one target. */
export function oncePerLine<T>(place: Place, find: (place: Place) => T): T {
  return keyed(place, find, place.line);
}

/** The same for all targets that watch one resource. */
export function oncePerResource<T>(place: Place, find: (place: Place) => T): T {
  return keyed(place, find, resourceKey(place.target));
}

function keyed<T>(place: Place, find: (place: Place) => T, key: unknown): T {
  const { found } = place.scene;
  let byKey = found.get(find) as Map<unknown, T> | undefined;
  if (byKey === undefined) {
    byKey = new Map();
    found.set(find, byKey);
  }
  const known = byKey.get(key);
  if (known !== undefined) return known;
  const result = find(place);
  byKey.set(key, result);
  return result;
}

export function sceneOf(run: RunFacts, pinned?: number): Scene {
  const lines = new Map<number, Attempt[]>();
  const add = (index: number, attempt: Attempt) => {
    const line = lines.get(index);
    if (line) line.push(attempt);
    else lines.set(index, [attempt]);
  };
  for (const stream of run.streams) add(stream.target.index, { at: stream.askedAt, stream });
  for (const list of run.lists) add(list.target.index, { at: list.askedAt, list });
  for (const { noAnswerAt, ...list } of run.pendingLists ?? []) {
    // One that only began to wait says nothing yet.
    if (noAnswerAt !== undefined) add(list.target.index, { at: list.askedAt, list: unanswered(list, noAnswerAt, run) });
  }
  for (const line of lines.values()) line.sort((a, b) => a.at - b.at || listFirst(a, b) - listFirst(b, a));
  return { run, lines, ...(pinned === undefined ? {} : { pinned }), gone: new Map(), found: new Map() };
}

/** In one moment the LIST comes before the watch that begins with what it told, and after one that was refused. 0 or -1. */
function listFirst({ list }: Attempt, { stream }: Attempt): number {
  return list?.rv !== undefined && stream?.requestedRv === list.rv && stream.requestedRvOrigin === 'list' ? -1 : 0;
}

/** A LIST without headers, as the refusal that it is so far; how it ends is not known. */
function unanswered(list: Omit<PendingList, 'noAnswerAt'>, noAnswerAt: number, { now }: RunFacts): ListFacts {
  const nothing = { headers: {}, items: 0, pages: 0, truncated: false, refusal: { hadContinue: false } };
  return { ...list, ...nothing, endedAt: now, noAnswerAt };
}

/** Every attempt of the run in its place, target by target. */
export function places(scene: Scene): Place[] {
  return [...scene.lines.values()].flatMap((line) =>
    line.map((attempt, index) => placeOf(scene, line, index, attempt, (attempt.stream ?? attempt.list)!.target)),
  );
}

/** Written out, since a spread of each attempt costs more than what is then asked of most of them. */
function placeOf(
  scene: Scene,
  line: readonly Attempt[],
  index: number,
  { at, stream, list }: Attempt,
  target: WatchTarget,
): Place {
  if (stream) return { at, stream, scene, line, index, target };
  return list ? { at, list, scene, line, index, target } : { at, scene, line, index, target };
}

/** The attempts before `place` that were made at `since` or later, in their order. */
export function attemptsSince({ line, index }: Place, since: number): readonly Attempt[] {
  let from = index;
  while (from > 0 && line[from - 1]!.at >= since) from--;
  return line.slice(from, index);
}

/** The nearest attempt before `place` that fits, walking back at most `MAX_LOOK` attempts. */
export function lastBefore(place: Place, fits: (attempt: Attempt) => boolean): Attempt | undefined {
  const end = Math.max(0, place.index - MAX_LOOK);
  for (let i = place.index - 1; i >= end; i--) {
    const attempt = place.line[i];
    if (attempt && fits(attempt)) return attempt;
  }
  return undefined;
}

/** The nearest attempt after `place` that fits, walking at most `MAX_LOOK` attempts. */
export function firstAfter(place: Place, fits: (attempt: Attempt) => boolean): Attempt | undefined {
  const end = Math.min(place.line.length, place.index + 1 + MAX_LOOK);
  for (let i = place.index + 1; i < end; i++) {
    const attempt = place.line[i];
    if (attempt && fits(attempt)) return attempt;
  }
  return undefined;
}

/** Attempts that one look walks over: an hour of refused connections at the longest back-off (60 s), and bounded work. */
const MAX_LOOK = 60;

/** Both watch the same storage of the apiserver, so one watch cache stands behind them (a CRD's versions have one each). */
export function sameResource(a: WatchTarget, b: WatchTarget): boolean {
  return a === b || (a.resource === b.resource && resourceKey(a) === resourceKey(b));
}

/** A path that is no resource path is known by itself only. */
export function resourceKey({ group, version, resource, index }: WatchTarget): string {
  return resource === undefined ? `#${index}` : `${group ?? ''}/${version ?? ''}/${resource}`;
}

/** API groups that kube-apiserver itself serves in 1.24 … 1.37; any other group is a CRD's or an aggregated server's. */
const BUILT_IN_GROUPS = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'extensions',
  'policy',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** A resource that a CRD (or an aggregated server) may stand behind. */
export function isCustomResource(target: WatchTarget): boolean {
  return target.group !== undefined && !BUILT_IN_GROUPS.has(target.group);
}

/** Core and events.k8s.io Events: kube-apiserver gives them no watch cache (facts/server §4). */
export function isUncached(target: WatchTarget): boolean {
  return target.resource === 'events' && (target.group === '' || target.group === 'events.k8s.io');
}

/** `pods`, `deployments.apps`, or the path where it is no resource path. */
export function resourceName(target: WatchTarget): string {
  if (target.resource === undefined) return target.path;
  return target.group ? `${target.resource}.${target.group}` : target.resource;
}

/** The place of another attempt of the same line. */
export function placeAt(place: Place, index: number): Place {
  return placeOf(place.scene, place.line, index, place.line[index] ?? place, place.target);
}
