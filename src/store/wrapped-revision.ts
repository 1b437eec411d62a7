import type { Revision } from './storage.ts';

/** The largest revision that etcd can count to. */
const MAX_REVISION = 2n ** 63n - 1n;

/**
 * An RV as etcd counts it. Upstream reads RVs as 64 bits without a sign and hands them to etcd with one (etcd3/store.go, watcher.go:
 * `int64(rev)`), so those from 2^63 on are negative there, which etcd takes for none. `rv`: the number that `text` stands for,
 * rounded where it is that large.
 */
export function wrappedRevision(text: string, rv: number): Revision {
  return isLarge(rv) && BigInt(text) > MAX_REVISION ? 0 : rv;
}

/**
 * After which revision a watch of etcd from an RV begins. It asks for the one behind it, and the largest number has none: what etcd
 * sees then lies before all history.
 */
export function wrappedStart(text: string, rv: number): Revision {
  return isLarge(rv) && BigInt(text) === MAX_REVISION ? BEFORE_ALL : wrappedRevision(text, rv);
}

/** Its successor is no revision, and not 0, which would mean the present one. */
const BEFORE_ALL = -2;

/** `Number` rounds what is near 2^63 up to it. */
function isLarge(rv: number): boolean {
  return rv >= 2 ** 63;
}
