import { goJson } from '../protocol/go-json.ts';
import type { KubeObject } from '../protocol/object.ts';
import {
  bookmarkObject,
  encodeBookmark,
  encodeError,
  encodeWatchEvent,
  type ObjectEventType,
} from '../protocol/watch-encoder.ts';
import type { StoredObject, WatcherEvent } from '../store/resource-storage.ts';
import type { Presentation } from './presentation.ts';
import type { Serving } from './serving.ts';

/**
 * Lines remembered at a time. The watchers of one event ask for its line within moments of each other; one that lags
 * further behind pays for a copy.
 */
const REMEMBERED = 256;

/** Lines of plain events: one event becomes one line, shared by all watchers that want it. */
export class SharedLines {
  readonly #made = new Map<StoredObject, Partial<Record<ObjectEventType, Uint8Array>>>();

  line(type: ObjectEventType, stored: StoredObject): Uint8Array {
    let made = this.#made.get(stored);
    if (made === undefined) {
      made = {};
      this.#made.set(stored, made);
      if (this.#made.size > REMEMBERED) this.#forgetOldest();
    }
    made[type] ??= encodeWatchEvent(type, stored.json);
    return made[type];
  }

  #forgetOldest(): void {
    const oldest = this.#made.keys().next();
    if (!oldest.done) this.#made.delete(oldest.value);
  }
}

/** A watch asked for a form that single objects do not have; the stream ends without a word (facts/server §5.1). */
export class NoSuchForm extends Error {
  constructor() {
    super('events cannot be shown as a list');
    this.name = 'NoSuchForm';
  }
}

/** Turns the events of one watch into lines. */
export class WatchEventEncoder {
  readonly #presentation: Presentation;
  readonly #zero: KubeObject;
  readonly #serving: Pick<Serving, 'clock' | 'lines'>;
  #first = true;

  /** `zero`: the type's zero object, the body of bookmarks. */
  constructor(presentation: Presentation, zero: KubeObject, serving: Pick<Serving, 'clock' | 'lines'>) {
    this.#presentation = presentation;
    this.#zero = zero;
    this.#serving = serving;
  }

  /** Throws NoSuchForm. */
  encode(event: WatcherEvent): Uint8Array {
    if (event.type === 'ERROR') return encodeError(event.status);
    if (this.#presentation.plain) {
      if (event.type === 'BOOKMARK') return encodeBookmark(this.#zero, event.rv, event.initialEventsEnd);
      return this.#serving.lines.line(event.type, event.object);
    }
    if (this.#presentation.output.transform === 'PartialObjectMetadataList') throw new NoSuchForm();
    const object =
      event.type === 'BOOKMARK' ? bookmarkObject(this.#zero, event.rv, event.initialEventsEnd) : event.object.object;
    const shown = this.#presentation.eventObject(object, this.#serving.clock.now(), this.#first);
    this.#first = false;
    return Buffer.from(`{"type":"${event.type}","object":${goJson(shown)}}\n`);
  }
}
