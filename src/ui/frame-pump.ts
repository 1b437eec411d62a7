import type { Clock, Timer } from '../util/clock.ts';

/** At most ten frames a second: as fast as a person reads, and a tenth of what a frame per event would cost. */
export const FRAME_MS = 100;

/** With nothing new, the ages in the header are looked at this often. */
const IDLE_MS = 1_000;

/**
 * Decides when a frame is computed: at once for a key, at the frame rate for what was pushed, once a second for ages.
 * What is computed is handed on only where it differs from the last one, so a screen on which nothing changes is not
 * drawn.
 */
export class FramePump<T> {
  readonly #clock: Pick<Clock, 'now' | 'timer'>;
  readonly #compute: () => T;
  readonly #same: (a: T, b: T) => boolean;
  readonly #idleMs: number;
  readonly #listeners = new Set<() => void>();
  #frame: T;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #dirty = false;
  #stopped = false;

  /** `clock` paces in real time. `idleMs`: how often to look although nothing was pushed (the server's own state). */
  constructor(options: {
    clock: Pick<Clock, 'now' | 'timer'>;
    compute: () => T;
    same: (a: T, b: T) => boolean;
    idleMs?: number;
  }) {
    this.#clock = options.clock;
    this.#compute = options.compute;
    this.#same = options.same;
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#frame = this.#compute();
    this.#arm(this.#idleMs);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): T => this.#frame;

  /** Something was pushed: a frame is due, not before the last one is `FRAME_MS` old. */
  touch(): void {
    if (this.#dirty || this.#stopped) return;
    this.#dirty = true;
    this.#arm(Math.max(0, this.#lastAt + FRAME_MS - this.#clock.now()));
  }

  /** A frame now: a person pressed a key or changed the size. */
  drawNow(): void {
    if (this.#stopped) return;
    this.#dirty = false;
    this.#lastAt = this.#clock.now();
    const frame = this.#compute();
    this.#arm(this.#idleMs);
    if (this.#same(frame, this.#frame)) return;
    this.#frame = frame;
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.timer(ms, () => this.drawNow());
  }
}
