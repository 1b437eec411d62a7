import type { Watcher } from '../store/resource-storage.ts';
import type { Timer } from '../util/clock.ts';
import type { CollectionOptions } from './collection-options.ts';
import type { Exchange } from './exchange.ts';
import { checkStreamable, type OutputMediaType } from './negotiation.ts';
import { Presentation } from './presentation.ts';
import type { Served } from './registry.ts';
import { groupResource, storageKey } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import { RunningWatch } from './running-watch.ts';
import type { Serving } from './serving.ts';
import { encoderFor } from './watch-events.ts';
import { type WatchScope, watchMetrics } from './watch-metrics.ts';
import { openWatchStream } from './watch-stream.ts';

/** kube-apiserver `--min-request-timeout`, ms: without timeoutSeconds a watch lives one to two times as long. */
const MIN_REQUEST_TIMEOUT_MS = 1_800_000;

export interface WatchRequest {
  route: ResourceRoute;
  served: Served;
  options: CollectionOptions;
  output: OutputMediaType;
}

/**
 * One watch (upstream handlers/get.go ListResource and watch.go HandleHTTP): refused by HTTP status, or accepted and
 * streamed until its deadline. The deadline counts from before the storage is asked, so waiting there counts
 * (facts/server §5.3). A negative timeoutSeconds has passed already. Resolves when the stream has ended, or lives on without
 * its request.
 */
export async function serveWatch(serving: Serving, exchange: Exchange, request: WatchRequest): Promise<void> {
  const { served, options } = request;
  const { clock, random } = serving;
  const { auditId } = exchange;
  const timeout = options.timeoutSeconds ? options.timeoutSeconds * 1000 : MIN_REQUEST_TIMEOUT_MS * (1 + random());
  const timer = clock.timer(timeout, exchange.expire);
  if (timeout < 0) exchange.expire();
  const ended = serving.watches.began({
    auditId,
    userAgent: exchange.request.headers['user-agent'] ?? '',
    groupResource: groupResource(served.resource),
    requestedRv: options.resourceVersion,
  });
  let watcher: Watcher | undefined;
  try {
    watcher = await accepted(exchange, request, clock.now() + timeout);
    checkStreamable(request.output);
  } catch (error) {
    watcher?.stop();
    timer.cancel();
    ended();
    throw error;
  }
  await stream(serving, exchange, request, { watcher, timer, ended });
}

function accepted(exchange: Exchange, request: WatchRequest, deadline: number): Promise<Watcher> {
  const { route, served, options } = request;
  return served.storage.watch(storageKey(served.resource, route.namespace), {
    resourceVersion: options.resourceVersion,
    predicate: options.predicate,
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
    deadline,
    signal: exchange.signal,
    scope: options.scope,
    auditId: exchange.auditId,
  });
}

function stream(
  serving: Serving,
  exchange: Exchange,
  { route, served, options, output }: WatchRequest,
  life: { watcher: Watcher; timer: Timer; ended: () => void },
): Promise<void> | undefined {
  const { resource } = served;
  const presentation = new Presentation(resource, output, exchange.query);
  const body = openWatchStream(exchange, life.watcher);
  const running = new RunningWatch(
    {
      serving,
      resource,
      auditId: exchange.auditId,
      requestedRv: options.resourceVersion,
      encoder: encoderFor(presentation, resource, serving),
      metrics: watchMetrics(serving.metrics, resource, scopeOf(route, options)),
      ...life,
    },
    body,
  );
  const { connection } = body;
  if (connection === undefined) return running.run();
  running.run().catch((error: unknown) => connection.fail(error));
  return undefined;
}

function scopeOf({ namespace }: ResourceRoute, { scope }: CollectionOptions): WatchScope {
  if (scope.name !== undefined) return 'resource';
  return namespace === undefined ? 'cluster' : 'namespace';
}
