import { scanKnownOrder } from './known-order.ts';
import { type EventFields, WATCH_EVENT_TYPES, type WatchEventType } from './watch-event.ts';

/** The bytes are no watch event; `malformed` says why, for people, and quotes nothing of an object. */
export interface Malformed {
  malformed: string;
}

/**
 * What a line on the screen needs of one frame, mostly without a parse. Two ways, and what each is worth:
 *
 * 1. The frame is written the way an apiserver writes (known-order.ts) and ends in `}}`. Its fields are read up to the end
 *    of metadata, and what follows is taken at its word. For a frame that is JSON and repeats no key, that is exactly what
 *    JSON.parse finds. A frame that is broken, or repeats a key, *behind* its metadata passes with the fields that stand
 *    before: whoever looks at the whole object finds out.
 * 2. Any other frame is parsed, so JSON.parse itself decides: odd orders, repeated keys (the last counts), no JSON at all.
 *
 * ERROR goes the second way always: it is rare, and everything hangs on its Status.
 */
export function scanEventFields(bytes: Uint8Array): EventFields | Malformed {
  return scanKnownOrder(bytes) ?? parseEventFields(bytes);
}

/** The second way. */
export function parseEventFields(bytes: Uint8Array): EventFields | Malformed {
  let event: unknown;
  try {
    event = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (error) {
    // Only a SyntaxError can come of it; its message quotes the text, which may be anybody's secret.
    if (error instanceof SyntaxError) return { malformed: 'not valid JSON' };
    throw error;
  }
  if (!isRecord(event)) return { malformed: 'no JSON object' };
  const { type, object } = event;
  if (typeof type !== 'string') return { malformed: 'no "type"' };
  if (!isEventType(type)) return { malformed: `unknown type ${JSON.stringify(type.slice(0, MAX_QUOTED))}` };
  if (!isRecord(object)) return { malformed: 'no "object"' };
  if (type === 'ERROR' && !isStatus(object)) return { malformed: 'ERROR without a Status' };
  return fieldsOf(type, object);
}

/** One without a kind counts, too, where it says that it failed: some servers leave the kind out. */
function isStatus({ kind, status }: Record<string, unknown>): boolean {
  return kind === 'Status' || (kind === undefined && status === 'Failure');
}

/** Characters of an unknown type that are quoted. */
const MAX_QUOTED = 40;

function fieldsOf(type: WatchEventType, object: Record<string, unknown>): EventFields {
  const fields: EventFields = { type };
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  if (typeof object.apiVersion === 'string') fields.apiVersion = object.apiVersion;
  if (typeof object.kind === 'string') fields.kind = object.kind;
  if (typeof metadata.namespace === 'string') fields.namespace = metadata.namespace;
  if (typeof metadata.name === 'string') fields.name = metadata.name;
  if (typeof metadata.uid === 'string') fields.uid = metadata.uid;
  if (typeof metadata.resourceVersion === 'string') fields.rv = metadata.resourceVersion;
  return fields;
}

function isEventType(type: string): type is WatchEventType {
  return (WATCH_EVENT_TYPES as readonly string[]).includes(type);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
