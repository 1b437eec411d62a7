import type { ProbeAnswer, StreamFacts } from '../client/facts.ts';
import { compareRv } from '../protocol/resource-version.ts';
import { once, type Place, type Scene, sameResource } from './scene.ts';
import { ageMs, idleMs, TIMER_SLACK_MS, TIMER_SLACK_SHARE, timeoutMs } from './signs.ts';

/** A stream outlives its `timeoutSeconds` after max(10 s, 2 %) (contract §5). */
const OUTLIVED_SLACK_MS = 10_000;
/** Three bookmarks that fail (cases/README §3C: `silent-stall`). */
const MISSING_BOOKMARKS = 3;
/** Bookmarks come once a minute, ±1 s plus the 1.25 s tick (facts/server §3.11); 10 s for the way. */
export const BOOKMARK_PERIOD_MS = 60_000;
const BOOKMARK_SLACK_MS = 10_000;
/** While another connection lives, as the control stream shows, two are enough: neither the path nor the apiserver is to blame. */
const MISSING_BESIDE_LIFE = 2;
/** A side probe is sent at the third missing bookmark, and is a watch of 5 s: before its answer nothing is concluded, ms. */
const ANSWERS_MS = 8_000;
/** The control stream's rhythm is 10 s; within half as long again another connection is alive, ms. */
const ALIVE_WITHIN_MS = 15_000;

/** Why a running (or a given up) stream is called dead, strongest first. Empty: nothing says so. */
export interface StallSigns {
  /** It lives on, silent, past the `timeoutSeconds` that it asked for. */
  outlived: boolean;
  /** A second watch from the same RV got frames that this one did not. */
  sideFrames: number;
  /** Bookmarks that came at their rhythm and then failed. */
  missingBookmarks: number;
  /** HTTP/2: pings of its connection have had no answer for so long, ms; 0: not so. */
  pingUnansweredMs: number;
  /**
   * `--control`. `alive`: another connection brought something while this stream was silent. `dead`: it fell silent as well,
   * and a new one gets no answer.
   */
  path?: { is: 'alive'; agoMs: number } | { is: 'dead'; forMs: number };
}

export function stallSigns(place: Place, stream: StreamFacts): StallSigns {
  const { run } = place.scene;
  const until = stream.endedAt ?? run.now;
  const idle = idleMs(stream, run.now);
  const asked = timeoutMs(stream);
  const slack = asked === undefined ? 0 : Math.max(OUTLIVED_SLACK_MS, TIMER_SLACK_SHARE * asked);
  const path = pathSigns(place, stream, until);
  const missing = bookmarksIn(idle);
  const enough = path?.is === 'alive' ? MISSING_BESIDE_LIFE : MISSING_BOOKMARKS;
  const answersDue = run.probing && missing === enough && (idle - BOOKMARK_SLACK_MS) % BOOKMARK_PERIOD_MS < ANSWERS_MS;
  const due = missing >= enough && !answersDue && hasRhythm(stream) && !nothingWasDue(place, stream);
  return {
    outlived:
      asked !== undefined &&
      !ignoresTimeout(stream, asked) &&
      ageMs(stream, run.now) >= asked + slack &&
      idle >= OUTLIVED_SLACK_MS,
    sideFrames: sideFrames(place, stream, until),
    missingBookmarks: due ? missing : 0,
    pingUnansweredMs: stream.pingUnansweredSince === undefined ? 0 : until - stream.pingUnansweredSince,
    ...(path ? { path } : {}),
  };
}

/** Bookmarks that would have come during a silence of so long, ms. */
export function bookmarksIn(idle: number): number {
  return Math.floor((idle - BOOKMARK_SLACK_MS) / BOOKMARK_PERIOD_MS);
}

