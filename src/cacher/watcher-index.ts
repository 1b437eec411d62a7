import type { Predicate } from '../store/resource-storage.ts';
import { Audience } from './audience.ts';
import type { CacheWatcher } from './cache-watcher.ts';

/** What part of a resource a watch is about: from its path, else from a selector that demands one value. */
export interface WatcherScope {
  namespace?: string;
  name?: string;
}

/** How a watcher is filed: by the one value it demands of the indexed field, else by its scope. */
export interface Filing {
  scope: WatcherScope;
  /** Undefined where the watch does not demand a value of the indexed field. */
  triggerValue: string | undefined;
}

/** What of an event decides who may care for it. */
export interface EventAddress {
  namespace: string | undefined;
  name: string | undefined;
  /** New value of the indexed field, and the old one where it differs; empty where there is no such field. */
  triggerValues: readonly string[];
}

/**
 * Who must be offered an event (upstream cacher.go indexedWatchers). With thousands of watchers of one object or one node
 * each, an event reaches a handful; the selector has the last word all the same. Watchers that are filed alike and select
 * alike are one audience.
 */
export class WatcherIndex {
  readonly #onPending: (audience: Audience) => void;
  readonly #filings = new Map<CacheWatcher, Filing>();
  readonly #byScope = new Map<string, Map<string, Audience>>();
  readonly #byTrigger = new Map<string, Map<string, Audience>>();

  /** `onPending`: an audience has something for its followers. */
  constructor(onPending: (audience: Audience) => void) {
    this.#onPending = onPending;
  }

  /** Files a watcher. The audience is the one it belongs to from now on. */
  add(watcher: CacheWatcher, filing: Filing): Audience {
    this.#filings.set(watcher, filing);
    const { map, id } = this.#place(filing);
    const { keyPrefix, predicate } = watcher;
    const filed = map.get(id) ?? new Map<string, Audience>();
    const selection = selectionId(keyPrefix, predicate);
    const audience = filed.get(selection) ?? new Audience(predicate, keyPrefix, this.#onPending);
    map.set(id, filed.set(selection, audience));
    audience.add(watcher);
    return audience;
  }

  delete(watcher: CacheWatcher): void {
    const filing = this.#filings.get(watcher);
    if (!filing) return;
    this.#filings.delete(watcher);
    const { map, id } = this.#place(filing);
    const filed = map.get(id);
    const selection = selectionId(watcher.keyPrefix, watcher.predicate);
    const audience = filed?.get(selection);
    audience?.delete(watcher);
    if (audience?.empty) filed?.delete(selection);
    if (filed?.size === 0) map.delete(id);
  }

  /** Adds to `into` who is filed where the event belongs: {ns, name}, {ns}, {name}, {} and the indexed field's values. */
  collect(address: EventAddress, into: Audience[]): void {
    const { namespace, name } = address;
    if (namespace) {
      if (name) push(this.#byScope.get(scopeId({ namespace, name })), into);
      push(this.#byScope.get(scopeId({ namespace })), into);
    }
    if (name) push(this.#byScope.get(scopeId({ name })), into);
    push(this.#byScope.get(scopeId({})), into);
    for (const value of address.triggerValues) push(this.#byTrigger.get(value), into);
  }

  /** Everybody with his filing, in the order of arrival; a list of its own. */
  all(): [CacheWatcher, Filing][] {
    return [...this.#filings];
  }

  #place({ scope, triggerValue }: Filing): { map: Map<string, Map<string, Audience>>; id: string } {
    return triggerValue === undefined
      ? { map: this.#byScope, id: scopeId(scope) }
      : { map: this.#byTrigger, id: triggerValue };
  }
}

/** A slash stands in no name; a watch may ask for one all the same, and then matches nothing, under whatever id. */
function scopeId({ namespace, name }: WatcherScope): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

/** Equal where two watches are sent the same of every event; written another way, a selector is another one. */
function selectionId(keyPrefix: string, { label, field }: Predicate): string {
  if (label.empty && field.empty) return keyPrefix;
  return JSON.stringify([keyPrefix, label.text, field.requirements]);
}

function push(filed: Map<string, Audience> | undefined, into: Audience[]): void {
  if (filed) for (const audience of filed.values()) into.push(audience);
}
