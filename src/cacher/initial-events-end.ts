import { BookmarkEvent, type InputEvent } from './input-event.ts';

/**
 * The bookmark that ends the initial events of a streaming list: `waiting` until one at or above its target is in the watcher's input,
 * `received` until it is in its result, then `sent` (upstream cache_watcher.go, `state` and `bookmarkAfterResourceVersion`). Who is
 * owed none begins at `sent`.
 */
export class InitialEventsEnd {
  #state: 'waiting' | 'received' | 'sent' = 'sent';
  #after = 0;

  /** The end is marked by a bookmark at `rv` or above; 0: it is not. */
  expect(rv: number): void {
    this.#after = rv;
    this.#state = rv === 0 ? 'sent' : 'waiting';
  }

  /** True until it is on its way. */
  get waiting(): boolean {
    return this.#state === 'waiting';
  }

  /** True while it is in the input. */
  get received(): boolean {
    return this.#state === 'received';
  }

  /** True where the client has it, or is owed none. */
  get sent(): boolean {
    return this.#state === 'sent';
  }

  /** A bookmark below the target says nothing to this client yet. */
  refuses(event: InputEvent): boolean {
    return event instanceof BookmarkEvent && event.rv < this.#after;
  }

  wasAdded(event: InputEvent): void {
    if (event instanceof BookmarkEvent && this.#state === 'waiting') this.#state = 'received';
  }

  wasSent(event: InputEvent): void {
    if (event instanceof BookmarkEvent) this.#state = 'sent';
  }
}
