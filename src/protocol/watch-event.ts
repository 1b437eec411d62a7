/** The five values of a watch event's `type` (apimachinery `watch.EventType`). */
export const WATCH_EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;
export type WatchEventType = (typeof WATCH_EVENT_TYPES)[number];

/** What a line on the screen needs of an event, found by scanning bytes (field-scan.ts), without a full parse. */
export interface EventFields {
  type: WatchEventType;
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  /** `object.metadata.resourceVersion` as sent. */
  rv?: string;
}

/** One thing the frame decoder found in the stream of bytes. `bytes` is the JSON value without its newline. */
export type Frame =
  | { kind: 'event'; bytes: Uint8Array; fields: EventFields }
  /** A whole value that is no watch event. `reason` is for people. */
  | { kind: 'malformed'; bytes: Uint8Array; reason: string }
  /** A value that grew over the decoder's bound; the stream cannot be followed any further. */
  | { kind: 'too-large'; size: number };