/** It still sent when its time was up: a server that does not keep to `timeoutSeconds`. Its silence later says nothing. */
function ignoresTimeout({ lastByteAt = 0, openedAt = Number.POSITIVE_INFINITY }: StreamFacts, asked: number): boolean {
  return lastByteAt > openedAt + asked + Math.max(TIMER_SLACK_MS, TIMER_SLACK_SHARE * asked);
}

/**
 * Two bookmarks or more, most of them a minute apart: only then their absence says something about this very stream. (One may
 * be skipped where the RV has not moved or the watcher's queue was full.)
 */
export function hasRhythm({ allowWatchBookmarks, bookmarkTimes }: StreamFacts): boolean {
  const gaps = bookmarkTimes.slice(1).map((time, index) => time - (bookmarkTimes[index] ?? time));
  const regular = gaps.filter((gap) => gap <= BOOKMARK_PERIOD_MS + BOOKMARK_SLACK_MS);
  return allowWatchBookmarks && gaps.length > 0 && regular.length * 2 >= gaps.length;
}

/**
 * A bookmark comes only where the RV has moved. Asked after the first one had failed to come, the cache itself had come no
 * further than this stream, or a second watch was as quiet, the bookmark before its end included.
 */
function nothingWasDue(place: Place, stream: StreamFacts): boolean {
  const { lastRv } = stream;
  const since = silentSince(stream) + BOOKMARK_PERIOD_MS + BOOKMARK_SLACK_MS;
  const answers = place.scene.run.probes.filter(({ askedAt }) => askedAt >= since);
  const isNoNews = (rv: string | undefined) =>
    rv === undefined || (lastRv !== undefined && (compareRv(rv, lastRv) ?? 1) <= 0);
  return answers.some(({ kind, target, outcome }) => {
    if (kind === 'cache-rv' && outcome.kind === 'rv') return sameResource(target, place.target) && isNoNews(outcome.rv);
    if (kind !== 'side' || outcome.kind !== 'side' || target.index !== place.target.index) return false;
    return outcome.frames === 0 && isNoNews(outcome.lastRv);
  });
}

function pathSigns({ scene }: Place, stream: StreamFacts, until: number): StallSigns['path'] {
  const since = silentSince(stream);
  const { pathAliveAt } = stream;
  if (pathAliveAt !== undefined && pathAliveAt > since && until - pathAliveAt <= ALIVE_WITHIN_MS) {
    return { is: 'alive', agoMs: until - pathAliveAt };
  }
  const { control } = scene.run;
  if (stream.endedAt !== undefined || control?.unansweredBy !== 'silence' || control.lastByteAt === undefined)
    return undefined;
  // It was silent from about when the path fell silent, and the path had been alive before.
  const together = since <= control.lastByteAt + ALIVE_WITHIN_MS && (stream.openedAt ?? Infinity) < control.lastByteAt;
  return together ? { is: 'dead', forMs: until - control.lastByteAt } : undefined;
}

function silentSince({ lastByteAt = 0, openedAt = 0, readStallEndedAt = 0 }: StreamFacts): number {
  return Math.max(lastByteAt, openedAt, readStallEndedAt);
}

/** Frames that side probes got while this stream stayed silent. */
function sideFrames(place: Place, stream: StreamFacts, until: number): number {
  const since = silentSince(stream);
  let frames = 0;
  for (const { target, askedAt, answeredAt, outcome } of once(place.scene, sideProbes)) {
    if (target.index !== place.target.index || outcome.kind !== 'side') continue;
    if (askedAt >= since && answeredAt <= until) frames = Math.max(frames, outcome.frames);
  }
  return frames;
}

function sideProbes({ run }: Scene): ProbeAnswer[] {
  return run.probes.filter(({ kind }) => kind === 'side');
}

/** Any of the signs: the stream is open and dead. */
export function isStalled(signs: StallSigns): boolean {
  const { outlived, sideFrames: frames, missingBookmarks, pingUnansweredMs, path } = signs;
  return outlived || frames > 0 || missingBookmarks > 0 || pingUnansweredMs > 0 || path?.is === 'dead';
}
