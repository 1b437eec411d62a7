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
 * Resolves a collection key as upstream's registry does before it asks the storage (registry/store.go ListPredicate): for a
 * collection across namespaces a selector that demands one namespace narrows it to that, which also shows in the keys of its
 * continue tokens; and where the namespace is known, a selector that demands one name makes it a key. A list that is
 * `continued` is narrowed by neither (MatchesSingle, MatchesSingleNamespace). A name that cannot be a path segment matches
 * nothing and stays a filter.
 */
export function objectRange(
  key: string,
  predicate: Predicate,
  resource: { resourcePrefix: string; namespaced: boolean },
  continued = false,
): ObjectRange {
  let collection = key.endsWith('/') ? key : `${key}/`;
  if (continued) return below(collection);
  let acrossNamespaces = resource.namespaced && collection === `${resource.resourcePrefix}/`;
  const namespace = predicate.field.requiresExactMatch('metadata.namespace');
  if (acrossNamespaces && namespace !== undefined && isNamespaceName(namespace)) {
    collection += `${namespace}/`;
    acrossNamespaces = false;
  }
  const name = predicate.field.requiresExactMatch('metadata.name');
  return name && isPathSegment(name) && !acrossNamespaces ? singleKey(collection + name) : below(collection);
}

function below(collection: string): ObjectRange {
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

/** apimachinery validation.IsDNS1123Label: what can be a namespace. */
function isNamespaceName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);
}
