import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { unsupportedMediaType } from '../protocol/status.ts';
import { type GoType, goStruct, isGoStruct } from './go-types.ts';
import { isEmpty } from './meta-fields.ts';
import { badRequest } from './refusals.ts';
import { parseJson } from './request-body.ts';
import { apiVersionOf, goPackage, type Resource } from './resource.ts';
import { isObject, type JsonObject } from './strategy.ts';
import { cannotUnmarshal, readTyped } from './typed-value.ts';

/** Bytes of a body that an error message shows (handlers/rest.go summarizeData). */
const SHOWN_BYTES = 30;

/** Where Go's type registry says that it was made. It is part of a message. */
const SCHEME = 'scheme "pkg/runtime/scheme.go:100"';
/** What Go looks for first, as its decoder prints it. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** An object that was read, and the paths of fields that its type does not have. */
export interface Decoded {
  object: KubeObject;
  unknown: readonly string[];
}

/** A body that could not be read; `message` in Go's words, for whoever knows how this request's errors are told. */
export class DecodingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodingError';
  }
}

/** Media type of a request body, JSON where nothing is said. Throws 415 on any other. */
export function checkContentType(contentType: string | undefined): void {
  if ((mediaTypeOf(contentType) || BODY_TYPES[0]) !== BODY_TYPES[0])
    throw new ApiError(unsupportedMediaType(BODY_TYPES));
}

/** Only the first of them is read here; the others are named, as upstream names them. */
const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export const mediaTypeOf = (contentType: string | undefined) => (contentType ?? '').split(';')[0]?.trim().toLowerCase();

/** The object in a request body. Throws 400 in upstream's words (handlers/rest.go transformDecodeError). */
export function decodeObject(body: Buffer, resource: Resource): Decoded {
  const value = decodeJsonObject(body, resource.kind);
  try {
    return typed(value, resource);
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    throw badRequest(cannotBeHandled(value, resource, error.message));
  }
}

/** 400 of a body with fields that the type does not have, where the request wants it strict. */
export function strictRefusal(resource: Resource, unknown: readonly string[]): ApiError {
  return badRequest(cannotBeHandled({}, resource, strictComplaint(unknown)));
}

export const strictComplaint = (unknown: readonly string[]) => `strict decoding error: ${unknown.join(', ')}`;

function cannotBeHandled({ kind, apiVersion }: JsonObject, resource: Resource, why: string): string {
  const given = isEmpty(kind) ? resource.kind : String(kind);
  const version = isEmpty(apiVersion) ? resource.version : String(apiVersion).replace(/^.*\//, '');
  return `${given} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`;
}

/** A JSON object that is to be read as `kind`. Throws 400. */
export function decodeJsonObject(body: Buffer, kind: string): JsonObject {
  try {
    return jsonObject(body);
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${error.message} (${summary(body)})`,
    );
  }
}

/** A JSON object. Throws DecodingError. */
export function jsonObject(body: Buffer): JsonObject {
  const parsed = parseJson(body);
  const refuse = (why: string) => new DecodingError(`couldn't get version/kind; json parse error: ${why}`);
  if ('reason' in parsed) throw refuse(parsed.reason);
  if (parsed.value === null) return {};
  if (!isObject(parsed.value)) throw refuse(cannotUnmarshal(parsed.value, `into Go value of type ${TYPE_META}`));
  for (const field of ['apiVersion', 'kind'] as const) {
    const content = parsed.value[field];
    if (typeof content === 'string' || content === undefined || content === null) continue;
    throw refuse(cannotUnmarshal(content, `into Go struct field .${field} of type string`));
  }
  return parsed.value;
}

/** What looks like JSON is shown as it is, anything else byte by byte. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const shown = body.subarray(0, SHOWN_BYTES).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > SHOWN_BYTES ? `${shown} ...` : shown;
}

/**
 * Gives a plain value the shape of the type: kind and apiVersion, fields in Go's order and of their types, defaults filled in,
 * nothing that the type does not have. Throws DecodingError where it is of another type, or cannot be read as this one.
 */
export function typed(value: JsonObject, resource: Resource): Decoded {
  checkTypeMeta(value, resource);
  const type = goStruct(resource.kind);
  const { value: read, unknown, error } = readTyped(type, value, TYPE_META_FIELDS);
  if (error !== undefined) throw new DecodingError(error);
  const object = withTypeMeta(read, resource);
  if (resource.strategy.setDefaults === undefined) return { object, unknown: unknown.map(unknownField) };
  resource.strategy.setDefaults(object);
  return { object: inGoOrder(type, object, resource), unknown: unknown.map(unknownField) };
}

/** Members where Go would write them, after somebody added some. */
function inGoOrder(type: GoType & { kind: 'struct' }, object: KubeObject, resource: Resource): KubeObject {
  return withTypeMeta(readTyped(type, object, TYPE_META_FIELDS).value, resource);
}

const TYPE_META_FIELDS = ['kind', 'apiVersion'];
const unknownField = (path: string) => `unknown field "${path}"`;

function withTypeMeta(read: JsonObject, resource: Resource): KubeObject {
  const metadata = read.metadata as KubeObject['metadata'];
  if (metadata.creationTimestamp === null) delete metadata.creationTimestamp;
  // Nobody sets it any more; upstream throws it away too.
  delete metadata.selfLink;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...read, metadata };
}

function checkTypeMeta({ kind, apiVersion }: JsonObject, resource: Resource): void {
  const expected = apiVersionOf(resource);
  const asKind = isEmpty(kind) ? resource.kind : String(kind);
  const asVersion = isEmpty(apiVersion) ? expected : String(apiVersion);
  if (asKind === resource.kind && asVersion === expected) return;
  if (asVersion === expected && isGoStruct(asKind)) {
    throw new DecodingError(
      `converting (v1.${asKind}) to (${goPackage(resource)}.${resource.kind}): unknown conversion`,
    );
  }
  throw new DecodingError(`no kind "${asKind}" is registered for version "${asVersion}" in ${SCHEME}`);
}
