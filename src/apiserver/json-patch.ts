import { isDeepStrictEqual } from 'node:util';
import { isObject } from './strategy.ts';

/** Operations of one patch (handlers/patch.go maxJSONPatchOperations). */
const MAX_OPERATIONS = 10_000;

/** A JSON patch that cannot be applied; `message` is for people. */
export class PatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatchError';
  }
}

/** Applies a JSON patch (RFC 6902) to a value that belongs to the caller alone. Throws PatchError. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchError('a JSON patch is a list of operations');
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(`the allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  }
  return patch.reduce(applyOperation, document);
}

function applyOperation(document: unknown, operation: unknown): unknown {
  if (!isObject(operation)) throw new PatchError('an operation is an object');
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      return add(document, path, operation.value);
    case 'remove':
      return remove(document, path);
    case 'replace':
      return add(remove(document, path), path, operation.value);
    case 'move': {
      const from = pointer(operation.from);
      const value = read(document, from);
      return add(remove(document, from), path, value);
    }
    case 'copy':
      return add(document, path, structuredClone(read(document, pointer(operation.from))));
    case 'test':
      if (isDeepStrictEqual(read(document, path), operation.value)) return document;
      throw new PatchError(`testing path /${path.join('/')} failed`);
    default:
      throw new PatchError(`unexpected kind: ${String(operation.op)}`);
  }
}

/** The steps of a JSON pointer (RFC 6901). */
function pointer(text: unknown): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) throw new PatchError('a path starts with /');
  const steps = text.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, step) => {
    if (Array.isArray(value)) return value[position(value, step, value.length - 1)];
    if (isObject(value) && Object.hasOwn(value, step)) return value[step];
    throw missing(path);
  }, document);
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent))
    parent.splice(last === '-' ? parent.length : position(parent, last, parent.length), 0, value);
  else if (isObject(parent)) define(parent, last, value);
  else throw missing(path);
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1);
  if (last === undefined) return null;
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(position(parent, last, parent.length - 1), 1);
  else if (isObject(parent) && Object.hasOwn(parent, last)) delete parent[last];
  else throw missing(path);
  return document;
}

/** Assignment that keeps `__proto__` an ordinary key. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function position(list: readonly unknown[], step: string, max: number): number {
  const index = /^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : Number.NaN;
  if (Number.isNaN(index) || index > max) throw new PatchError(`invalid index ${step} of a list of ${list.length}`);
  return index;
}

const missing = (path: readonly string[]) => new PatchError(`there is nothing at /${path.join('/')}`);
