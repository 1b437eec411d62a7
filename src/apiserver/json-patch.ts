import { isDeepStrictEqual } from 'node:util';
import { parseJson } from './request-body.ts';
import { isObject, type JsonObject } from './strategy.ts';
import { cannotUnmarshal } from './typed-value.ts';

/** Operations of one patch (handlers/patch.go maxJSONPatchOperations). */
const MAX_OPERATIONS = 10_000;

/** A JSON patch that cannot be applied; `message` is for people. */
export class PatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatchError';
  }
}

/** One operation whose members have the right types. */
interface Operation {
  op: string;
  path: string;
  from: string;
  value: unknown;
}

/** The operations of a JSON patch. Throws PatchError, in the words of Go's decoder. */
export function decodeJsonPatch(body: Buffer): Operation[] {
  const parsed = parseJson(body);
  const refuse = (why: string) => new PatchError(`error decoding patch: ${why}`);
  if ('reason' in parsed) throw refuse(parsed.reason);
  const operations = parsed.value ?? [];
  if (!Array.isArray(operations)) {
    throw refuse(cannotUnmarshal(operations, 'into Go value of type []handlers.jsonPatchOp'));
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new PatchError(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  return operations.map((operation) => {
    const { op, path, from, value } = decodeOperation(operation ?? {}, refuse);
    return { op, path, from, value };
  });
}

function decodeOperation(operation: unknown, refuse: (why: string) => PatchError): Operation {
  if (!isObject(operation)) throw refuse(cannotUnmarshal(operation, 'into Go value of type handlers.jsonPatchOp'));
  const text = (field: 'op' | 'path' | 'from'): string => {
    const content = operation[field] ?? '';
    if (typeof content === 'string') return content;
    throw refuse(cannotUnmarshal(content, `into Go struct field jsonPatchOp.${field} of type string`));
  };
  return { op: text('op'), path: text('path'), from: text('from'), value: operation.value ?? null };
}

/**
 * Applies a JSON patch (RFC 6902) to a value that belongs to the caller alone, with the liberties of the library that
 * upstream uses: `replace` and `copy` do not ask whether something is there, and -1 is the end of a list. Throws PatchError.
 */
export function applyJsonPatch(document: unknown, operations: readonly Operation[]): unknown {
  return operations.reduce(applyOperation, document);
}

function applyOperation(document: unknown, { op, path: text, from, value }: Operation): unknown {
  const path = pointer(text);
  switch (op) {
    case 'add':
      if (text === '') throw missing(path);
      return add(document, path, value);
    case 'remove':
      return remove(document, path);
    case 'replace':
      // The library takes the whole document for nothing that it could replace, and says so to nobody.
      if (text === '') return document;
      return replace(document, path, value);
    case 'move': {
      const moved = read(document, pointer(from));
      if (moved === undefined) throw missing(path);
      return add(remove(document, pointer(from)), path, moved);
    }
    case 'copy':
      return add(document, path, structuredClone(read(document, pointer(from)) ?? null));
    case 'test':
      if (isDeepStrictEqual(read(document, path) ?? null, value)) return document;
      throw new PatchError(`testing value ${text} failed`);
    default:
      throw new PatchError(`Unexpected kind: ${op}`);
  }
}

/** The steps of a JSON pointer (RFC 6901); the whole document is none of them here. */
function pointer(text: string): string[] {
  if (text === '') return [''];
  if (!text.startsWith('/')) throw new PatchError(`there is nothing at ${text}`);
  const steps = text.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands at the end of a path, undefined where nothing does. Throws where there is nothing on the way to it. */
function read(document: unknown, path: readonly string[]): unknown {
  const parent = parentOf(document, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) return parent[position(parent, last, parent.length - 1)];
  return Object.hasOwn(parent, last) ? parent[last] : undefined;
}

function parentOf(document: unknown, path: readonly string[]): unknown[] | JsonObject {
  const parent = path.slice(0, -1).reduce((value: unknown, step) => {
    if (Array.isArray(value)) return value[position(value, step, value.length - 1)];
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
  if (Array.isArray(parent) || isObject(parent)) return parent;
  throw missing(path);
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  const parent = parentOf(document, path);
  const last = path.at(-1) ?? '';
  if (!Array.isArray(parent)) define(parent, last, value);
  else if (last === '-' || last === '-1') parent.push(value);
  else parent.splice(position(parent, last, parent.length), 0, value);
  return document;
}

function replace(document: unknown, path: readonly string[], value: unknown): unknown {
  const parent = parentOf(document, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent[position(parent, last, parent.length - 1)] = value;
  else define(parent, last, value);
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const parent = parentOf(document, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(position(parent, last, parent.length - 1), 1);
  else if (Object.hasOwn(parent, last)) delete parent[last];
  else throw missing(path);
  return document;
}

/** Assignment that keeps `__proto__` an ordinary key. */
function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function position(list: readonly unknown[], step: string, max: number): number {
  const index = /^-?(?:0|[1-9]\d*)$/.test(step) ? Number(step) : Number.NaN;
  const found = index < 0 ? list.length + index : index;
  if (Number.isNaN(found) || found < 0 || found > max) {
    throw new PatchError(`invalid index ${step} of a list of ${list.length}`);
  }
  return found;
}

const missing = (path: readonly string[]) => new PatchError(`there is nothing at /${path.join('/')}`);
