import type { GoField, GoType } from './go-types.ts';
import { isObject, type JsonObject } from './strategy.ts';

/** A strategic merge patch that cannot be applied. `isClients`: the patch itself is wrong (400), else nobody interprets it. */
export class StrategicPatchError extends Error {
  readonly isClients: boolean;

  constructor(message: string, isClients: boolean) {
    super(message);
    this.name = 'StrategicPatchError';
    this.isClients = isClients;
  }
}

/** Members of a patch that are about other members. */
const DIRECTIVE = /^\$(setElementOrder|deleteFromPrimitiveList)\/(.+)$/;

/**
 * Applies a strategic merge patch (apimachinery util/strategicpatch) to an object of `type`: lists that have a merge key are
 * merged by it, `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` are followed. Neither argument is
 * changed. Throws StrategicPatchError.
 */
export function strategicMergePatch(target: unknown, patch: JsonObject, type: GoType): JsonObject {
  const { $patch: directive, $retainKeys: retain, ...changes } = patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(changes) as JsonObject;
  if (directive !== undefined) throw new StrategicPatchError(`unknown patch type: ${goMap(directive)}`, false);
  const fields = new Map(Object.entries(isObject(target) ? target : {}));
  if (Array.isArray(retain)) for (const key of fields.keys()) if (!retain.includes(key)) fields.delete(key);
  const orders = listsOf(changes, 'setElementOrder');
  for (const [field, order] of orders) checkOrder(fieldOf(type, field)?.mergeKey, changes[field], order);
  for (const [field, gone] of listsOf(changes, 'deleteFromPrimitiveList')) {
    const present = fields.get(field);
    if (Array.isArray(present))
      fields.set(
        field,
        present.filter((one) => !gone.includes(one)),
      );
  }
  for (const [key, value] of Object.entries(changes)) {
    if (DIRECTIVE.test(key)) continue;
    if (value === null) fields.delete(key);
    else fields.set(key, mergeField(fieldOf(type, key), fields.get(key), value, orders.get(key)));
  }
  for (const [key, order] of orders) {
    const present = fields.get(key);
    const mergeKey = fieldOf(type, key)?.mergeKey;
    if (key in changes || mergeKey === undefined || !Array.isArray(present)) continue;
    fields.set(key, arranged(present, order, present, mergeKey));
  }
  return Object.fromEntries(fields);
}

/** The lists under one kind of directive, by the field that they are about. */
function listsOf(changes: JsonObject, directive: string): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(changes)) {
    const [, name, field] = DIRECTIVE.exec(key) ?? [];
    if (name === directive && field !== undefined && Array.isArray(value)) found.set(field, value);
  }
  return found;
}

/** What a patch brings must stand in the order that it asks for, too. Throws StrategicPatchError. */
function checkOrder(mergeKey: string | undefined, patch: unknown, order: readonly unknown[]): void {
  if (mergeKey === undefined || !Array.isArray(patch)) return;
  const keys = patch.filter((one) => !isObject(one) || one.$patch === undefined).map((one) => keyOf(one, mergeKey));
  const places = keys.map((key) => order.findIndex((one) => keyOf(one, mergeKey) === key));
  if (places.every((place, index) => place >= 0 && (index === 0 || place > places[index - 1]!))) return;
  throw new StrategicPatchError(
    `The order in patch list:\n${goMap(patch)}\n doesn't match $setElementOrder list:\n${goMap(order)}\n`,
    false,
  );
}

const keyOf = (one: unknown, mergeKey: string) => (mergeKey !== '' && isObject(one) ? one[mergeKey] : one);

function fieldOf(type: GoType | undefined, name: string): Pick<GoField, 'type' | 'mergeKey'> | undefined {
  if (type?.kind === 'struct') return type.fields.get(name);
  return type?.kind === 'map' ? { type: type.element, mergeKey: undefined } : undefined;
}

function mergeField(
  field: Pick<GoField, 'type' | 'mergeKey'> | undefined,
  target: unknown,
  patch: unknown,
  order: readonly unknown[] | undefined,
): unknown {
  if (isObject(patch)) return mergeObject(target, patch, field?.type);
  if (!Array.isArray(patch) || field?.mergeKey === undefined) return patch;
  const present = Array.isArray(target) ? target : [];
  if (field.mergeKey === '') return arranged([...new Set([...present, ...patch])], order ?? patch, present, '');
  const element = field.type.kind === 'list' ? field.type.element : field.type;
  const { merged, patched } = mergeList(present, patch.filter(isObject), field.mergeKey, element);
  return arranged(merged, order ?? patched, present, field.mergeKey);
}

function mergeObject(target: unknown, patch: JsonObject, type: GoType | undefined): JsonObject {
  if (!isObject(target)) return withoutDirectives(patch) as JsonObject;
  return strategicMergePatch(target, patch, type ?? { kind: 'any', name: '' });
}

function mergeList(present: readonly unknown[], patch: readonly JsonObject[], key: string, element: GoType) {
  const replaces = patch.some((one) => one.$patch === 'replace');
  let merged: unknown[] = replaces ? [] : [...present];
  const patched: JsonObject[] = [];
  for (const one of patch) {
    if (one.$patch === 'replace') continue;
    if (!Object.hasOwn(one, key)) {
      throw new StrategicPatchError(`map: ${goMap(one)} does not contain declared merge key: ${key}`, false);
    }
    const at = merged.findIndex((other) => isObject(other) && other[key] === one[key]);
    if (one.$patch === 'delete') {
      merged = merged.filter((_, index) => index !== at);
      continue;
    }
    patched.push(one);
    if (at < 0) merged.push(withoutDirectives(one));
    else merged[at] = strategicMergePatch(merged[at], one, element);
  }
  return { merged, patched };
}

/**
 * Elements in the order that a patch wants, those that it does not name among them where the server had them
 * (strategicpatch normalizeElementOrder, mergeSortedSlice). `mergeKey` '': plain values.
 */
function arranged(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  server: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const place = (list: readonly unknown[], one: unknown) =>
    list.findIndex((other) => keyOf(other, mergeKey) === keyOf(one, mergeKey));
  const named = merged.filter((one) => place(wanted, one) >= 0).sort((a, b) => place(wanted, a) - place(wanted, b));
  const others = merged.filter((one) => place(wanted, one) < 0);
  const result: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [place(server, others[0]), place(server, named[0])];
    const serverFirst = left >= 0 && right >= 0 && left < right;
    result.push(serverFirst ? others.shift() : named.shift());
  }
  return [...result, ...others, ...named];
}

/** What a patch sets where nothing was: no directives are left in it, and nothing is set to null. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((one) => !(isObject(one) && one.$patch !== undefined)).map(withoutDirectives);
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, one]) => one !== null && key !== '$patch' && key !== '$retainKeys' && !DIRECTIVE.test(key),
  );
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutDirectives(one)]));
}

/** A map as Go prints it. */
function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key])}`);
  return `map[${members.join(' ')}]`;
}
