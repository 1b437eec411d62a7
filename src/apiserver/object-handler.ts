import type { KubeObject } from '../protocol/object.ts';
import { firstValue } from '../protocol/query.ts';
import { sendJson } from './answer.ts';
import { isDryRun, parseDeleteOptions } from './delete-options.ts';
import { DryRunStorage } from './dry-run-storage.ts';
import type { Exchange } from './exchange.ts';
import { checkRouteAccepts, negotiate } from './negotiation.ts';
import { checkContentType, decodeObject } from './object-decoding.ts';
import { patchOf } from './patch.ts';
import { Presentation } from './presentation.ts';
import { badRequest } from './refusals.ts';
import type { Place, Served } from './registry.ts';
import { createObject } from './registry-create.ts';
import { deleteObject } from './registry-delete.ts';
import { type UpdateScope, updateObject } from './registry-update.ts';
import { readBody } from './request-body.ts';
import { storageKey } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import type { Serving } from './serving.ts';

/** A request about one object, with the type's storage at hand. */
export interface ObjectRequest {
  route: ResourceRoute;
  served: Served;
}

const JSON_ONLY = ['application/json'];

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
  checkContentType(exchange.request.headers['content-type'], JSON_ONLY);
  const object = decodeObject(await readBody(exchange.request), request.served.resource);
  const inBody = object.metadata.namespace;
  if (inBody !== undefined && namespace !== undefined && inBody !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const place = { served: storageFor(exchange, request.served), namespace, name: object.metadata.name ?? '' };
  const stored = await createObject(serving, place, object);
  sendJson(exchange, 201, presentation.object(stored, serving.clock.now()), presentation.output.format);
}

/** PUT …/NAME, also of a subresource. */
export async function putObject(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const presentation = presentationOf(exchange, request);
  checkContentType(exchange.request.headers['content-type'], JSON_ONLY);
  const place = placeOf(exchange, request);
  const body = decodeObject(await readBody(exchange.request), request.served.resource);
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
  const place = placeOf(exchange, request);
  const body = await readBody(exchange.request);
  const patch = patchOf(exchange.request.headers['content-type'], body, request.served.resource);
  const { stored } = await updateObject(serving, place, {
    scope: scopeOf(request.route),
    // A PATCH never creates, so there is always something to patch.
    propose: (current) => patch(current as KubeObject),
    mayCreate: false,
  });
  sendJson(exchange, 200, presentation.object(stored, serving.clock.now()), presentation.output.format);
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
  if (body.length > 0) checkContentType(exchange.request.headers['content-type'], JSON_ONLY);
  return parseDeleteOptions(body, exchange.query);
}

function presentationOf(exchange: Exchange, { served }: ObjectRequest): Presentation {
  checkRouteAccepts(exchange.accept, false);
  return new Presentation(served.resource, negotiate(exchange.accept), exchange.query);
}

function placeOf(exchange: Exchange, { route, served }: ObjectRequest): Place {
  return { served: storageFor(exchange, served), namespace: route.namespace, name: route.name ?? '' };
}

/** The type's storage, or with `dryRun=All` one that only pretends. */
function storageFor(exchange: Exchange, served: Served): Served {
  return isDryRun(exchange.query.get('dryRun') ?? []) ? dryRun(served) : served;
}

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
  if (metadata.namespace !== undefined && place.namespace !== undefined && metadata.namespace !== place.namespace) {
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${place.namespace})`,
    );
  }
  if (place.namespace !== undefined) metadata.namespace = place.namespace;
}
