import type { TracedThing } from '../scenario/script.ts';
import type { TraceEvent } from '../store/trace.ts';

/** How often the server told of what a script may expect, by thing and resource. As many counters as there are pairs of them. */
export class TracedCounts {
  readonly #counts = new Map<string, number>();

  take(event: TraceEvent): void {
    const resource = 'resource' in event ? event.resource : undefined;
    for (const key of new Set([event.what, `${event.what} ${resource ?? ''}`])) {
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** The script begins: what came before it does not count. */
  reset(): void {
    this.#counts.clear();
  }

  of(what: TracedThing, resource: string | undefined): number {
    return this.#counts.get(resource === undefined ? what : `${what} ${resource}`) ?? 0;
  }
}
