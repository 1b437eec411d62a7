import type { Assumption, Between, BudgetInput } from './budget.ts';

/** cacher.go `defaultBookmarkFrequency`, ms. No flag changes it. */
const BOOKMARK_MS = 60_000;
/** The dispatcher looks for due bookmarks once in 1 to 1.25 s (cacher.go dispatchEvents), so one may come that much late, ms. */
const TICK_MS = 1_250;

/**
 * How old the RV of a quiet or filtered watch may get while its stream is open. A bookmark makes it new about once a minute; without
 * one it is as old as the last event that the client was sent, and nothing bounds that. A stream that is cut before its first
 * bookmark never gets one: then allowing them is of no use.
 */
export function staleness(input: BudgetInput): { bookmarks: Between; assumes: Assumption[] } {
  // Without a cache there are none at all (facts/server §3.11, §4.1).
  if (input.cached === false) return { bookmarks: {}, assumes: [] };
  const { bookmarks, cutAfterMs } = input;
  if (bookmarks?.come === false) return { bookmarks: {}, assumes: ['no-bookmarks'] };
  const everyMs = Math.max(BOOKMARK_MS + TICK_MS, bookmarks?.everyMs ?? 0);
  if (cutAfterMs !== undefined && cutAfterMs < everyMs) return { bookmarks: {}, assumes: ['cut-before-bookmark'] };
  return { bookmarks: { atMostMs: everyMs }, assumes: bookmarks ? [] : ['bookmarks-unseen'] };
}
