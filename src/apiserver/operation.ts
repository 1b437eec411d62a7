import { removeCollection } from './collection-deletion.ts';
import type { Exchange } from './exchange.ts';
import { serveCollection } from './list-handler.ts';
import { getObject, type ObjectRequest, patchObject, postObject, putObject, removeObject } from './object-handler.ts';
import { postBinding } from './pod-binding.ts';
import type { Resource, Verb } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import { getScale, patchScale, putScale } from './scale.ts';
import type { Serving } from './serving.ts';
import { postTokenReview } from './token-review.ts';

/** What a method does to a resource path. */
export type Operation = (serving: Serving, exchange: Exchange) => Promise<void>;

/**
 * The operation of a request, among those that upstream installs for such a path (endpoints/installer.go).
 * `no-such-path`: the type has no objects with names; `undefined`: the path is there, the method is not (405).
 */
export function operationOf(
  serving: Serving,
  route: ResourceRoute,
  method: string,
): Operation | 'no-such-path' | undefined {
  const { resource, name, subresource, forceWatch } = route;
  if (forceWatch) return method === 'GET' ? collection(route) : undefined;
  if (name === undefined) return onCollection(serving, route, method);
  if (!hasAny(resource, ['get', 'update', 'patch', 'delete'])) return 'no-such-path';
  return subresource === undefined
    ? onObject(serving, route, method)
    : onSubresource(serving, route, method, subresource);
}

const hasAny = ({ verbs }: Resource, wanted: readonly Verb[]) => wanted.some((verb) => verbs.includes(verb));

const collection =
  (route: ResourceRoute): Operation =>
  (serving, exchange) =>
    serveCollection(serving, exchange, route);

function onCollection(serving: Serving, route: ResourceRoute, method: string): Operation | undefined {
  const { resource, namespace } = route;
  // All namespaces together can be read, and nothing else.
  const isWhole = resource.namespaced && namespace === undefined;
  if (method === 'GET' && hasAny(resource, ['list'])) return collection(route);
  if (method === 'POST' && !isWhole && hasAny(resource, ['create'])) return creation(serving, route);
  if (method === 'DELETE' && !isWhole && hasAny(resource, ['deletecollection'])) {
    return withStorage(serving, route, removeCollection);
  }
  return undefined;
}

function creation(serving: Serving, route: ResourceRoute): Operation | undefined {
  if (route.resource.name === 'bindings') return binding(serving, route);
  if (route.resource.name === 'tokenreviews') return (_, exchange) => postTokenReview(exchange);
  return withStorage(serving, route, postObject);
}

const OBJECT_METHODS: Readonly<Record<string, [Verb, typeof getObject]>> = {
  GET: ['get', getObject],
  PUT: ['update', putObject],
  PATCH: ['patch', patchObject],
  DELETE: ['delete', removeObject],
};

function onObject(
  serving: Serving,
  route: ResourceRoute,
  method: string,
  methods = OBJECT_METHODS,
): Operation | undefined {
  const [verb, handler] = methods[method] ?? [];
  if (verb === undefined || handler === undefined || !hasAny(route.resource, [verb])) return undefined;
  return withStorage(serving, route, handler);
}

const SUBRESOURCE_METHODS: Readonly<Record<string, readonly string[]>> = {
  status: ['GET', 'PUT', 'PATCH'],
  finalize: ['PUT'],
  binding: ['POST'],
  scale: ['GET', 'PUT', 'PATCH'],
};

const SCALE_METHODS: typeof OBJECT_METHODS = {
  GET: ['get', getScale],
  PUT: ['update', putScale],
  PATCH: ['patch', patchScale],
};

function onSubresource(
  serving: Serving,
  route: ResourceRoute,
  method: string,
  subresource: string,
): Operation | undefined {
  if (!SUBRESOURCE_METHODS[subresource]?.includes(method)) return undefined;
  if (subresource === 'binding') return binding(serving, route);
  return onObject(serving, route, method, subresource === 'scale' ? SCALE_METHODS : OBJECT_METHODS);
}

function binding(serving: Serving, { namespace, name }: ResourceRoute): Operation | undefined {
  const pods = serving.resources.find((one) => one.name === 'pods');
  const served = pods && serving.served(pods);
  return served && ((_, exchange) => postBinding(serving, exchange, served, namespace, name));
}

function withStorage(
  serving: Serving,
  route: ResourceRoute,
  handler: (serving: Serving, exchange: Exchange, request: ObjectRequest) => Promise<void>,
): Operation | undefined {
  const served = serving.served(route.resource);
  return served && ((_, exchange) => handler(serving, exchange, { route, served }));
}
