import { goJson } from './go-json.ts';
import type { KubeObject } from './object.ts';
import type { Status } from './status.ts';

/** Events whose object is stored JSON; BOOKMARK and ERROR are made here. */
export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Annotation of the bookmark that ends the initial events of a streaming list (facts/server §3.12). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

const OPENINGS: Record<ObjectEventType, Buffer> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const CLOSING = Buffer.from('}\n');

/** An object as JSON bytes, as Go writes it; keys keep their order. What watchers and lists then share. */
export function encodeObject(object: KubeObject): Uint8Array {
  return Buffer.from(goJson(object));
}

/** One line `{"type":…,"object":…}\n` around bytes that are JSON already; they are copied, never parsed. */
export function encodeWatchEvent(type: ObjectEventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([OPENINGS[type], object, CLOSING]);
}

const CRLF = Buffer.from('\r\n');

/** An object whose JSON can be copied to where it is wanted. */
export interface Copyable {
  readonly jsonLength: number;
  copyJson(into: Buffer, at: number): number;
}

/**
 * The lines of several events as one chunk of an HTTP/1.1 body (RFC 9112 §7.1), in one buffer: what a server that flushes once
 * for all of them sends.
 */
export function encodeChunk(events: readonly { type: ObjectEventType; object: Copyable }[]): Uint8Array {
  let length = 0;
  for (const { type, object } of events) length += OPENINGS[type].length + object.jsonLength + CLOSING.length;
  const size = Buffer.from(chunkOpening(length));
  const chunk = Buffer.allocUnsafeSlow(size.length + length + CRLF.length);
  chunk.set(size, 0);
  let at = size.length;
  for (const { type, object } of events) {
    chunk.set(OPENINGS[type], at);
    at = object.copyJson(chunk, at + OPENINGS[type].length);
    chunk.set(CLOSING, at);
    at += CLOSING.length;
  }
  chunk.set(CRLF, at);
  return chunk;
}

/** The lines inside a chunk that `encodeChunk` made. */
export function chunkLines(chunk: Uint8Array): Uint8Array {
  return chunk.subarray(chunk.indexOf(LF) + 1, chunk.length - CRLF.length);
}

/** The beginning of a chunk of `length` bytes, and the end of every chunk. */
export function chunkOpening(length: number): string {
  return `${length.toString(16)}\r\n`;
}
export const CHUNK_CLOSING: Uint8Array = CRLF;
const LF = 10;

/**
 * The object of a bookmark: the zero object of its kind, `template` (kind, apiVersion, `metadata` with
 * `creationTimestamp: null` for typed kinds, and what Go writes of empty fields), with an RV. The keys of metadata stand
 * in Go's order (facts/server §3.11). The template is not changed.
 */
export function bookmarkObject(template: KubeObject, rv: number, initialEventsEnd = false): KubeObject {
  const metadata = {
    resourceVersion: String(rv),
    ...template.metadata,
    ...(initialEventsEnd && { annotations: { [INITIAL_EVENTS_END]: 'true' } }),
  };
  return { ...template, metadata };
}

/** One BOOKMARK line. */
export function encodeBookmark(template: KubeObject, rv: number, initialEventsEnd = false): Uint8Array {
  return encodeLine('BOOKMARK', bookmarkObject(template, rv, initialEventsEnd));
}

/** One ERROR line, always the last of its stream. */
export function encodeError(status: Status): Uint8Array {
  return encodeLine('ERROR', status);
}

function encodeLine(type: 'BOOKMARK' | 'ERROR', object: object): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${goJson(object)}}\n`);
}
