import type { Predicate, StoredObject, WatcherEvent } from '../store/resource-storage.ts';
import { withResourceVersion } from '../store/stored-state.ts';

/** What the storage reports of an object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

type Delivery = Extract<WatcherEvent, { type: ChangeType }>;

/**
 * One change as the cache keeps it: in the ring, on its way through the dispatcher, and in every watcher's input. Shared
 * by all of them, so what is worked out for one watcher (selectable fields, what to send) is there for the next one.
 */
export class WatchCacheEvent {
  readonly type: ChangeType;
  /** The new state; of a DELETED the last one, under the RV of the deletion. */
  readonly object: StoredObject;
  /** The state before, where the cache had one. */
  readonly prevObject: StoredObject | undefined;
  readonly key: string;
  readonly rv: number;
  /** The apiserver's clock when the change was processed: the ring's window is measured in it. */
  readonly recordTime: number;
  #fields: Record<string, string> | undefined;
  #prevFields: Record<string, string> | undefined;
  #deliveries: Partial<Record<ChangeType, Delivery>> = {};

  constructor(change: Pick<WatchCacheEvent, 'type' | 'object' | 'prevObject' | 'key' | 'rv' | 'recordTime'>) {
    this.type = change.type;
    this.object = change.object;
    this.prevObject = change.prevObject;
    this.key = change.key;
    this.rv = change.rv;
    this.recordTime = change.recordTime;
  }

  /**
   * What a watcher with this predicate is sent, or undefined (facts/server §3.10). Leaving the selection is a DELETED with
   * the *previous* content under this event's RV. The same object for every watcher that is sent the same.
   */
  deliveryFor(predicate: Predicate): Delivery | undefined {
    const passes = this.type !== 'DELETED' && this.#passes(predicate);
    const passed = this.#passed(predicate);
    if (passes) return this.#delivery(passed ? 'MODIFIED' : 'ADDED');
    return passed ? this.#delivery('DELETED') : undefined;
  }

  #passes(predicate: Predicate): boolean {
    if (!predicate.label.empty && !predicate.label.matches(this.object.content.metadata.labels)) return false;
    if (predicate.field.empty) return true;
    this.#fields ??= predicate.fieldsOf(this.object.content);
    return predicate.field.matches(this.#fields);
  }

  #passed(predicate: Predicate): boolean {
    const previous = this.prevObject?.content;
    if (!previous || (!predicate.label.empty && !predicate.label.matches(previous.metadata.labels))) return false;
    if (predicate.field.empty) return true;
    this.#prevFields ??= predicate.fieldsOf(previous);
    return predicate.field.matches(this.#prevFields);
  }

  #delivery(type: ChangeType): Delivery {
    this.#deliveries[type] ??= { type, object: type === 'DELETED' ? this.#lastState() : this.object };
    return this.#deliveries[type];
  }

  #lastState(): StoredObject {
    return this.type === 'DELETED' ? this.object : withResourceVersion(this.prevObject!, this.rv);
  }
}
