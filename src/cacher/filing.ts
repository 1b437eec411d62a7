import type { KubeObject } from '../protocol/object.ts';
import type { WatchParams } from '../store/resource-storage.ts';
import type { WatchCacheEvent } from './watch-cache-event.ts';
import type { EventAddress, Filing } from './watcher-index.ts';

/** A field by whose value watchers are found (upstream IndexerFuncs); pods have `spec.nodeName`. */
export interface IndexedField {
  name: string;
  valueOf: (object: KubeObject) => string;
}

/** Where a watch is filed: its scope is the path's, else that of a selector which demands one value. */
export function filingOf({ scope, predicate }: WatchParams, indexed: IndexedField | undefined): Filing {
  const namespace = scope.namespace || predicate.field.requiresExactMatch('metadata.namespace');
  const name = scope.name || predicate.field.requiresExactMatch('metadata.name');
  return {
    scope: { ...(namespace && { namespace }), ...(name && { name }) },
    triggerValue: indexed && predicate.field.requiresExactMatch(indexed.name),
  };
}

/** Where an event is looked for: by its object's present namespace and name, and by both values of the indexed field. */
export function addressOf(event: WatchCacheEvent, indexed: IndexedField | undefined): EventAddress {
  const { namespace, name } = event.object.content.metadata;
  if (!indexed) return { namespace, name, triggerValues: [] };
  const value = indexed.valueOf(event.object.content);
  const previous = event.prevObject ? indexed.valueOf(event.prevObject.content) : value;
  return { namespace, name, triggerValues: previous === value ? [value] : [value, previous] };
}
