import type { ObjectMeta } from '../protocol/object.ts';
import { isObject } from './strategy.ts';

/** metadata without what Go's `omitempty` leaves out, and its maps in the order of their keys. */
export function cleanMeta(metadata: Readonly<Record<string, unknown>>): ObjectMeta {
  const fields = Object.entries(metadata).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(fields.map(([field, value]) => [field, isObject(value) ? sortedByKey(value) : value]));
}

/** Go writes maps in the order of their keys. */
export function sortedByKey<V>(map: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What Go's `omitempty` leaves out, as far as it occurs here. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
