import { ApiError } from '../protocol/api-error.ts';
import { sendJson } from './answer.ts';
import { collectionOptions } from './collection-options.ts';
import type { Exchange } from './exchange.ts';
import { checkRouteAccepts, negotiate } from './negotiation.ts';
import { deleteOptionsOf, type ObjectRequest } from './object-handler.ts';
import { Presentation } from './presentation.ts';
import { deleteObject } from './registry-delete.ts';
import { storageKey } from './resource.ts';
import type { Serving } from './serving.ts';

/** DELETE of a collection: each object that the selectors match, one after the other (upstream Store.DeleteCollection). */
export async function removeCollection(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  checkRouteAccepts(exchange.accept, true);
  const { route, served } = request;
  const presentation = new Presentation(served.resource, negotiate(exchange.accept), exchange.query);
  const {
    resourceVersion,
    resourceVersionMatch,
    limit,
    continue: token,
    predicate,
  } = collectionOptions(exchange, route, false);
  const options = await deleteOptionsOf(exchange);
  const list = await served.storage.getList(storageKey(served.resource, route.namespace), {
    resourceVersion,
    resourceVersionMatch,
    limit: Math.max(limit, 0),
    continue: token,
    predicate,
    signal: exchange.signal,
  });
  for (const { object } of options.dryRun ? [] : list.items) {
    const { namespace, name = '' } = object.metadata;
    try {
      await deleteObject(serving, { served, namespace, name }, { ...options, preconditions: undefined });
    } catch (error) {
      // Somebody else was faster with this one.
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }
  sendJson(exchange, 200, presentation.list(list, serving.clock.now()), presentation.output.format);
}
