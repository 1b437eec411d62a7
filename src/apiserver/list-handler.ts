import { ExpiredError } from '../store/storage-errors.ts';
import { sendJson } from './answer.ts';
import { type CollectionOptions, collectionOptions } from './collection-options.ts';
import type { Exchange } from './exchange.ts';
import { checkRouteAccepts, negotiate } from './negotiation.ts';
import { Presentation } from './presentation.ts';
import { tellRefusal } from './refusal-trace.ts';
import { verbNotSupported } from './refusals.ts';
import type { Served } from './registry.ts';
import { apiVersionOf, storageKey } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import type { Serving } from './serving.ts';
import { serveWatch } from './watch-handler.ts';

/** A request for a collection: LIST or WATCH (upstream handlers/get.go ListResource). */
export async function serveCollection(serving: Serving, exchange: Exchange, route: ResourceRoute): Promise<void> {
  checkRouteAccepts(exchange.accept, true);
  const output = negotiate(exchange.accept);
  const options = collectionOptions(exchange, route, serving.featureGates.watchList);
  const { resource } = route;
  if (options.watch && !resource.verbs.includes('watch')) throw verbNotSupported(resource, 'watch');
  const served = serving.served(resource);
  if (served === undefined) {
    sendJson(exchange, 200, emptyList(route), output.format);
  } else if (options.watch) {
    await serveWatch(serving, exchange, { route, served, options, output });
  } else {
    const list = await listOf(serving, exchange, served, route, options);
    const body = new Presentation(resource, output, exchange.query).list(list, serving.clock.now());
    sendJson(exchange, 200, body, output.format);
  }
}

async function listOf(
  serving: Serving,
  exchange: Exchange,
  { resource, storage }: Served,
  { namespace }: ResourceRoute,
  options: CollectionOptions,
) {
  const { resourceVersion, resourceVersionMatch, limit, predicate, continue: token } = options;
  try {
    return await storage.getList(storageKey(resource, namespace), {
      resourceVersion,
      resourceVersionMatch,
      limit: Math.max(limit, 0),
      continue: token,
      predicate,
      signal: exchange.signal,
    });
  } catch (error) {
    if (error instanceof ExpiredError) {
      tellRefusal(serving, exchange, { resource, requested: resourceVersion }, error.refusal);
    }
    throw error;
  }
}

function emptyList({ resource }: ResourceRoute): object {
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata: {}, items: [] };
}
