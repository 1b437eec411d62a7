/** What a run's end means to a script (contract §5). */
export const EXIT = {
  /** Did what was asked, and nothing happened that one asked to be told about. */
  ok: 0,
  /** A named condition happened; `--once` and no planned end; a verdict of `local` that disagrees with the trace. */
  condition: 1,
  /** Could not run: bad flags, no such resource, refused at the first request, never reachable, or nothing but 429 and 5xx from the first request to the end. */
  cannot: 2,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
