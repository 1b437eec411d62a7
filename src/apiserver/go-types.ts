import { CORE_TYPES } from './go-types-core.ts';
import { POD_TYPES } from './go-types-pod.ts';
import { VOLUME_TYPES } from './go-types-volume.ts';

/** A Go type as JSON sees it. `name`: as Go's decoder prints it. */
export type GoType =
  | { kind: 'string' | 'bool' | 'int32' | 'int64' | 'bytes'; name: string }
  | { kind: 'time' | 'microTime' | 'quantity' | 'intOrString' | 'any'; name: string }
  | { kind: 'list' | 'map'; name: string; element: GoType }
  | { kind: 'struct'; name: string; fields: ReadonlyMap<string, GoField> };

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  /** `omitempty`, where Go heeds it: an empty value is left out. */
  readonly omitEmpty: boolean;
  /** A pointer tells "not given" from empty: 0, false and {} are written. */
  readonly pointer: boolean;
  /** Lists that a strategic merge patch merges: by this field of their elements, or '' for plain values. */
  readonly mergeKey: string | undefined;
  /** Strategic merge patches of this field carry `$retainKeys`. */
  readonly retainKeys: boolean;
}

const SPECIAL: Readonly<Record<string, GoType>> = {
  string: { kind: 'string', name: 'string' },
  bool: { kind: 'bool', name: 'bool' },
  int32: { kind: 'int32', name: 'int32' },
  int64: { kind: 'int64', name: 'int64' },
  bytes: { kind: 'bytes', name: '[]uint8' },
  Time: { kind: 'time', name: 'v1.Time' },
  MicroTime: { kind: 'microTime', name: 'v1.MicroTime' },
  Quantity: { kind: 'quantity', name: 'resource.Quantity' },
  IntOrString: { kind: 'intOrString', name: 'intstr.IntOrString' },
  FieldsV1: { kind: 'any', name: 'v1.FieldsV1' },
  UID: { kind: 'string', name: 'types.UID' },
};

const FIELD = /^(\w+)(\??)(\*?):([^@~!]+)(?:@(\w*))?(~?)!?$/;

/**
 * The Go types by name. A row is the type's name and its fields in Go's order, each `name`, then `?` for `omitempty` and `*` for
 * a pointer, `:TYPE`, then `@KEY` for a list that patches merge by that key (`@` alone: plain values) and `~` for `$retainKeys`.
 * TYPE is `[T]` for a list, `{T}` for a map, a row's name, or else a text with a name of its own. Rows go on in lines that
 * are indented.
 */
const TYPES = readTypes([CORE_TYPES, POD_TYPES, VOLUME_TYPES].join('\n'));

/** Is there a struct of this name? */
export const isGoStruct = (name: string) => TYPES.has(name);

/** The struct of this name. Throws a RangeError where there is none: names are written in the table of resources. */
export function goStruct(name: string): GoType & { kind: 'struct' } {
  const found = TYPES.get(name);
  if (found === undefined) throw new RangeError(`no Go type ${name} is known`);
  return found;
}

function readTypes(rows: string): ReadonlyMap<string, GoType & { kind: 'struct' }> {
  const types = new Map<string, GoType & { kind: 'struct'; fields: Map<string, GoField> }>();
  const written = rows
    .replaceAll('\n  ', ' ')
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split(' '));
  for (const [name = ''] of written) types.set(name, { kind: 'struct', name: `v1.${name}`, fields: new Map() });
  for (const [name = '', ...fields] of written) {
    for (const text of fields) {
      const field = readField(text, types);
      types.get(name)?.fields.set(field.name, field);
    }
  }
  return types;
}

function readField(text: string, types: ReadonlyMap<string, GoType>): GoField {
  const [, name = '', omit, pointer, type = '', mergeKey, retain] = FIELD.exec(text) ?? [];
  return {
    name,
    type: readType(type, types),
    omitEmpty: omit === '?',
    pointer: pointer === '*',
    mergeKey,
    retainKeys: retain === '~',
  };
}

function readType(text: string, types: ReadonlyMap<string, GoType>): GoType {
  if (text.startsWith('[')) {
    const element = readType(text.slice(1, -1), types);
    return { kind: 'list', name: `[]${element.name}`, element };
  }
  if (text.startsWith('{')) {
    const element = readType(text.slice(1, -1), types);
    return { kind: 'map', name: `map[string]${element.name}`, element };
  }
  if (text === 'ResourceList') return { kind: 'map', name: 'v1.ResourceList', element: SPECIAL.Quantity as GoType };
  return types.get(text) ?? SPECIAL[text] ?? { kind: 'string', name: `v1.${text}` };
}
