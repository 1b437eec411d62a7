import type { Said } from './check.ts';
import { type DeepFacts, endedAsPlanned, lifetimeMs } from './deep-facts.ts';
import type { WatchRecord } from './long-watch.ts';
import { measured } from './times.ts';

/** Two silences count as the same where they differ by no more: timers of proxies tick each second or so; ms, or 2 %. */
const SAME_MS = 2_000;
const SAME_SHARE = 0.02;
/** No idle timer of a proxy is shorter, ms. */
const BUSY_MS = 5_000;
/** Two ends within so long had one cause, ms. */
const ONE_MOMENT_MS = 1_000;
/** Bookmarks keep a path busy each minute, ms: a timer shorter than this cuts even those watches. */
const BOOKMARK_MS = 61_250;

/** A server ends a watch within a moment of its `timeoutSeconds`; so much later it has not, ms. */
const UNHONOURED_MS = 3_000;

interface Cut {
  record: WatchRecord;
  afterMs: number;
  at: number;
}

/**
 * Does something end a watch that is silent? Two of them, begun some time apart, without bookmarks and of nothing: on a path without
 * idle timers both live to their `timeoutSeconds`.
 */
export function idleCuts(facts: DeepFacts): Said {
  const open = facts.quiet.filter(({ openedAt }) => openedAt !== undefined);
  if (open.length === 0) {
    const [first] = facts.quiet;
    const why = first?.httpStatus === undefined ? 'no answer' : `HTTP ${first.httpStatus}`;
    return { result: 'skip', answer: `no silent watch was granted (${why})`, facts: {} };
  }
  const cuts = open.flatMap((record) => cutOf(record, facts.endedAt));
  const lived = Math.max(...open.map((record) => lifetimeMs(record, facts.endedAt)));
  const [one, other] = cuts;
  if (!one) {
    return {
      result: 'pass',
      answer: `a silent watch lived for ${measured(lived)}: nothing on the path cuts it sooner`,
      facts: { lived_ms: Math.round(lived) },
    };
  }
  return other ? twoCuts(facts, one, other) : oneCut(one, open.length);
}

/** After so long the path cuts quiet watches for certain, ms, whether for their silence or their age: two were cut alike. */
export function confirmedCutMs(facts: DeepFacts): number | undefined {
  const cuts = facts.quiet.flatMap((record) => cutOf(record, facts.endedAt));
  const [one, other] = cuts;
  return one && other && same(one.afterMs, other.afterMs) && !together(one, other)
    ? Math.min(one.afterMs, other.afterMs)
    : undefined;
}

/** Did the watch with bookmarks live to its planned end? */
export function plannedEnd(facts: DeepFacts): Said {
  const { main, endedAt } = facts;
  if (main.openedAt === undefined) return { result: 'skip', answer: 'the watch was not granted', facts: {} };
  const lived = lifetimeMs(main, endedAt);
  const said = { lived_ms: Math.round(lived), timeout_seconds: main.timeoutSeconds };
  if (endedAsPlanned(main)) {
    return {
      result: 'pass',
      answer: `ended properly after ${measured(lived)}, as asked (timeoutSeconds=${main.timeoutSeconds})`,
      facts: said,
    };
  }
  if (main.end === 'stopped' && lived > main.timeoutSeconds * 1000 + UNHONOURED_MS) {
    return {
      result: 'fail',
      answer: `still open after ${measured(lived)}: timeoutSeconds=${main.timeoutSeconds} is not honoured`,
      facts: said,
    };
  }
  const [cut] = cutOf(main, endedAt);
  if (!cut) return { result: 'skip', answer: `still open after ${measured(lived)}, when we left`, facts: said };
  const confirmed = confirmedCutMs(facts);
  if (confirmed !== undefined && same(confirmed, lived)) {
    return {
      result: 'fail',
      answer: `${howEnded(main)} after ${measured(lived)}, at the same age as the silent ones: ${busy(main) ? 'an age limit' : 'an age limit, or an idle timer: it was silent too'}`,
      next: 'look for a timeout of that length on the path: --via URL tells which side has it',
      facts: said,
    };
  }
  return {
    result: 'warn',
    answer: `${howEnded(main)} after ${measured(lived)} of ${main.timeoutSeconds} s; one sample`,
    detail: 'A cut at an age, an apiserver that leaves, or a path that breaks look alike when they happen once.',
    next: 'run it again: an age limit shows itself at the same age; kwatch tail names the cause where it can',
    facts: said,
  };
}

