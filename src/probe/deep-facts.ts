import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { WatchRecord } from './long-watch.ts';
import type { Floor, Newest } from './window-age.ts';

/** A reading of the counters of /metrics that speak of the resource. */
export interface Counters {
  at: number;
  samples: Record<string, number>;
}

/** Whether etcd still held an RV that was its newest at `knownAt`. Times in ms of the client's clock. */
export interface EtcdHeld {
  rv: ResourceVersion;
  /** When its answer came, and when the question had been sent: it was the newest in between. */
  known: { askedAt: number; answeredAt: number };
  askedAt: number;
  answeredAt: number;
  held: boolean;
}

/** What the deep half saw in some minutes: measurements, no opinions. */
export interface DeepFacts {
  startedAt: number;
  endedAt: number;
  /** Sent in all. */
  requests: number;
  cached: boolean | undefined;
  /** True where the main watch is of all objects of the resource: its events are those that the ring counts. */
  seesAll: boolean;
  /** With bookmarks, planned to end within the run. */
  main: WatchRecord;
  /** From this RV. */
  mainRv: ResourceVersion;
  /** Two of nothing, without bookmarks: not a byte comes over them. */
  quiet: WatchRecord[];
  /** Events of the main watch in each stretch of `BUCKET_MS`. */
  eventCounts: number[];
  newest: Newest[];
  floors: Floor[];
  /** What etcd said to be its newest. */
  heads: Newest[];
  counters: Counters[];
  etcd: EtcdHeld[];
}

/** Between two looks at the cache's RV, ms. */
export const BUCKET_MS = 10_000;

/** How long the stream was open; 0 where it never was. `until`: now, for one that still is. */
export function lifetimeMs({ openedAt, endedAt }: WatchRecord, until: number): number {
  return openedAt === undefined ? 0 : (endedAt ?? until) - openedAt;
}

/** A proper end at about the time that was asked for. */
export function endedAsPlanned(record: WatchRecord): boolean {
  if (record.end !== 'eof' || record.openedAt === undefined || record.status) return false;
  return lifetimeMs(record, 0) >= record.timeoutSeconds * 1000 - PLANNED_SLACK_MS;
}

/** The server's timer starts before its headers reach us. */
const PLANNED_SLACK_MS = 2_000;
