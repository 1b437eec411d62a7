import type { StreamFacts } from '../client/facts.ts';
import type { Place } from './scene.ts';
import { ageMs, idleMs, TIMER_SLACK_MS, TIMER_SLACK_SHARE, timeoutMs } from './signs.ts';

/** A stream outlives its `timeoutSeconds` after max(10 s, 2 %) (contract §5). */
const OUTLIVED_SLACK_MS = 10_000;
/** Three bookmarks that fail (cases/README §3C: `silent-stall`). */
const MISSING_BOOKMARKS = 3;
/** Bookmarks come once a minute, ±1 s plus the 1.25 s tick (facts/server §3.11); 10 s for the way. */
export const BOOKMARK_PERIOD_MS = 60_000;
const BOOKMARK_SLACK_MS = 10_000;

/** Why a running (or a given up) stream is called dead, strongest first. Empty: nothing says so. */
export interface StallSigns {
  /** It lives on, silent, past the `timeoutSeconds` that it asked for. */
  outlived: boolean;
  /** A second watch from the same RV got frames that this one did not. */
  sideFrames: number;
  /** Bookmarks that came at their rhythm and then failed. */
  missingBookmarks: number;
}

export function stallSigns(place: Place, stream: StreamFacts): StallSigns {
  const { run } = place.scene;
  const until = stream.endedAt ?? run.now;
  const idle = idleMs(stream, run.now);
  const asked = timeoutMs(stream);
  const slack = asked === undefined ? 0 : Math.max(OUTLIVED_SLACK_MS, TIMER_SLACK_SHARE * asked);
  const missing = Math.floor((idle - BOOKMARK_SLACK_MS) / BOOKMARK_PERIOD_MS);
  return {
    outlived:
      asked !== undefined &&
      !ignoresTimeout(stream, asked) &&
      ageMs(stream, run.now) >= asked + slack &&
      idle >= OUTLIVED_SLACK_MS,
    sideFrames: sideFrames(place, stream, until),
    missingBookmarks: hasRhythm(stream) && missing >= MISSING_BOOKMARKS ? missing : 0,
  };
}

/** It still sent when its time was up: a server that does not keep to `timeoutSeconds`. Its silence later says nothing. */
function ignoresTimeout({ lastByteAt = 0, openedAt = Number.POSITIVE_INFINITY }: StreamFacts, asked: number): boolean {
  return lastByteAt > openedAt + asked + Math.max(TIMER_SLACK_MS, TIMER_SLACK_SHARE * asked);
}

/**
 * Two bookmarks or more, most of them a minute apart: only then their absence says something about this very stream. (One may
 * be skipped where the RV has not moved or the watcher's queue was full.)
 */
function hasRhythm({ allowWatchBookmarks, bookmarkTimes }: StreamFacts): boolean {
  const gaps = bookmarkTimes.slice(1).map((time, index) => time - (bookmarkTimes[index] ?? time));
  const regular = gaps.filter((gap) => gap <= BOOKMARK_PERIOD_MS + BOOKMARK_SLACK_MS);
  return allowWatchBookmarks && gaps.length > 0 && regular.length * 2 >= gaps.length;
}

/** Frames that side probes got while this stream stayed silent. */
function sideFrames(place: Place, stream: StreamFacts, until: number): number {
  const silentSince = Math.max(stream.lastByteAt ?? 0, stream.openedAt ?? 0, stream.readStallEndedAt ?? 0);
  let frames = 0;
  for (const { kind, target, askedAt, answeredAt, outcome } of place.scene.run.probes) {
    if (kind !== 'side' || target.index !== place.target.index || outcome.kind !== 'side') continue;
    if (askedAt >= silentSince && answeredAt <= until) frames = Math.max(frames, outcome.frames);
  }
  return frames;
}

/** Any of the signs: the stream is open and dead. */
export function isStalled({ outlived, sideFrames: frames, missingBookmarks }: StallSigns): boolean {
  return outlived || frames > 0 || missingBookmarks > 0;
}
