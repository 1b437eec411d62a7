import type { TraceSink } from '../store/trace.ts';
import type { Metrics } from '../util/metrics.ts';
import type { Authentication } from './authentication.ts';
import type { FlowControl } from './flow-control.ts';
import type { OpenWatches } from './open-watches.ts';
import type { Registry, Served } from './registry.ts';
import type { Resource } from './resource.ts';
import type { SharedLines } from './watch-events.ts';

/** Gates of the apiserver that change what a watch does (facts/server §2.4); all off in 1.30.3. */
export interface FeatureGates {
  watchList: boolean;
}

/** What every handler of one apiserver shares. */
export interface Serving extends Registry {
  readonly resources: readonly Resource[];
  /** Undefined for the types that have no storage. */
  served(resource: Resource): Served | undefined;
  readonly featureGates: FeatureGates;
  readonly metrics: Metrics;
  readonly lines: SharedLines;
  readonly flowControl: FlowControl;
  /** Undefined: nobody is asked who they are. */
  readonly authentication: Authentication | undefined;
  readonly watches: OpenWatches;
  readonly trace: TraceSink | undefined;
  /** When this apiserver started, ms of its clock: `process_start_time_seconds`. */
  readonly startedAt: number;
  /** False until it has started: its caches were filled, or what they wait for is out of reach. */
  readonly ready: () => boolean;
  /** Head revision of the store. Rejects, or takes for ever, where the store is out of reach. */
  readonly storeRevision: () => Promise<number>;
  /** True once an orderly shutdown has begun. */
  readonly stopping: () => boolean;
}
