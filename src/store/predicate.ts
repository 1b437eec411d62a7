import type { Predicate, StoredObject } from './resource-storage.ts';

/** True where no selector can turn an object away. */
export function acceptsAll(predicate: Predicate): boolean {
  return predicate.label.empty && predicate.field.empty;
}

/** Label and field selector of a predicate, on one object. */
export function matches(predicate: Predicate, stored: StoredObject): boolean {
  if (!predicate.label.empty && !predicate.label.matches(stored.content.metadata.labels)) return false;
  return predicate.field.empty || predicate.field.matches(predicate.fieldsOf(stored.content));
}
