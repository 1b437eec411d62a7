import { plural, span, times } from '../diagnosis/quantity.ts';
import type { ExplainedClass, Harm } from './explain.ts';
import { type Tally, worse } from './log-tally.ts';

/** What the count and the times of a class say about its harm, and why, a sentence each. */
export interface GroupHarm {
  harm: Harm;
  reasons: string[];
  /** One client asks for the same again and again. */
  loop: boolean;
}

/** A third 410 of one watcher within this is a loop (contract §2), ms. */
const RELAPSE_MS = 5 * 60_000;
/** What ought to pass by itself and has not after so long needs somebody, ms. */
const LASTING_MS = 5 * 60_000;
/** A server whose cache stands still for so long does not merely lag: upstream waits 3 s for a cache that does, ms. */
const STANDING_MS = 60_000;
/** So many of a kind in one stretch of at least so long (ms) are no single ones. */
const MANY = 10;
const MANY_MS = 2_000;
/** Cuts at so many moments are no accident of one. */
const MANY_CUTS = 5;
/** Ends within this came from one connection, or one place on the way, ms. */
const TOGETHER_MS = 100;

const GONE: readonly ExplainedClass[] = [
  'ring-buffer-expiry',
  'upstream-compaction',
  'cache-rebuilt',
  'continue-token-expired',
  'ambiguous-410',
];
const PASSING: readonly ExplainedClass[] = [
  'unreachable',
  'gateway-error',
  'watch-cache-not-ready',
  'storage-error',
  'apiserver-shutdown',
  'auth-expired',
  'watchlist-incomplete',
];
const CUTS: readonly ExplainedClass[] = [
  'connection-lost',
  'silent-stall',
  'ambiguous-end',
  'idle-cut-by-proxy',
  'age-cut-by-proxy',
  'malformed-stream',
];

/** Judges a class by all its records; never milder than its worst record. */
export function groupHarm(name: ExplainedClass, tally: Tally): GroupHarm {
  const judged: GroupHarm = { harm: tally.worst.harm, reasons: [], loop: tally.worst.loop };
  if (GONE.includes(name)) judgeGone(tally, judged);
  if (PASSING.includes(name)) judgePassing(tally, judged);
  if (CUTS.includes(name)) judgeCuts(tally, judged);
  if (name === 'rv-too-large') judgeStanding(tally, judged);
  return judged;
}

function raise(judged: GroupHarm, harm: Harm, reason: string): void {
  judged.harm = worse(judged.harm, harm);
  judged.reasons.push(reason);
}

function judgeGone(tally: Tally, judged: GroupHarm): void {
  const looping = [...tally.watchers.values()].filter((watcher) => watcher.loops);
  const worst = looping.sort((a, b) => (b.loop?.count ?? 0) - (a.loop?.count ?? 0))[0]?.loop;
  if (worst) {
    judged.loop = true;
    const others = looping.length > 1 ? ` ${looping.length} watchers do so.` : '';
    raise(
      judged,
      'act',
      `The same RV ${worst.rv} was refused ${times(worst.count)} in a row: whoever asks does not list again, but loops.${others}`,
    );
    return;
  }
  const again = [...tally.watchers].filter(([, { closestMs }]) => closestMs <= RELAPSE_MS);
  const named = again.filter(([key]) => !key.endsWith('\n'));
  if (named.length > 0) {
    const closest = Math.min(...named.map(([, { closestMs }]) => closestMs));
    raise(
      judged,
      'act',
      `${plural(named.length, 'watcher')} met it three times within ${span(closest)}: lists again, and loses its place again. Single ones are harmless, this is not.`,
    );
  } else if (densest(tally) >= MANY && tally.episodes.longestMs() >= MANY_MS) {
    raise(judged, 'depends', `They come ${MANY} and more in a row: single ones are harmless, so many need a look.`);
  }
}

function densest(tally: Tally): number {
  return tally.episodes.all.reduce((most, { count }) => Math.max(most, count), 0);
}

function judgePassing(tally: Tally, judged: GroupHarm): void {
  const longest = tally.episodes.longestMs();
  if (longest >= LASTING_MS)
    raise(judged, 'act', `It went on for ${span(longest)} without a pause: it does not pass by itself.`);
  else if (tally.episodes.all.length > 1 && !tally.episodes.full)
    judged.reasons.push(`It came and passed ${times(tally.episodes.all.length)}.`);
}

function judgeCuts(tally: Tally, judged: GroupHarm): void {
  const { all } = tally.episodes;
  const rhythm = tally.episodes.rhythmMs();
  const together = all.length > 0 && all.every(({ from, to, count }) => count > 1 && to - from <= TOGETHER_MS);
  if (together) {
    const widest = Math.max(1, tally.episodes.longestMs());
    judged.reasons.push(
      `${all.length === 1 ? 'All' : 'Each time several'} ended within ${span(widest)}: they shared one connection, or one place on the way.`,
    );
  }
  if (rhythm !== undefined)
    raise(judged, 'depends', `They come every ${span(rhythm)} or so: a timer on the way, or the client's own.`);
  else if (all.length >= MANY_CUTS) raise(judged, 'depends', `It happened at ${all.length} different moments.`);
}

function judgeStanding(tally: Tally, judged: GroupHarm): void {
  const standing = [...tally.watchers.values()].find(
    ({ loops, loop }) => loops && (loop?.ms ?? 0) >= STANDING_MS,
  )?.loop;
  if (!standing) return;
  raise(
    judged,
    'act',
    `The server stayed at RV ${standing.rv} for ${span(standing.ms)}: it does not merely lag. Was etcd restored from a backup?`,
  );
}
