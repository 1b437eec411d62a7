/**
 * Lets tasks wait until something that they look at has changed (Go's sync.Cond without its lock: one thread needs none). Whoever
 * wakes looks again for himself, as there.
 */
export class Condition {
  readonly #waiters = new Set<() => void>();

  /** How many wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /** Wakes all who wait. */
  broadcast(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** Until the next `broadcast`, or until `signal` aborts. One that has aborted already is the caller's to look at. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiters.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiters.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
