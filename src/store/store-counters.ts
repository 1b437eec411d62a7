import type { Metrics, Sample } from '../util/metrics.ts';

/** What one resource's storage counts, under the names of kube-apiserver 1.30.3 (facts/server §7). */
export interface StoreCounters {
  /** Events from the store, before any selector. */
  readonly eventsReceived: Sample;
  /** Progress notifies: why bookmarks move on an idle resource. Upstream keeps it as a gauge that only grows. */
  readonly bookmarks: Sample;
  readonly lists: Sample;
  readonly listFetched: Sample;
  readonly listEvaluated: Sample;
  readonly listReturned: Sample;
}

export function storeCounters(metrics: Metrics, resource: string): StoreCounters {
  const count = (name: string, help: string) => metrics.counter(name, help, { resource });
  return {
    eventsReceived: count('apiserver_storage_events_received_total', 'Number of etcd events received split by kind.'),
    bookmarks: metrics.gauge(
      'etcd_bookmark_counts',
      'Number of etcd bookmarks (progress notify events) split by kind.',
      {
        resource,
      },
    ),
    lists: count('apiserver_storage_list_total', 'Number of LIST requests served from storage'),
    listFetched: count(
      'apiserver_storage_list_fetched_objects_total',
      'Number of objects read from storage in the course of serving a LIST request',
    ),
    listEvaluated: count(
      'apiserver_storage_list_evaluated_objects_total',
      'Number of objects tested in the course of serving a LIST request from storage',
    ),
    listReturned: count(
      'apiserver_storage_list_returned_objects_total',
      'Number of objects returned for a LIST request from storage',
    ),
  };
}
