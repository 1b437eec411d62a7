import { isObject, type JsonObject } from './strategy.ts';

/**
 * Lists that are merged by a key of their elements instead of being replaced (`patchMergeKey` of the Go types, as far as the
 * table of resources has them). `ports` has two: containers and services name theirs differently.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'port'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  conditions: ['type'],
  ownerReferences: ['uid'],
};

/** Lists of plain values that are united. */
const UNITED = new Set(['finalizers']);

const DIRECTIVE = /^\$(?:setElementOrder|deleteFromPrimitiveList|retainKeys)(?:\/(.+))?$/;

/** Applies a strategic merge patch (apimachinery util/strategicpatch), with its directives. Neither argument is changed. */
export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const { $patch: directive, $retainKeys: retain, ...changes } = patch;
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return changes;
  const fields = new Map(Object.entries(isObject(target) ? target : {}));
  if (Array.isArray(retain)) for (const key of fields.keys()) if (!retain.includes(key)) fields.delete(key);
  for (const [key, value] of Object.entries(changes)) {
    const removed = /^\$deleteFromPrimitiveList\/(.+)$/.exec(key)?.[1];
    if (removed !== undefined) fields.set(removed, without(fields.get(removed), value));
    if (DIRECTIVE.test(key)) continue;
    const merged = value === null ? undefined : mergeField(key, fields.get(key), value);
    if (merged === undefined) fields.delete(key);
    else fields.set(key, merged);
  }
  return Object.fromEntries(fields);
}

function mergeField(field: string, target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) return strategicMergePatch(target, patch);
  const present = Array.isArray(target) ? target : [];
  if (UNITED.has(field)) return [...new Set([...present, ...patch])];
  const key = MERGE_KEYS[field]?.find((one) =>
    patch.every((element) => isObject(element) && (one in element || '$patch' in element)),
  );
  return key === undefined ? patch : mergeList(present, patch.filter(isObject), key);
}

function mergeList(present: readonly unknown[], patch: readonly JsonObject[], key: string): unknown[] {
  const replaces = patch.some((element) => element.$patch === 'replace' && !(key in element));
  let result: unknown[] = replaces ? [] : [...present];
  for (const element of patch) {
    if (element.$patch === 'replace' && !(key in element)) continue;
    const at = result.findIndex((one) => isObject(one) && one[key] === element[key]);
    const merged = strategicMergePatch(at < 0 ? undefined : result[at], element);
    if (merged === undefined) result = result.filter((_, index) => index !== at);
    else if (at < 0) result.push(merged);
    else result[at] = merged;
  }
  return result;
}

const without = (list: unknown, gone: unknown): unknown[] =>
  Array.isArray(list) && Array.isArray(gone) ? list.filter((one) => !gone.includes(one)) : [];
