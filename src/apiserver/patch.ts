import type { KubeObject } from '../protocol/object.ts';
import { applyJsonPatch, PatchError } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { checkContentType, decodeJsonObject, typed } from './object-decoding.ts';
import { badRequest } from './refusals.ts';
import { parseJson } from './request-body.ts';
import type { Resource } from './resource.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';
import { isObject } from './strategy.ts';

/** Kinds of patch that are read; upstream also reads `application/apply-patch+yaml`. */
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Makes the new state of an object out of the present one. The argument is not changed. May throw 400. */
export type Patch = (current: KubeObject) => KubeObject;

/** The patch in a request. Throws 415 on a kind that is not read, 400 on a body that is no patch. */
export function patchOf(contentType: string | undefined, body: Buffer, resource: Resource): Patch {
  // A PATCH without a type is none of the three (go-restful Route.matchesContentType).
  const type = checkContentType(contentType ?? 'application/octet-stream', PATCH_TYPES);
  const apply = applier(type, body, resource);
  return (current) => {
    const patched = apply(structuredClone(current));
    if (!isObject(patched)) throw badRequest('the patch leaves no object');
    return typed(patched, resource);
  };
}

function applier(type: string, body: Buffer, resource: Resource): (current: KubeObject) => unknown {
  if (type === 'application/json-patch+json') return jsonPatch(body);
  const patch = decodeJsonObject(body, resource.kind);
  const merge = type === 'application/merge-patch+json' ? mergePatch : strategicMergePatch;
  return (current) => merge(current, structuredClone(patch));
}

function jsonPatch(body: Buffer): (current: KubeObject) => unknown {
  const parsed = parseJson(body);
  if ('reason' in parsed) throw badRequest(`error decoding patch: ${parsed.reason}`);
  return (current) => {
    try {
      return applyJsonPatch(current, structuredClone(parsed.value));
    } catch (error) {
      throw error instanceof PatchError ? badRequest(error.message) : error;
    }
  };
}
