import { EXIT } from './exit-codes.ts';

/** How a run is asked to stop from outside. */
export interface Stop {
  /** Aborts at the first SIGINT or SIGTERM, or by `ask`. */
  readonly signal: AbortSignal;
  /** The exit code that the signal asks for; undefined while there was none, and where the run's own counts. */
  code(): number | undefined;
  /** Stops as a signal would: with this exit code, or with the one that the run comes to. */
  ask(code?: number): void;
  /** Gives the signals back to their defaults. */
  dispose(): void;
}

/**
 * SIGINT and SIGTERM end a run in order: the summary is still written. A second one ends the process at once, after
 * `restore` has given the terminal back. SIGHUP too ends in order where stdout is no terminal; where it was one, that is gone.
 */
export function listenForStop(restore: () => void): Stop {
  const abort = new AbortController();
  let asked: number | undefined;
  const ask = (code?: number) => {
    if (!abort.signal.aborted) asked = code;
    abort.abort();
  };
  const on = (code: number) => () => {
    if (abort.signal.aborted) {
      restore();
      process.exit(code);
    }
    ask(code);
    // Also where nobody reads what is still to be told.
    process.exitCode = code;
  };
  const interrupt = on(EXIT.interrupted);
  const terminate = on(EXIT.terminated);
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  const endInOrder = on(EXIT.hungUp);
  const hangUp = () => (process.stdout.isTTY ? process.exit(EXIT.hungUp) : endInOrder());
  process.on('SIGHUP', hangUp);
  return {
    signal: abort.signal,
    code: () => asked,
    ask,
    dispose() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', terminate);
      process.off('SIGHUP', hangUp);
    },
  };
}
