import { goQuote } from '../protocol/go-strconv.ts';
import type { KubeObject } from '../protocol/object.ts';
import { firstValue } from '../protocol/query.ts';
import { sendJson } from './answer.ts';
import { parseDeleteOptions } from './delete-options.ts';
import { DryRunStorage } from './dry-run-storage.ts';
import type { Exchange } from './exchange.ts';
import { checkRouteAccepts, negotiate } from './negotiation.ts';
import { checkContentType, decodeObject, strictRefusal } from './object-decoding.ts';
import { checkPatchType, patchOf } from './patch.ts';
import { Presentation } from './presentation.ts';
import { badRequest } from './refusals.ts';
import type { Place, Served } from './registry.ts';
import { createObject } from './registry-create.ts';
import { deleteObject } from './registry-delete.ts';
import { type UpdateScope, updateObject } from './registry-update.ts';
import { readBody } from './request-body.ts';
import { type WriteOptions, writeOptions } from './request-options.ts';
import { type Resource, storageKey } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import type { Serving } from './serving.ts';

/** A request about one object, with the type's storage at hand. */
export interface ObjectRequest {
  route: ResourceRoute;
  served: Served;
}

/** GET …/NAME. `watch` in the query means nothing here (facts/server §1.1). */
export async function getObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  const { resource, storage } = request.served;
  const { namespace, name } = request.route;
  const stored = await storage.get(storageKey(resource, namespace, name), {
    resourceVersion: firstValue(exchange.query, 'resourceVersion') ?? '',
    signal: exchange.signal,
  });
  sendJson(exchange, 200, presentation.object(stored, serving.clock.now()), presentation.output.format);
}

/** POST to a collection. */
export async function postObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  const { namespace } = request.route;
  checkContentType(exchange.request.headers['content-type']);
  const body = await readBody(exchange.request);
  const options = writeOptions('CreateOptions', exchange.query);
  const object = decodedBody(exchange, request.served.resource, body, options);
  checkNamespace(namespace, object);
  const place = { served: storageFor(options, request.served), namespace, name: object.metadata.name ?? '' };
  const stored = await createObject(serving, place, object);
  sendJson(exchange, 201, presentation.object(stored, serving.clock.now()), presentation.output.format);
}

/** PUT …/NAME, also of a subresource. */
export async function putObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  const bytes = await readBody(exchange.request);
  const options = writeOptions('UpdateOptions', exchange.query);
  checkContentType(exchange.request.headers['content-type']);
  const place = placeOf(options, request);
  const body = decodedBody(exchange, request.served.resource, bytes, options);
  checkPlace(place, body);
  const { stored, created } = await updateObject(serving, place, {
    scope: scopeOf(request.route),
    propose: () => structuredClone(body),
    uid: body.metadata.uid,
    mayCreate: true,
  });
  const shown = presentation.object(stored, serving.clock.now());
  sendJson(exchange, created ? 201 : 200, shown, presentation.output.format);
}

/** PATCH …/NAME, also of a subresource. */
export async function patchObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  const { patch, options, warn } = await patchRequest(exchange, request.served.resource);
  const place = placeOf(options, request);
  const { stored } = await updateObject(serving, place, {
    scope: scopeOf(request.route),
    propose: (current) => {
      // A PATCH never creates, so there is always something to patch.
      const patched = patch(current as KubeObject);
      warn(patched.unknown);
      checkPlace(place, patched.object);
      return patched.object;
    },
    mayCreate: false,
  });
  sendJson(exchange, 200, presentation.object(stored, serving.clock.now()), presentation.output.format);
}

/** What a PATCH asks for, read and checked in upstream's order. Throws 400, 413, 415 or 422. */
export async function patchRequest(exchange: Exchange, resource: Resource) {
  const contentType = exchange.request.headers['content-type'];
  checkPatchType(contentType);
  const body = await readBody(exchange.request);
  const options = writeOptions('PatchOptions', exchange.query);
  const patch = patchOf(contentType, body, resource, options.fieldValidation);
  return { patch, options, warn: (unknown: readonly string[]) => warn(exchange, options, unknown) };
}

/** DELETE …/NAME. */
export async function removeObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  const options = await deleteOptionsOf(exchange);
  const served = options.dryRun ? dryRun(request.served) : request.served;
  const place = { served, namespace: request.route.namespace, name: request.route.name ?? '' };
  const { gone, answer } = await deleteObject(serving, place, options);
  // Only the old, explicit `orphanDependents: false` is told that it is not done yet (handlers/delete.go).
  const code = !gone && options.orphanDependents === false ? 202 : 200;
  const shown = 'object' in answer ? presentation.object(answer, serving.clock.now()) : answer;
  sendJson(exchange, code, shown, presentation.output.format);
}

/** The options of a DELETE, from its body or its query. Throws 400, 413, 415 or 422. */
export async function deleteOptionsOf(exchange: Exchange) {
  const body = await readBody(exchange.request);
  if (body.length > 0) checkContentType(exchange.request.headers['content-type']);
  return parseDeleteOptions(body, exchange.query);
}

function presentationOf(exchange: Exchange, { served }: ObjectRequest): Presentation {
  checkRouteAccepts(exchange.accept, false);
  return new Presentation(served.resource, negotiate(exchange.accept), exchange.query);
}

/** The object in a body; fields that its type does not have are told, or refused. */
export function decodedBody(exchange: Exchange, resource: Resource, body: Buffer, options: WriteOptions): KubeObject {
  const { object, unknown } = decodeObject(body, resource);
  if (options.fieldValidation === 'Strict' && unknown.length > 0) throw strictRefusal(resource, unknown);
  warn(exchange, options, unknown);
  return object;
}

/** A `Warning` header for each, as the API's clients print them (RFC 7234, code 299). */
function warn({ response }: Exchange, { fieldValidation }: WriteOptions, unknown: readonly string[]): void {
  if (fieldValidation !== 'Warn' || unknown.length === 0) return;
  response.setHeader(
    'Warning',
    unknown.map((text) => `299 - ${goQuote(text)}`),
  );
}

export function placeOf(options: WriteOptions, { route, served }: ObjectRequest): Place {
  return { served: storageFor(options, served), namespace: route.namespace, name: route.name ?? '' };
}

/** The type's storage, or with `dryRun=All` one that only pretends. */
const storageFor = (options: WriteOptions, served: Served): Served => (options.dryRun ? dryRun(served) : served);

const dryRun = ({ resource, storage }: Served): Served => ({ resource, storage: new DryRunStorage(storage) });

const scopeOf = ({ subresource }: ResourceRoute): UpdateScope =>
  subresource === 'status' || subresource === 'finalize' ? subresource : 'object';

/** The body of a PUT must be about the object in the path (handlers/rest.go checkName). */
function checkPlace(place: Place, { metadata }: KubeObject): void {
  if (metadata.name === undefined) {
    throw badRequest(`the name of the object (${place.name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== place.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`);
  }
  checkNamespace(place.namespace, { metadata });
  if (place.namespace !== undefined) metadata.namespace = place.namespace;
}

/** Throws 400 (rest.EnsureObjectNamespaceMatchesRequestNamespace). */
function checkNamespace(namespace: string | undefined, { metadata }: KubeObject): void {
  if (metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
