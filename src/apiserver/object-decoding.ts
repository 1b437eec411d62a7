import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { unsupportedMediaType } from '../protocol/status.ts';
import { cannotUnmarshal, cleanMeta, isEmpty, sortedByKey, wrongMetaField } from './meta-fields.ts';
import { badRequest } from './refusals.ts';
import { parseJson } from './request-body.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import { isObject, type JsonObject } from './strategy.ts';

/** Bytes of a body that an error message shows (handlers/rest.go summarizeData). */
const SHOWN_BYTES = 30;

/** Media type of a request body, JSON where nothing is said. Throws 415 unless it is one of `accepted`. */
export function checkContentType(contentType: string | undefined, accepted: readonly string[]): string {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() || 'application/json';
  if (accepted.includes(type)) return type;
  throw new ApiError(unsupportedMediaType(accepted));
}

/** The object in a request body. Throws 400 in upstream's words (handlers/rest.go transformDecodeError). */
export function decodeObject(body: Buffer, resource: Resource): KubeObject {
  return typed(decodeJsonObject(body, resource.kind), resource);
}

/** A JSON object that is to be read as `kind`. Throws 400. */
export function decodeJsonObject(body: Buffer, kind: string): JsonObject {
  const parsed = parseJson(body);
  if ('value' in parsed && isObject(parsed.value)) return parsed.value;
  const why =
    'reason' in parsed ? parsed.reason : cannotUnmarshal(parsed.value, 'into Go value of type runtime.TypeMeta');
  const start = body.subarray(0, SHOWN_BYTES).toString('utf8');
  const shown = body.length === 0 ? '<empty>' : body.length > SHOWN_BYTES ? `${start} ...` : start;
  throw badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${shown})`,
  );
}

/**
 * Gives a plain value the shape of the type: kind and apiVersion, a metadata whose fields have their types, Go's order of
 * fields, defaults filled in. Throws 400 where it is of another type, or cannot be read as this one.
 */
export function typed(value: JsonObject, resource: Resource): KubeObject {
  checkTypeMeta(value, resource);
  const { kind: _, apiVersion: __, metadata: given, ...rest } = value;
  const metadata = given ?? {};
  const wrong = isObject(metadata)
    ? wrongMetaField(metadata)
    : cannotUnmarshal(metadata, `into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`);
  if (wrong !== undefined) throw cannotBeHandled(resource.kind, resource, wrong);
  const object: KubeObject = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: cleanMeta(metadata as JsonObject),
    ...rest,
  };
  resource.strategy.setDefaults?.(object);
  for (const [field, content] of Object.entries(object)) if (content === null) delete object[field];
  for (const field of resource.strategy.omitEmpty ?? []) {
    const content = object[field];
    if (isEmpty(content)) delete object[field];
    else if (isObject(content)) object[field] = sortedByKey(content);
  }
  return object;
}

function checkTypeMeta({ kind, apiVersion }: JsonObject, resource: Resource): void {
  const expected = apiVersionOf(resource);
  if (!isEmpty(kind) && kind !== resource.kind) {
    throw cannotBeHandled(String(kind), resource, `no conversion to ${resource.kind}`);
  }
  if (!isEmpty(apiVersion) && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

const cannotBeHandled = (kind: string, resource: Resource, why: string) =>
  badRequest(`${kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${why}`);
