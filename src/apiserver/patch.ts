import { ApiError } from '../protocol/api-error.ts';
import { invalidValue } from '../protocol/field-error.ts';
import { goJson } from '../protocol/go-json.ts';
import type { KubeObject } from '../protocol/object.ts';
import { invalid, unprocessable, unsupportedByRoute } from '../protocol/status.ts';
import { goStruct } from './go-types.ts';
import { applyJsonPatch, decodeJsonPatch, PatchError } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { sortedByKey } from './meta-fields.ts';
import { type Decoded, DecodingError, mediaTypeOf, strictComplaint, typed } from './object-decoding.ts';
import { badRequest, unrecognised } from './refusals.ts';
import { parseJson } from './request-body.ts';
import type { FieldValidation } from './request-options.ts';
import type { Resource } from './resource.ts';
import { StrategicPatchError, strategicMergePatch } from './strategic-merge-patch.ts';
import { isObject, type JsonObject } from './strategy.ts';
import { cannotUnmarshal } from './typed-value.ts';

/** Makes the new state of an object out of the present one. The argument is not changed. May throw 400 or 422. */
export type Patch = (current: KubeObject) => Decoded;

/**
 * What a patch makes of the present object, before anybody looks whether that is one of the type. The body is read no sooner:
 * where there is nothing to patch, nobody complains of it.
 */
type Change = (current: KubeObject) => unknown;

/** Apply is refused by its name: what it does needs managed fields, which nobody keeps here. */
const APPLY = 'application/apply-patch+yaml';
const APPLY_REFUSED =
  'server-side apply is not served here (application/apply-patch+yaml); use client-side apply, or a merge, strategic merge or JSON patch';

const PATCH_TYPES: readonly (string | undefined)[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Throws 415 on a kind of patch that is not read, before anything else of the request is looked at. */
export function checkPatchType(contentType: string | undefined): void {
  const type = mediaTypeOf(contentType);
  if (PATCH_TYPES.includes(type)) return;
  throw new ApiError(unsupportedByRoute(type === APPLY ? `: ${APPLY_REFUSED}` : ''));
}

/** The patch in a request whose type was checked. Throws 400 on a body that is no patch. */
export function patchOf(
  contentType: string | undefined,
  body: Buffer,
  resource: Resource,
  validation: FieldValidation,
): Patch {
  const change = changeOf(mediaTypeOf(contentType), body, resource);
  return (current) => {
    const patched = change(structuredClone(current));
    if (!isObject(patched)) throw badRequest('the patch leaves no object');
    return read(patched, resource, validation);
  };
}

/** Throws 422 where what comes out is no object of the type (handlers/patch.go applyPatchToCurrentObject). */
function read(patched: JsonObject, resource: Resource, validation: FieldValidation): Decoded {
  const refuse = (why: string) =>
    new ApiError(invalid({ group: '', kind: '' }, '', [invalidValue('patch', goJson(sortedByKey(patched)), why)]));
  try {
    const decoded = typed(patched, resource);
    if (validation === 'Strict' && decoded.unknown.length > 0) throw refuse(strictComplaint(decoded.unknown));
    return decoded;
  } catch (error) {
    throw error instanceof DecodingError ? refuse(error.message) : error;
  }
}

function changeOf(type: string | undefined, body: Buffer, resource: Resource): Change {
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(body);
    case 'application/merge-patch+json':
      return (current) => mergePatch(current, mergeBody(body));
    default:
      return (current) => strategic(current, strategicBody(body), resource);
  }
}

function mergeBody(body: Buffer): JsonObject {
  const parsed = parseJson(body);
  if ('reason' in parsed) throw badRequest(`error decoding patch: ${parsed.reason}`);
  // Go reads null into a map without a word; as a merge patch it then says what cannot be kept.
  if (isObject(parsed.value)) return parsed.value;
  throw badRequest(
    parsed.value === null
      ? 'Invalid JSON Patch'
      : `error decoding patch: ${cannotUnmarshal(parsed.value, 'into Go value of type map[string]interface {}')}`,
  );
}

function strategicBody(body: Buffer): JsonObject {
  const parsed = parseJson(body);
  if ('reason' in parsed) throw badRequest(parsed.reason);
  if (parsed.value === null) return {};
  if (isObject(parsed.value)) return parsed.value;
  throw badRequest(cannotUnmarshal(parsed.value, 'into Go value of type map[string]interface {}'));
}

function strategic(current: KubeObject, patch: JsonObject, resource: Resource): unknown {
  try {
    // What kind it is has been decided by the path.
    const { kind: _, apiVersion: __, ...changes } = patch;
    return strategicMergePatch(current, changes, goStruct(resource.kind));
  } catch (error) {
    if (!(error instanceof StrategicPatchError)) throw error;
    throw error.isClients ? badRequest(error.message) : unrecognised(error.message);
  }
}

/** What fails is told as one text, whatever it was: the server's reasons stay in its log (errors.NewGenericServerResponse). */
const CANNOT_BE_APPLIED = 'the server rejected our request due to an error in our request';

function jsonPatch(body: Buffer): Change {
  return (current) => {
    const operations = guarded(() => decodeJsonPatch(body), badRequest);
    return guarded(
      () => applyJsonPatch(current, operations),
      () => new ApiError(unprocessable(CANNOT_BE_APPLIED)),
    );
  };
}

function guarded<T>(work: () => T, refusal: (why: string) => ApiError): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof PatchError ? refusal(error.message) : error;
  }
}
