import type { TraceItem } from '../render/feed.ts';
import type { TraceEvent } from '../store/trace.ts';

/** What turns a trace of the server into something that can be shown. */
export interface TraceNames {
  /** What an apiserver is called, where there are several. */
  server(index: number): string | undefined;
  /** Label of the lab's watcher that has this request open. */
  watcher(auditId: string): string | undefined;
}

/**
 * A trace as an item of the feed: with the name of the apiserver, where there are several, and with the watcher's label
 * (`C`) in the place of the number that the cache has for it, which becomes `watcherId`.
 */
export function traceItem(event: TraceEvent, names: TraceNames): TraceItem & { watcher?: string } {
  const server = event.apiserver === undefined ? undefined : names.server(event.apiserver);
  const named = server === undefined ? {} : { server };
  if (event.what !== 'terminate') return { kind: 'trace', ...event, ...named };
  const { watcher: watcherId, ...rest } = event;
  const label = event.auditId === undefined ? undefined : names.watcher(event.auditId);
  return { kind: 'trace', ...rest, watcherId, ...(label === undefined ? {} : { watcher: label }), ...named };
}

/** The caches that fill and rebuild without anybody watching them would bury what happens to those that are watched. */
export function isAboutUnwatched(event: TraceEvent, watched: ReadonlySet<string>): boolean {
  const isOfCache = event.what === 'reinit' || event.what === 'ready' || event.what === 'resize';
  return isOfCache && watched.size > 0 && !watched.has(event.resource);
}