function twoCuts(facts: DeepFacts, one: Cut, other: Cut): Said {
  const said = { cut_after_ms: Math.round(one.afterMs), other_cut_after_ms: Math.round(other.afterMs) };
  if (together(one, other) || !same(one.afterMs, other.afterMs)) {
    const how = together(one, other) ? 'at the same moment' : 'each after another time';
    return {
      result: 'warn',
      answer: `two silent watches were cut, ${how} (${measured(one.afterMs)}, ${measured(other.afterMs)}): no idle timer`,
      detail:
        'What ends both at once, or each at some time, is not the silence: an apiserver or proxy that restarts, or a network that breaks.',
      facts: said,
    };
  }
  const least = Math.min(one.afterMs, other.afterMs);
  const outlived = lifetimeMs(facts.main, facts.endedAt) > Math.max(one.afterMs, other.afterMs) + SAME_MS;
  if (!outlived && busy(facts.main)) {
    return {
      result: 'warn',
      answer: `two silent watches were cut after ${measured(least)}, and a busy one at the same age: an age limit, no idle timer`,
      facts: { ...said, confirmed: true },
    };
  }
  const harmful = least <= BOOKMARK_MS;
  return {
    result: harmful ? 'fail' : 'warn',
    answer: `two silent watches were cut after the same silence, ${measured(least)} (${howEnded(one.record)})`,
    detail: `${outlived ? 'The watch with bookmarks lived on, so it is the silence and not the age. ' : ''}${
      harmful
        ? 'Bookmarks come each 60 s: too late for this timer, so quiet watches are cut over and over, and their RV grows old.'
        : 'Watches with bookmarks keep the path busy and live on; those without are cut.'
    }`,
    next: `raise the idle timeout on the path above ${harmful ? '75 s' : 'the longest silence'}; --via URL tells which side has it`,
    facts: { ...said, confirmed: true },
  };
}

function oneCut(cut: Cut, watches: number): Said {
  return {
    result: 'warn',
    answer: `a silent watch was cut after ${measured(cut.afterMs)} (${howEnded(cut.record)})${watches > 1 ? '; the other lived' : ''}`,
    detail: 'One cut does not tell an idle timer from anything else that ends a stream.',
    next: 'run it again: an idle timer cuts after the same silence',
    facts: { cut_after_ms: Math.round(cut.afterMs) },
  };
}

/** An end that nobody asked for: neither we nor `timeoutSeconds`, nor an ERROR. */
function cutOf(record: WatchRecord, now: number): Cut[] {
  const { openedAt, endedAt, end, lastByteAt } = record;
  if (openedAt === undefined || endedAt === undefined || end === 'stopped' || record.status) return [];
  if (endedAsPlanned(record)) return [];
  return [{ record, afterMs: Math.min(endedAt, now) - Math.max(openedAt, lastByteAt ?? 0), at: endedAt }];
}

/** Something came over it within a few seconds before its end: it was not cut for its silence. */
function busy({ endedAt, lastByteAt }: WatchRecord): boolean {
  return endedAt !== undefined && lastByteAt !== undefined && endedAt - lastByteAt < BUSY_MS;
}

function same(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(SAME_MS, SAME_SHARE * Math.max(one, other));
}

function together(one: Cut, other: Cut): boolean {
  return Math.abs(one.at - other.at) <= ONE_MOMENT_MS;
}

const HOW: Partial<Record<string, string>> = {
  eof: 'a proper end, too early',
  'eof-unframed': 'a closed connection',
  truncated: 'closed without the last chunk',
  reset: 'reset',
  goaway: 'GOAWAY',
};

function howEnded({ end }: WatchRecord): string {
  return HOW[end ?? ''] ?? end ?? '';
}
