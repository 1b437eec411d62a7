import type { Metrics, Sample } from '../util/metrics.ts';

/** What one resource's watch cache counts, under the names and labels of kube-apiserver 1.30.3 (facts/server §7). */
export interface CacherMetrics {
  /** Rises with every (re)initialisation: what tells a rebuilt cache from a ring that rolled over. */
  readonly initializations: Sample;
  readonly capacity: Sample;
  readonly capacityIncreases: Sample;
  readonly capacityDecreases: Sample;
  readonly eventsReceived: Sample;
  /** Progress notifies count too. */
  readonly eventsDispatched: Sample;
  /** Watchers that were closed because they were too slow. */
  readonly terminatedWatchers: Sample;
  /** Events sent before a watcher went live. */
  readonly initEvents: Sample;
  /** A list from the cache, which read so many objects by an index (`f:` and its field; '' for none) and sent so many. */
  countList(index: string, fetched: number, returned: number): void;
}

/** `resourcePrefix` as in the store; the metrics name it without the store's own `/registry`. */
export function cacherMetrics(metrics: Metrics, resource: string, resourcePrefix: string): CacherMetrics {
  const labels = { resource };
  const prefix = { resource_prefix: resourcePrefix.replace(/^\/registry(?=\/)/, '') };
  const lists = (index: string) =>
    metrics.counter('apiserver_cache_list_total', 'Lists served from the watch cache.', { index, ...prefix });
  const listsFetched = (index: string) =>
    metrics.counter('apiserver_cache_list_fetched_objects_total', 'Objects read from the watch cache to serve lists.', {
      index,
      ...prefix,
    });
  const listsReturned = metrics.counter(
    'apiserver_cache_list_returned_objects_total',
    'Objects returned by lists from the watch cache.',
    prefix,
  );
  const count = (name: string, help: string) => metrics.counter(name, help, labels);
  return {
    initializations: count('apiserver_watch_cache_initializations_total', 'Watch cache initializations by resource.'),
    capacity: metrics.gauge('watch_cache_capacity', 'Events that the watch cache can hold, by resource.', labels),
    capacityIncreases: count('watch_cache_capacity_increase_total', 'Times the watch cache grew, by resource.'),
    capacityDecreases: count('watch_cache_capacity_decrease_total', 'Times the watch cache shrank, by resource.'),
    eventsReceived: count('apiserver_watch_cache_events_received_total', 'Events that came from storage, by resource.'),
    eventsDispatched: count('apiserver_watch_cache_events_dispatched_total', 'Events dispatched, by resource.'),
    terminatedWatchers: count('apiserver_terminated_watchers_total', 'Watchers closed as unresponsive, by resource.'),
    initEvents: count('apiserver_init_events_total', 'Events sent to watchers before they went live, by resource.'),
    countList: (index, fetched, returned) => {
      lists(index).value += 1;
      listsFetched(index).value += fetched;
      listsReturned.value += returned;
    },
  };
}
