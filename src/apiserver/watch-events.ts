import { goJson } from '../protocol/go-json.ts';
import {
  bookmarkObject,
  encodeBookmark,
  encodeError,
  encodeWatchEvent,
  type ObjectEventType,
} from '../protocol/watch-encoder.ts';
import type { StoredObject, WatcherEvent } from '../store/resource-storage.ts';
import type { Presentation } from './presentation.ts';
import { type Resource, zeroObject } from './resource.ts';
import type { Serving } from './serving.ts';

/**
 * Lines remembered at a time, and their bytes. The watchers of one event ask for its line within moments of each other; one
 * that lags further behind pays for a copy of its own.
 */
const REMEMBERED_LINES = 256;
const REMEMBERED_BYTES = 8 * 1024 * 1024;

/** Lines of plain events: one event becomes one line, shared by all watchers that want it. */
export class SharedLines {
  readonly #lines = new Map<ObjectEventType, Map<StoredObject, Uint8Array>>();
  #bytes = 0;

  line(type: ObjectEventType, stored: StoredObject): Uint8Array {
    const lines = this.#ofType(type);
    const known = lines.get(stored);
    if (known !== undefined) return known;
    const made = encodeWatchEvent(type, stored.json);
    lines.set(stored, made);
    this.#bytes += made.length;
    while (lines.size > REMEMBERED_LINES || (this.#bytes > REMEMBERED_BYTES && lines.size > 1))
      this.#forgetOldest(lines);
    return made;
  }

  #ofType(type: ObjectEventType): Map<StoredObject, Uint8Array> {
    const found = this.#lines.get(type);
    if (found !== undefined) return found;
    const made = new Map<StoredObject, Uint8Array>();
    this.#lines.set(type, made);
    return made;
  }

  #forgetOldest(lines: Map<StoredObject, Uint8Array>): void {
    for (const [oldest, line] of lines) {
      lines.delete(oldest);
      this.#bytes -= line.length;
      return;
    }
  }
}

/** A watch asked for a form that single objects do not have; the stream ends without a word (facts/server §5.1). */
export class NoSuchForm extends Error {
  constructor() {
    super('events cannot be shown as a list');
    this.name = 'NoSuchForm';
  }
}

/** Encoders of plain events: they keep nothing of their watch, so all of one type have the same. */
const PLAIN = new WeakMap<Serving, Map<Resource, WatchEventEncoder>>();

export function encoderFor(presentation: Presentation, resource: Resource, serving: Serving): WatchEventEncoder {
  if (!presentation.plain) return new WatchEventEncoder(presentation, resource, serving);
  const known = PLAIN.get(serving) ?? new Map<Resource, WatchEventEncoder>();
  const encoder = known.get(resource) ?? new WatchEventEncoder(presentation, resource, serving);
  PLAIN.set(serving, known.set(resource, encoder));
  return encoder;
}

/** Turns the events of one watch into lines. */
export class WatchEventEncoder {
  readonly #presentation: Presentation;
  readonly #resource: Resource;
  readonly #serving: Pick<Serving, 'clock' | 'lines'>;
  #first = true;

  constructor(presentation: Presentation, resource: Resource, serving: Pick<Serving, 'clock' | 'lines'>) {
    this.#presentation = presentation;
    this.#resource = resource;
    this.#serving = serving;
  }

  /** True where all watches are sent the same bytes of an event. */
  get plain(): boolean {
    return this.#presentation.plain;
  }

  /** Throws NoSuchForm. */
  encode(event: WatcherEvent): Uint8Array {
    if (event.type === 'ERROR') return encodeError(event.status);
    if (this.#presentation.plain) {
      if (event.type === 'BOOKMARK')
        return encodeBookmark(zeroObject(this.#resource), event.rv, event.initialEventsEnd);
      return this.#serving.lines.line(event.type, event.object);
    }
    if (this.#presentation.output.transform === 'PartialObjectMetadataList') throw new NoSuchForm();
    const object =
      event.type === 'BOOKMARK'
        ? bookmarkObject(zeroObject(this.#resource), event.rv, event.initialEventsEnd)
        : event.object.object;
    const shown = this.#presentation.eventObject(object, this.#serving.clock.now(), this.#first);
    this.#first = false;
    return Buffer.from(`{"type":"${event.type}","object":${goJson(shown)}}\n`);
  }
}
