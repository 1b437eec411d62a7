import type { TraceEvent, TraceSink } from '../store/trace.ts';
import type { Clock } from '../util/clock.ts';

type Untold<E> = E extends { at: number; resource: string } ? Omit<E, 'at' | 'resource'> : never;

/** What a cacher tells of itself, before time and resource are put on it. */
export type CacherTraceEvent = Untold<Extract<TraceEvent, { what: 'reinit' | 'ready' | 'terminate' | 'resize' }>>;

/** The trace of one resource's cacher; does nothing where nobody listens. */
export function cacherTrace(
  resource: string,
  clock: Clock,
  sink: TraceSink | undefined,
): (event: CacherTraceEvent) => void {
  return (event) => sink?.({ ...event, at: clock.now(), resource });
}
