import type { Metrics, Sample } from '../util/metrics.ts';
import type { Resource } from './resource.ts';

/** What the watches of one type count, under the names of kube-apiserver 1.30.3 (facts/server §7). */
export interface WatchMetrics {
  /** Watches that are open now. */
  readonly open: Sample;
  /** Events sent to clients, bookmarks and errors included. */
  readonly sent: Sample;
}

export type WatchScope = 'cluster' | 'namespace' | 'resource';

export function watchMetrics(metrics: Metrics, resource: Resource, scope: WatchScope): WatchMetrics {
  const { group, version, kind, name } = resource;
  const request = { verb: 'WATCH', group, version, resource: name, subresource: '', scope, component: 'apiserver' };
  return {
    open: metrics.gauge(
      'apiserver_longrunning_requests',
      'Gauge of all active long-running apiserver requests.',
      request,
    ),
    sent: metrics.counter('apiserver_watch_events_total', 'Number of events sent in watch clients.', {
      group,
      version,
      kind,
    }),
  };
}
