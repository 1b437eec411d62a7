import { plural } from '../diagnosis/quantity.ts';
import type { ExplainedClass } from './explain.ts';
import type { Tally } from './log-tally.ts';

/** What brings about what, where they come in the same minutes. The log shows the time only, so no more than that is said. */
const CAUSES: readonly (readonly [ExplainedClass, readonly ExplainedClass[]])[] = [
  ['storage-error', ['cache-rebuilt', 'watch-cache-not-ready', 'ring-buffer-expiry', 'gateway-error']],
  ['upstream-compaction', ['cache-rebuilt']],
  ['cache-rebuilt', ['ring-buffer-expiry', 'watch-cache-not-ready']],
  ['conversion-webhook-failed', ['watch-cache-not-ready']],
  ['apiserver-shutdown', ['unreachable', 'connection-lost', 'ring-buffer-expiry', 'silent-stall']],
  ['unreachable', ['ring-buffer-expiry']],
  ['slow-watcher-terminated', ['ring-buffer-expiry']],
];
/** How soon an effect follows its cause at the latest, ms: client-go's longest back-off and a relist. */
const FOLLOWS_MS = 120_000;
/** Clocks and the order of writing are off by so much, ms. */
const BEFORE_MS = 5_000;

/** For each class, what came in the same minutes and may be its cause or its effect: a sentence each. */
export function relations(tallies: ReadonlyMap<ExplainedClass, Tally>): Map<ExplainedClass, string[]> {
  const told = new Map<ExplainedClass, string[]>();
  const tell = (name: ExplainedClass, sentence: string) => told.set(name, [...(told.get(name) ?? []), sentence]);
  for (const [cause, effects] of CAUSES) {
    for (const effect of effects) {
      const [first, second] = [tallies.get(cause), tallies.get(effect)];
      if (!first || !second || !follows(first, second)) continue;
      tell(
        effect,
        `It came in the minutes of ${cause} (${plural(first.count, 'record')}), which may be its cause: look there first.`,
      );
      tell(cause, `In the same minutes: ${effect} (${plural(second.count, 'record')}), which may be its effect.`);
    }
  }
  return told;
}

/** Most of the effect's records lie in or soon after the cause's. */
function follows(cause: Tally, effect: Tally): boolean {
  if (cause.span.ends()?.first.scale !== effect.span.ends()?.first.scale) return false;
  let near = 0;
  let all = 0;
  for (const { from, count } of effect.episodes.all) {
    all += count;
    if (cause.episodes.all.some((each) => from >= each.from - BEFORE_MS && from <= each.to + FOLLOWS_MS)) near += count;
  }
  return near * 2 > all;
}
