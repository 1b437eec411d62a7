import type { RunFacts, StreamFacts } from '../client/facts.ts';
import type { Confidence, Finding, Severity } from './finding.ts';
import { plural, span } from './quantity.ts';
import { isUncached } from './scene.ts';
import { ageMs, gaveHistory, idleMs, isRunning, TOGETHER_MS, timeoutMs, wasLive } from './signs.ts';
import { bookmarksIn, hasRhythm } from './stall-signs.ts';
import { CLASS_NAME } from './words.ts';

const SEVERITY_RANK: Record<Severity, number> = { info: 0, note: 1, warning: 2, error: 3 };
const CONFIDENCE_RANK: Record<Confidence, number> = { low: 0, medium: 1, high: 2 };
/** Quiet for longer than this without bookmarks, a stream that is alive cannot be told from one that is not. */
const QUIET_MS = 75_000;
/** So long after its `timeoutSeconds` a stream that goes on is worth a sentence (contract §5: 10 s). */
const LATE_MS = 10_000;

/**
 * The run's verdict (contract §2): the highest severity, between equals the higher confidence, then the first. What another
 * finding explains does not compete. `healthy` where nothing is wrong.
 */
export function verdictOf(findings: readonly Finding[], run: RunFacts): Finding {
  let best: Finding | undefined;
  for (const finding of findings) {
    if (finding.explainedBy !== undefined) continue;
    if (best === undefined || beats(finding, best)) best = finding;
  }
  return best ?? healthy(run);
}

/** `a` came after `b`. */
function beats(a: Finding, b: Finding): boolean {
  const severity = SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity];
  const confidence = CONFIDENCE_RANK[a.confidence] - CONFIDENCE_RANK[b.confidence];
  if (severity !== 0 || confidence !== 0) return severity > 0 || (severity === 0 && confidence > 0);
  // Which of several streams met the same thing first is chance where it was one moment: the target that was named first leads.
  return a.class === b.class && a.target < b.target && a.at - b.at <= TOGETHER_MS;
}

/** Nothing was found; how sure that is depends on how much was seen. Never a record of its own, hence `f0`. */
function healthy(run: RunFacts): Finding {
  const live = run.streams.filter(wasLive);
  const last = live.at(-1);
  const confidence = healthConfidence(run, live);
  const words = healthWords(run, last);
  return {
    id: 'f0',
    rev: 1,
    key: 'run:healthy',
    streams: [],
    target: last?.target.index ?? 0,
    at: run.now,
    class: 'healthy',
    severity: 'info',
    confidence,
    candidates: [{ class: 'healthy', confidence }],
    ...words,
    ruledOut: [],
    facts: last ? healthFacts(last, live.length) : {},
    lines: {
      verdict: `${CLASS_NAME.healthy} · ${confidence}`,
      refusedBy: 'nobody',
      why: words.title,
      ruledOut: '',
      do: 'nothing',
    },
  };
}

function healthConfidence(run: RunFacts, live: readonly StreamFacts[]): Confidence {
  if (live.length === 0) return 'low';
  const silent = live.some((stream) => wasQuiet(stream, run.now));
  return silent || !live.some(gaveHistory) ? 'medium' : 'high';
}

/**
 * Silent now, or for a while before; where the longest silence was not measured, so few frames over so long an age leave at least one
 * of that length.
 */
function wasQuiet(stream: StreamFacts, now: number): boolean {
  const open = isRunning(stream) || stream.end === 'stopped';
  const before = stream.longestSilenceMs ?? ageMs(stream, now) / (stream.events + stream.bookmarks + 1);
  return open && (idleMs(stream, now) > QUIET_MS || before > QUIET_MS);
}

function healthWords(
  run: RunFacts,
  last: StreamFacts | undefined,
): Pick<Finding, 'title' | 'text' | 'evidence' | 'next'> {
  if (!last) {
    return {
      title: 'No watch was answered yet when the run ended',
      text: 'The run ended before a watch was answered: nothing can be said about it.',
      evidence: [],
      next: ['--for: let it run longer'],
    };
  }
  const idle = idleMs(last, run.now);
  const bookmarks = last.allowWatchBookmarks
    ? overdueSentence(last, idle)
    : ' No bookmarks were asked for: without them a quiet stream cannot be told from a lost one; allowWatchBookmarks=true would bring one a minute.';
  const asked = timeoutMs(last);
  const late =
    isRunning(last) && asked !== undefined && ageMs(last, run.now) > asked + LATE_MS
      ? `This server does not keep to timeoutSeconds=${asked / 1000}: the stream is ${span(ageMs(last, run.now))} old and still brings frames, so its planned end is not to be counted on. `
      : '';
  return {
    title: 'Nothing wrong was seen',
    text: wasQuiet(last, run.now)
      ? `${late}The stream is open and quiet: ${plural(last.events, 'event')} in ${span(ageMs(last, run.now))}, the last byte ${span(idle)} ago. A resource where nothing changes is silent.${bookmarks}`
      : `${late}The stream is open and frames arrive as they should: ${plural(last.events, 'event')}, ${plural(last.bookmarks, 'bookmark')}.`,
    evidence: [
      `stream ${last.stream}: age ${span(ageMs(last, run.now))}, ${plural(last.events, 'event')}, ${plural(last.bookmarks, 'bookmark')}`,
    ],
    next: last.allowWatchBookmarks ? [] : ['allowWatchBookmarks=true: makes silence mean something'],
  };
}

/** One or two that do not come are no stall yet, and are said to be missing. */
function overdueSentence(stream: StreamFacts, idle: number): string {
  const missing = bookmarksIn(idle);
  if (stream.bookmarks === 0 && missing >= 2 && !isUncached(stream.target)) {
    return ' Bookmarks were asked for and none has come: a server that sends none (an aggregated or foreign API) and a lost stream look the same.';
  }
  if (missing < 1 || !hasRhythm(stream)) return '';
  const are = missing === 1 ? 'one is' : `${missing} are`;
  return ` But bookmarks had come about once a minute, and ${are} overdue: whether they come tells a quiet stream from a lost one (three in a row that fail).`;
}

function healthFacts(last: StreamFacts, connections: number): Finding['facts'] {
  return {
    ...(last.lastRv === undefined ? {} : { last_rv: last.lastRv }),
    events: last.events,
    bookmarks: last.bookmarks,
    http_status: last.httpStatus ?? 200,
    connections,
  };
}
