import type { ObjectMeta } from '../protocol/object.ts';
import { isObject } from './strategy.ts';

type MetaType = 'string' | 'v1.Time' | 'int64' | 'map[string]string' | '[]string';

/** The fields of metadata that this server reads, with their Go types. */
const META_FIELDS: readonly (readonly [string, MetaType])[] = [
  ['name', 'string'],
  ['generateName', 'string'],
  ['namespace', 'string'],
  ['uid', 'string'],
  ['resourceVersion', 'string'],
  ['generation', 'int64'],
  ['creationTimestamp', 'v1.Time'],
  ['deletionTimestamp', 'v1.Time'],
  ['deletionGracePeriodSeconds', 'int64'],
  ['labels', 'map[string]string'],
  ['annotations', 'map[string]string'],
  ['finalizers', '[]string'],
];

/** metadata without what Go's `omitempty` leaves out, and its maps in the order of their keys. */
export function cleanMeta(metadata: Readonly<Record<string, unknown>>): ObjectMeta {
  const fields = Object.entries(metadata).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(fields.map(([field, value]) => [field, isObject(value) ? sortedByKey(value) : value]));
}

/** Go writes maps in the order of their keys. */
export function sortedByKey<V>(map: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What Go's `omitempty` leaves out, as far as it occurs here. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The first field of metadata that Go could not decode, in the words of its decoder; undefined: all are of their type. */
export function wrongMetaField(metadata: Readonly<Record<string, unknown>>): string | undefined {
  for (const [field, type] of META_FIELDS) {
    const value = metadata[field];
    const wrong = value === undefined || value === null ? undefined : mismatch(value, type);
    if (wrong === undefined) continue;
    if ('time' in wrong) return `parsing time ${JSON.stringify(wrong.time)} as "2006-01-02T15:04:05Z07:00"`;
    return cannotUnmarshal(wrong.value, `into Go struct field ObjectMeta.metadata.${field} of type ${wrong.type}`);
  }
  return undefined;
}

function mismatch(value: unknown, type: MetaType): { value: unknown; type: string } | { time: string } | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : { value, type };
    case 'v1.Time':
      if (typeof value !== 'string') return { value, type };
      return Number.isNaN(Date.parse(value)) ? { time: value } : undefined;
    case 'int64':
      return Number.isSafeInteger(value) ? undefined : { value, type };
    case 'map[string]string':
      return isObject(value) ? notAString(Object.values(value)) : { value, type };
    case '[]string':
      return Array.isArray(value) ? notAString(value) : { value, type };
  }
}

function notAString(values: readonly unknown[]): { value: unknown; type: string } | undefined {
  const at = values.findIndex((one) => typeof one !== 'string');
  return at < 0 ? undefined : { value: values[at], type: 'string' };
}

/** encoding/json's UnmarshalTypeError. */
export function cannotUnmarshal(value: unknown, where: string): string {
  const names: Record<string, string> = { boolean: 'bool', object: Array.isArray(value) ? 'array' : 'object' };
  const kind = value === null ? 'null' : (names[typeof value] ?? typeof value);
  return `json: cannot unmarshal ${kind} ${where}`;
}
