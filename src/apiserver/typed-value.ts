import { base64Error } from '../protocol/go-base64.ts';
import { goTime, goTimeError } from '../protocol/go-time.ts';
import type { GoField, GoType } from './go-types.ts';
import { isObject, type JsonObject } from './strategy.ts';

/** Upstream resource.ParseQuantity's shape of a quantity, and its complaint. */
const QUANTITY = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;
const QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** What types that decode themselves ask of their text. */
const STRING: GoType = { kind: 'string', name: 'string' };
const INT32: GoType = { kind: 'int32', name: 'int32' };

/** A JSON object as Go holds it in memory and writes it again. */
export interface TypedValue {
  value: JsonObject;
  /** Paths of fields that the type does not have, in the order of the document; they are left out of `value`. */
  unknown: string[];
  /** The first value that is not of its field's type, in the words of encoding/json. */
  error: string | undefined;
}

/**
 * Reads a JSON object into a struct: members in Go's order, what `omitempty` leaves out left out, zero values where Go writes
 * them. `ignored`: members that stand beside the struct's (kind and apiVersion). The argument is not changed.
 */
export function readTyped(
  type: GoType & { kind: 'struct' },
  object: JsonObject,
  ignored: readonly string[],
): TypedValue {
  const reader = new Reader();
  const value = reader.struct(type, object, '', ignored);
  return { value, unknown: reader.unknown, error: reader.error };
}

/** The zero value of a struct as Go writes it. */
export function zeroStruct(type: GoType & { kind: 'struct' }): JsonObject {
  return new Reader().struct(type, {}, '', []);
}

class Reader {
  readonly unknown: string[] = [];
  error: string | undefined;
  /** Fields from the root to here, and the struct that has the last of them: what the decoder names in a complaint. */
  readonly #stack: string[] = [];
  #struct = '';

  struct(type: GoType & { kind: 'struct' }, object: JsonObject, path: string, ignored: readonly string[]): JsonObject {
    // In the order of the document, since the first complaint counts.
    const given = new Map<string, unknown>();
    for (const [key, content] of Object.entries(object)) {
      const field = type.fields.get(key);
      if (field !== undefined) given.set(key, this.#field(type, field, content, path));
      else if (!ignored.includes(key)) this.unknown.push(path + key);
    }
    const result: JsonObject = {};
    for (const field of type.fields.values()) {
      const content = given.get(field.name);
      if (content === undefined) {
        if (!field.omitEmpty) result[field.name] = field.pointer ? null : zero(field.type);
      } else if (!field.omitEmpty || field.pointer || !isZero(content)) result[field.name] = content;
    }
    return result;
  }

  /** Undefined: as if not given. */
  #field(owner: GoType, { name, type }: GoField, content: unknown, path: string): unknown {
    if (content === null || content === undefined) return undefined;
    const outer = this.#struct;
    this.#struct = owner.name.replace(/^.*\./, '');
    this.#stack.push(name);
    const value = this.#value(type, content, path + name);
    this.#stack.pop();
    this.#struct = outer;
    return value;
  }

  #value(type: GoType, content: unknown, path: string): unknown {
    switch (type.kind) {
      case 'struct':
        return isObject(content) ? this.struct(type, content, `${path}.`, []) : this.#mismatch(type, content);
      case 'list':
        return Array.isArray(content) ? this.#list(type.element, content, path) : this.#mismatch(type, content);
      case 'map':
        return isObject(content) ? this.#map(type.element, content, path) : this.#mismatch(type, content);
      case 'bool':
        return typeof content === 'boolean' ? content : this.#mismatch(type, content);
      case 'string':
        return typeof content === 'string' ? content : this.#mismatch(type, content);
      case 'int32':
      case 'int64':
        return this.#integer(type, content);
      default:
        return this.#special(type, content);
    }
  }

  #list(element: GoType, content: readonly unknown[], path: string): unknown[] {
    return content.map((one, index) => {
      const value = one === null ? undefined : this.#value(element, one, `${path}[${index}]`);
      return value === undefined ? zero(element) : value;
    });
  }

  /** Go writes maps in the order of their keys. */
  #map(element: GoType, content: JsonObject, path: string): JsonObject {
    const entries = Object.entries(content).map(([key, one]): [string, unknown] => {
      const value = one === null ? undefined : this.#value(element, one, `${path}.${key}`);
      return [key, value === undefined ? zero(element) : value];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #integer(type: GoType, content: unknown): number | undefined {
    if (typeof content !== 'number') return this.#mismatch(type, content);
    const fits = type.kind === 'int32' ? (content | 0) === content : Number.isInteger(content);
    return fits ? content : this.#mismatch(type, content, `number ${content}`);
  }

  #special(type: GoType, content: unknown): unknown {
    switch (type.kind) {
      case 'bytes': {
        if (typeof content !== 'string') return this.#mismatch(type, content);
        return this.#checked(content, base64Error(content));
      }
      case 'time':
      case 'microTime': {
        if (typeof content !== 'string') return this.#mismatch(STRING, content);
        const micro = type.kind === 'microTime';
        const wrong = goTimeError(content, micro);
        return wrong === undefined ? goTime(content, micro) : this.#checked(content, wrong);
      }
      case 'quantity': {
        const text = String(content);
        return this.#checked(text, QUANTITY.test(text) ? undefined : QUANTITY_RULE);
      }
      case 'intOrString':
        if (typeof content === 'string' || Number.isInteger(content)) return content;
        return this.#mismatch(INT32, content);
      default:
        return content;
    }
  }

  #checked(value: string, wrong: string | undefined): string | undefined {
    if (wrong === undefined) return value;
    this.error ??= wrong;
    return undefined;
  }

  #mismatch(type: GoType, content: unknown, found = kindOf(content)): undefined {
    const field = [this.#struct, ...this.#stack].join('.');
    this.error ??= `json: cannot unmarshal ${found} into Go struct field ${field} of type ${type.name}`;
    return undefined;
  }
}

/** encoding/json's UnmarshalTypeError. */
export function cannotUnmarshal(value: unknown, where: string): string {
  return `json: cannot unmarshal ${kindOf(value)} ${where}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function zero(type: GoType): unknown {
  switch (type.kind) {
    case 'struct':
      return zeroStruct(type);
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

/** What `omitempty` leaves out of a field that is no pointer. */
function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
