import type { ObjectStore } from '../store/object-store.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import type { Clock } from '../util/clock.ts';
import type { CacherMetrics } from './cacher-metrics.ts';
import type { CacherTraceEvent } from './cacher-trace.ts';
import { type Dispatcher, ProgressEvent } from './dispatcher.ts';
import type { RebuildReason } from './history-floor.ts';
import type { ReadyGate } from './ready.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import type { WatchCache } from './watch-cache.ts';
import type { ChangeType } from './watch-cache-event.ts';

/** cacher.go: `wait.Until(startCaching, time.Second)`, ms between two runs. */
const RESTART_PAUSE_MS = 1_000;

export interface CachingLoopOptions {
  storage: ObjectStore;
  clock: Clock;
  ready: ReadyGate;
  cache: WatchCache;
  dispatcher: Dispatcher;
  metrics: CacherMetrics;
  tell: (event: CacherTraceEvent) => void;
}

/**
 * Keeps a watch cache filled (upstream cacher.go startCaching), run after run of its reflector:
 *
 *     run ends            readiness is dropped at once; live watchers stay, and hear nothing
 *     1 s later           all watchers are closed without an ERROR; everything is listed anew
 *     list is there       history begins at the list's RV; ready, with the next generation
 *
 * So a client learns of lost history only by its next attempt, in the cache's words.
 */
export class CachingLoop implements ReflectorSink {
  readonly #options: CachingLoopOptions;
  readonly #reflector: Reflector;
  /** What the next successful list is due to: the first thing that went wrong since the last one. */
  #rebuildReason: RebuildReason = 'start';
  /** True until a run has told that the one before it was lost. */
  #untold = false;

  constructor(options: CachingLoopOptions) {
    this.#options = options;
    this.#reflector = new Reflector({ storage: options.storage, clock: options.clock, sink: this });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#startCaching(signal);
      await this.#options.clock.sleep(RESTART_PAUSE_MS, signal);
    }
  }

  replace(objects: readonly StoredObject[], rv: number): void {
    const { cache, ready, metrics, tell } = this.#options;
    cache.replace(objects, rv, this.#rebuildReason);
    ready.set(true);
    metrics.initializations.value += 1;
    tell({ what: 'ready', generation: ready.generation, rv });
  }

  /**
   * client-go's watchHandler tells its store the RV after *every* event, not only after a progress notify, and the watch cache
   * hands that on: a change takes two places between reflector and dispatcher, and counts as two events dispatched.
   */
  handle(type: ChangeType, object: StoredObject): Promise<void> | undefined {
    const { cache, dispatcher } = this.#options;
    const event = cache.processEvent(type, object);
    const reached = new ProgressEvent(event.rv);
    const waiting = dispatcher.offer(event);
    return waiting ? waiting.then(() => dispatcher.offer(reached)) : dispatcher.offer(reached);
  }

  progress(rv: number): Promise<void> | undefined {
    this.#options.cache.updateResourceVersion(rv);
    return this.#options.dispatcher.offer(new ProgressEvent(rv));
  }

  async #startCaching(signal: AbortSignal): Promise<void> {
    const { dispatcher, ready } = this.#options;
    dispatcher.terminateAllWatchers();
    this.#tellReinit();
    const before = ready.generation;
    const end = await this.#reflector.listAndWatch(signal);
    ready.set(false);
    if (ready.generation === before || end.because === 'stopped') return;
    this.#rebuildReason = end.because;
    this.#untold = true;
  }

  #tellReinit(): void {
    if (!this.#untold || this.#rebuildReason === 'start') return;
    this.#untold = false;
    this.#options.tell({
      what: 'reinit',
      generation: this.#options.ready.generation,
      because: this.#rebuildReason,
    });
  }
}
