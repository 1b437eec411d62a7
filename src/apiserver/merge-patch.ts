import { isObject, type JsonObject } from './strategy.ts';

/**
 * Applies a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither argument is changed;
 * what the patch brings is not copied. A key named `__proto__` stays an ordinary key.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const fields = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, mergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields) as JsonObject;
}
