import type { EventSink, Watcher } from '../store/resource-storage.ts';
import type { Sample } from '../util/metrics.ts';
import type { CollectionOptions } from './collection-options.ts';
import type { Exchange } from './exchange.ts';
import { checkStreamable, type OutputMediaType } from './negotiation.ts';
import { Presentation } from './presentation.ts';
import { tellRefusal } from './refusal-trace.ts';
import type { Served } from './registry.ts';
import { groupResource, storageKey, zeroObject } from './resource.ts';
import type { ResourceRoute } from './route.ts';
import type { Serving } from './serving.ts';
import { NoSuchForm, WatchEventEncoder } from './watch-events.ts';
import { type WatchScope, watchMetrics } from './watch-metrics.ts';
import { openWatchStream, type WatchStream } from './watch-stream.ts';

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
 * (facts/server §5.3). A negative timeoutSeconds has passed already.
 */
export async function serveWatch(serving: Serving, exchange: Exchange, request: WatchRequest): Promise<void> {
  const { route, served, options, output } = request;
  const { clock, random } = serving;
  const timeout = options.timeoutSeconds ? options.timeoutSeconds * 1000 : MIN_REQUEST_TIMEOUT_MS * (1 + random());
  const over = new AbortController();
  const timer = clock.timer(timeout, () => over.abort());
  const end = () => over.abort();
  if (timeout < 0 || exchange.signal.aborted) end();
  exchange.signal.addEventListener('abort', end, { once: true });
  const { signal } = over;
  serving.watches.began({
    auditId: exchange.auditId,
    userAgent: exchange.request.headers['user-agent'] ?? '',
    groupResource: groupResource(served.resource),
    requestedRv: options.resourceVersion,
  });
  try {
    const watcher = await served.storage.watch(storageKey(served.resource, route.namespace), {
      resourceVersion: options.resourceVersion,
      predicate: options.predicate,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      deadline: clock.now() + timeout,
      signal,
      scope: options.scope,
      auditId: exchange.auditId,
    });
    try {
      checkStreamable(output);
      await pump(serving, exchange, request, watcher, signal);
    } finally {
      watcher.stop();
    }
  } finally {
    serving.watches.ended(exchange.auditId);
    timer.cancel();
    end();
  }
}

/** The one loop of a watch: from the watcher to the socket, waiting for whichever is behind. */
async function pump(
  serving: Serving,
  exchange: Exchange,
  { route, served, options, output }: WatchRequest,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const { resource } = served;
  const presentation = new Presentation(resource, output, exchange.query);
  const encoder = new WatchEventEncoder(presentation, zeroObject(resource), serving);
  const { open, sent } = watchMetrics(serving.metrics, resource, scopeOf(route, options));
  open.value++;
  const stream = openWatchStream(exchange, () => watcher.resume?.());
  signal.addEventListener('abort', () => stream.giveUp(), { once: true });
  const sink = presentation.plain ? countingSink(stream, sent) : undefined;
  try {
    for (;;) {
      const event = watcher.poll() ?? (await nextEvent(watcher, stream, sink));
      if (!event) break;
      if (event.type === 'ERROR' && event.cause) {
        tellRefusal(serving, exchange, { resource, requested: options.resourceVersion }, event.cause);
      }
      stream.write(encoder.encode(event));
      sent.value++;
      const full = stream.drained();
      if (full) await full;
    }
  } catch (error) {
    if (!(error instanceof NoSuchForm)) throw error;
  } finally {
    open.value--;
    stream.end();
  }
}

/**
 * Nothing is there: what was gathered goes out, and while the client reads along its watcher writes to the stream itself.
 * Resolves when that is over, or the next event comes the usual way.
 */
async function nextEvent(watcher: Watcher, stream: WatchStream, sink: EventSink | undefined) {
  stream.flush();
  await stream.drained();
  const following = sink && watcher.follow?.(sink);
  if (following === undefined) return watcher.next();
  await following;
  await stream.drained();
  return watcher.poll() ?? watcher.next();
}

function countingSink(stream: WatchStream, sent: Sample): EventSink {
  return {
    get ready() {
      return stream.ready;
    },
    deliver(batch) {
      sent.value += batch.events.length;
      stream.deliver(batch);
    },
  };
}

function scopeOf({ namespace }: ResourceRoute, { scope }: CollectionOptions): WatchScope {
  if (scope.name !== undefined) return 'resource';
  return namespace === undefined ? 'cluster' : 'namespace';
}
