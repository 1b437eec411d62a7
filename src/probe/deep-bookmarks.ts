import { compareRv } from '../protocol/resource-version.ts';
import type { Said } from './check.ts';
import { type DeepFacts, endedAsPlanned, lifetimeMs } from './deep-facts.ts';
import { measured } from './times.ts';

/** kube-apiserver sends one each 60 s, up to a second early and 1.25 s late (facts/server §3.11); the path adds some. */
const FIRST_DUE_MS = 65_000;
/** A gap longer than this had one missing, ms. */
const LATE_MS = 75_000;
/** Bookmarks that belong to the planned end come from 3 s before it (facts/server §3.11); ms, with some slack. */
const CLOSING_MS = 4_000;

const UNCACHED: Said = {
  result: 'info',
  answer: 'none: this resource has no watch cache, and etcd sends no bookmarks',
  facts: { bookmarks: 0 },
};

/** Do bookmarks come, and how often? */
export function bookmarkRhythm(facts: DeepFacts): Said {
  const { main, cached } = facts;
  if (main.openedAt === undefined) return refusedWatch(facts);
  const times = regular(facts);
  const lived = lifetimeMs(main, facts.endedAt);
  if (times.length === 0) {
    if (cached === false) return UNCACHED;
    if (lived < FIRST_DUE_MS) {
      return skip(`the watch was open for ${measured(lived)}: the first bookmark comes after 60 s`);
    }
    return noneCame(facts, lived);
  }
  const gaps = times.map((at, index) => at - (times[index - 1] ?? (main.openedAt as number)));
  const [shortest, longest] = [Math.min(...gaps), Math.max(...gaps)];
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const counted = `${times.length} in ${measured(lived)}, ${measured(mean)} apart on average (${measured(shortest)} to ${measured(longest)})`;
  const said = {
    bookmarks: times.length,
    mean_ms: Math.round(mean),
    shortest_ms: Math.round(shortest),
    longest_ms: Math.round(longest),
  };
  const silent = lived - ((times.at(-1) as number) - main.openedAt);
  const missing = Math.max(longest, endedAsPlanned(main) ? 0 : silent) > LATE_MS;
  if (!missing) return { result: 'pass', answer: counted, facts: said };
  return {
    result: 'warn',
    answer: `${counted}: some are missing`,
    detail:
      'One is due each 60 s. A server leaves one out only where the watch’s queue is full; else something on the path holds them back.',
    next: 'compare with the apiserver itself: --via URL',
    facts: said,
  };
}

/** A bookmark about 2 s before the planned end, so that a resume starts from an RV that is seconds old. */
export function closingBookmark(facts: DeepFacts): Said {
  const { main, cached } = facts;
  if (main.openedAt === undefined) return refusedWatch(facts);
  if (cached === false) return UNCACHED;
  if (!endedAsPlanned(main)) {
    const how =
      main.end === undefined || main.end === 'stopped'
        ? 'we left before its planned end'
        : `it ended early (${main.end})`;
    return skip(`the watch did not come to its planned end: ${how}`);
  }
  const endedAt = main.endedAt as number;
  const closing = main.bookmarks.filter(({ at }) => endedAt - at <= CLOSING_MS);
  const [first] = closing;
  if (first) {
    const before = Math.round(endedAt - first.at);
    return {
      result: 'pass',
      answer: `${measured(before)} before the end${closing.length > 1 ? `, and ${closing.length - 1} more` : ''}`,
      facts: { before_end_ms: before, closing: closing.length },
    };
  }
  if (!movedBy(facts, CLOSING_MS)) return nothingDue(facts);
  return {
    result: 'warn',
    answer: 'none: who resumes after a planned end starts from an older RV than need be',
    detail:
      'kube-apiserver sends one about 2 s before timeoutSeconds is over. It is best effort, so one sample does not prove a fault.',
    next: 'compare with the apiserver itself: --via URL',
    facts: { closing: 0 },
  };
}

/** Longest time between two bookmarks, or before the first; undefined where none came. */
export function longestGapMs(facts: DeepFacts): number | undefined {
  const { openedAt } = facts.main;
  const times = regular(facts);
  if (openedAt === undefined || times.length === 0) return undefined;
  return Math.max(...times.map((at, index) => at - (times[index - 1] ?? openedAt)));
}

/** True where bookmarks came, false where they should have and did not, undefined where that cannot be told. */
export function bookmarksCome(facts: DeepFacts): boolean | undefined {
  if (facts.main.bookmarks.length > 0) return true;
  return facts.cached !== false && bookmarkRhythm(facts).result === 'fail' ? false : undefined;
}

/** Without those that belong to the planned end. */
function regular({ main }: DeepFacts): number[] {
  const end = endedAsPlanned(main) ? (main.endedAt as number) : Number.POSITIVE_INFINITY;
  return main.bookmarks.map(({ at }) => at).filter((at) => end - at > CLOSING_MS);
}

function noneCame(facts: DeepFacts, lived: number): Said {
  if (!movedBy(facts, FIRST_DUE_MS)) return nothingDue(facts);
  return {
    result: 'fail',
    answer: `none in ${measured(lived)}, though the cache moved on`,
    detail:
      'kube-apiserver sends one each 60 s to a watch that allows them. Either the server is none, or something on the path drops them. The RV of a quiet watch then stays as old as its last event.',
    next: 'compare with the apiserver itself: --via URL',
    facts: { bookmarks: 0 },
  };
}

/** A bookmark is sent only where the cache has come further than the RV that the watch began with: had it, so long before the end? */
function movedBy({ newest, mainRv, main, endedAt }: DeepFacts, beforeEndMs: number): boolean {
  const until = (main.endedAt ?? endedAt) - beforeEndMs;
  return newest.some(({ rv, answeredAt }) => answeredAt <= until && compareRv(rv, mainRv) === 1);
}

function nothingDue(facts: DeepFacts): Said {
  return {
    result: 'info',
    answer: 'none was due: the cache’s RV did not move past the one that the watch began with',
    detail:
      'Nothing changed, and etcd sent no progress notify. Its interval is 5 s in kubeadm clusters, 10 m by etcd’s own default.',
    facts: { bookmarks: facts.main.bookmarks.length },
  };
}

function refusedWatch({ main }: DeepFacts): Said {
  return skip(`the watch was not granted: ${refusalOf(main.httpStatus, main.status?.message)}`);
}

function refusalOf(httpStatus: number | undefined, message: string | undefined): string {
  return httpStatus === undefined ? 'no answer' : `HTTP ${httpStatus}${message ? `, ${message.slice(0, 200)}` : ''}`;
}

function skip(answer: string): Said {
  return { result: 'skip', answer, facts: {} };
}
