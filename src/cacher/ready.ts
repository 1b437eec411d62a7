import { Condition } from '../util/condition.ts';

/** Why a wait for readiness gave nothing. */
export type NotReady = 'stopped' | 'aborted';

/**
 * The gate in front of a cache (upstream ready.go, 1.30.3).
 *
 *                set(true)                 set(false)
 *     pending ───────────────► ready ───────────────────► pending …
 *        └──────── stop() ───────┴──────► stopped (for good)
 *
 * `generation` counts the entries into `ready`: who waited and then finds another generation knows that the cache was
 * rebuilt in between. While pending, waiters wait until they are ready or their own request ends.
 */
export class ReadyGate {
  #state: 'pending' | 'ready' | 'stopped' = 'pending';
  #generation = 0;
  readonly #changed = new Condition();

  /** True while the cache may be used. */
  check(): boolean {
    return this.#state === 'ready';
  }

  /** How often the gate has opened so far. */
  get generation(): number {
    return this.#generation;
  }

  /** Upstream checkAndReadGeneration: the generation, or undefined while it is not ready. */
  checkAndReadGeneration(): number | undefined {
    return this.#state === 'ready' ? this.#generation : undefined;
  }

  /** The generation as soon as the gate is open. A wait costs an APF seat in life, and so do we say nothing meanwhile. */
  async waitAndReadGeneration(signal?: AbortSignal): Promise<number | NotReady> {
    while (this.#state === 'pending') {
      if (signal?.aborted) return 'aborted';
      await this.#changed.wait(signal);
    }
    return this.#state === 'ready' ? this.#generation : 'stopped';
  }

  set(ready: boolean): void {
    if (this.#state === 'stopped') return;
    if (ready && this.#state === 'pending') this.#generation += 1;
    this.#state = ready ? 'ready' : 'pending';
    if (ready) this.#changed.broadcast();
  }

  /** For good: all who wait are told. */
  stop(): void {
    this.#state = 'stopped';
    this.#changed.broadcast();
  }
}
