import type { Predicate } from './resource-storage.ts';
import { prefixEnd } from './storage.ts';

/** What a list or watch reads: one key, or everything below a prefix. */
export interface ObjectRange {
  /** The key, or the prefix with its slash. */
  key: string;
  /** Range for the store: [key, end). */
  end: string;
  /** False: `key` names one object. */
  recursive: boolean;
}

/**
 * Resolves a collection key as upstream's registry does before it asks the storage (registry/store.go ListPredicate): a
 * selector that demands one name turns the collection into a key, where the namespace is known from the path. A selector
 * on `metadata.namespace` does not count. A name that cannot be a path segment matches nothing and stays a filter.
 */
export function objectRange(
  key: string,
  predicate: Predicate,
  resource: { resourcePrefix: string; namespaced: boolean },
): ObjectRange {
  const collection = key.endsWith('/') ? key : `${key}/`;
  const name = predicate.field.requiresExactMatch('metadata.name');
  const acrossNamespaces = resource.namespaced && collection === `${resource.resourcePrefix}/`;
  if (name && isPathSegment(name) && !acrossNamespaces) return singleKey(collection + name);
  return { key: collection, end: prefixEnd(collection), recursive: true };
}

/** The range of one key. */
export function singleKey(key: string): ObjectRange {
  return { key, end: `${key}\0`, recursive: false };
}

/** apimachinery path.IsValidPathSegmentName. */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/.test(name);
}
