import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, ObjectMeta } from '../protocol/object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { cleanMeta } from './meta-fields.ts';
import { timestamp } from './registry.ts';
import type { Resource } from './resource.ts';
import type { Strategy } from './strategy.ts';

/** What a DELETE has to do with an object as it is now. */
export type DeletionPlan =
  /** It is being deleted already, as gracefully as asked. */
  | { do: 'leave' }
  | { do: 'delete' }
  /** Write `object`; then delete, unless something `waits`: a finalizer, or a grace period. */
  | { do: 'mark'; object: KubeObject; waits: boolean };

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Upstream rest.BeforeDelete and Store.updateForGracefulDeletionAndFinalizers, without the writing. `now`: ms. */
export function planDeletion(
  resource: Resource,
  object: KubeObject,
  options: DeleteOptions,
  now: number,
): DeletionPlan {
  const grace = graceOf(resource, object, options);
  if (grace === 'leave') return { do: 'leave' };
  const finalizers = finalizersFor(resource, object, options);
  const metadata: ObjectMeta = { ...object.metadata, finalizers };
  if (grace === undefined) {
    if (finalizers.length === 0) return { do: 'delete' };
    const since = object.metadata.deletionTimestamp ?? timestamp(now);
    return marked(object, { ...deletedMeta(metadata, since, 0) }, true);
  }
  const end = endOfGrace(object.metadata, grace, now);
  return marked(object, deletedMeta(metadata, end, grace), finalizers.length > 0 || grace > 0);
}

/** metadata of an object whose deletion began. The first time, that counts as a change of what is wanted. */
export function deletedMeta(metadata: ObjectMeta, at: string, graceSeconds: number | undefined): ObjectMeta {
  const begins = metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0;
  return {
    ...metadata,
    deletionTimestamp: at,
    ...(graceSeconds === undefined ? {} : { deletionGracePeriodSeconds: graceSeconds }),
    ...(begins ? { generation: (metadata.generation ?? 0) + 1 } : {}),
  };
}

function marked(object: KubeObject, metadata: ObjectMeta, waits: boolean): DeletionPlan {
  const next = { ...object, metadata: cleanMeta(metadata) };
  return { do: 'mark', object: isDeepStrictEqual(next, object) ? object : next, waits };
}

/** Seconds of grace to write; undefined: this type, or this object, is not deleted gracefully. */
function graceOf({ strategy }: Resource, object: KubeObject, options: DeleteOptions): number | 'leave' | undefined {
  if (!strategy.gracePeriod) return undefined;
  const asked = options.gracePeriodSeconds;
  const { deletionTimestamp, deletionGracePeriodSeconds: given } = object.metadata;
  if (deletionTimestamp === undefined) return strategy.gracePeriod(object, asked);
  if (given === undefined) return undefined;
  return asked === undefined || asked >= given ? 'leave' : Math.max(asked, 0);
}

/** A period can only be shortened: it is counted from when the deletion was asked for. */
function endOfGrace(
  { deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  grace: number,
  now: number,
): string {
  const asked =
    deletionTimestamp === undefined ? now : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return timestamp(asked + grace * 1000);
}

/** Finalizers with those of the garbage collector set as the options, or else the type's policy, want them. */
export function finalizersFor({ strategy }: Resource, { metadata }: KubeObject, options: DeleteOptions): string[] {
  const present = metadata.finalizers ?? [];
  if (strategy.garbageCollection === 'unsupported') return present;
  const wanted = wantedFinalizers(strategy, present, options);
  // Where nothing is to change, not even the order does.
  const same = new Set(present).size === wanted.length && wanted.every((one) => present.includes(one));
  return same ? present : wanted;
}

function wantedFinalizers(strategy: Strategy, present: string[], options: DeleteOptions): string[] {
  const own = present.filter((one) => one !== ORPHAN && one !== FOREGROUND);
  const wanted = options.propagationPolicy ?? policyOf(present) ?? strategy.garbageCollection;
  if (wanted === 'Orphan' || wanted === 'orphan') return [...own, ORPHAN];
  return wanted === 'Foreground' ? [...own, FOREGROUND] : own;
}

function policyOf(finalizers: readonly string[]): 'Orphan' | 'Foreground' | undefined {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : undefined;
}
