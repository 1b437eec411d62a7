import { isOld, isYoung } from './age-of-rv.ts';
import type { Candidate, Confidence, FindingClass } from './finding.ts';
import type { GoneSigns } from './gone-signs.ts';
import { isFirm } from './rebuild-signs.ts';

/**
 * Where a 410 is decided. Two questions, two answers: *who* refused is in the text (`refused_by`); *why* the history is gone
 * is the class, and it is decided by this table alone. Rows are tried from top to bottom and the first that fits counts;
 * a row without a class adds its sub and goes on to the rows below it.
 *
 * Traps that the order guards against: etcd having compacted R (P2 = 410) proves nothing by itself, since it compacts
 * every 5 minutes while the ring may still serve R; the age of R is no test for a rebuild, since a cache that was cut off
 * sends no bookmarks; a slow reader is dropped by a proper early end too, and only siblings or counters tell the difference.
 */
export interface GoneRow {
  name: string;
  when(signs: GoneSigns): boolean;
  class?: FindingClass;
  sub?: string | ((signs: GoneSigns) => string | undefined);
  confidence: Confidence | ((signs: GoneSigns) => Confidence);
  /** Further candidates, best first. */
  others?: (signs: GoneSigns) => Candidate[];
}

/** R younger than etcd's compaction interval: then a compaction that reached R is no matter of course. */
const COMPACTION_INTERVAL_MS = 300_000;

const isTextA = ({ text }: GoneSigns) => text.letter === 'A';
const isContinue = ({ text, answer }: GoneSigns) => (text.letter === 'E' || text.letter === 'F') && answer.hadContinue;
const isRuledOut = ({ rebuild }: GoneSigns) => rebuild.ruledOut.length > 0;
const isRebuild = (signs: GoneSigns) => signs.rebuild.seen && !isRuledOut(signs);
const counted = ({ rebuild }: GoneSigns) => rebuild.counterRose !== undefined;
/** What rules a rebuild out holds by itself, and one apiserver answered as far as that shows, no younger than the stream. */
const isFirmlyOut = ({ rebuild, servers }: GoneSigns) =>
  servers === 'one' && rebuild.restartedAt === undefined && rebuild.ruledOut.some(isFirm);
/** A reader as slow as we were may have been dropped instead: then the early end is no sign of a rebuild. */
const maybeDropped = (signs: GoneSigns) => signs.readLate && !counted(signs);

/** Another process answers, none did for a while, or it said that it leaves: it began anew, whatever etcd has compacted. */
const isRestarted = ({ rebuild }: GoneSigns) =>
  rebuild.restartedAt !== undefined || rebuild.refusedBetween > 0 || rebuild.goaway === true;

/** What follows R was not overwritten: the history of the cache that refused begins later. Of a younger replica that is told as such. */
const isNotTheRing = ({ ringHadRoom, floors }: GoneSigns) => ringHadRoom !== undefined && floors.differ === undefined;

/** Of a rebuild that is seen; `high` only where `proven`, and by one apiserver. */
function rebuiltConfidence(signs: GoneSigns, proven: boolean): Confidence {
  if (maybeDropped(signs)) return 'low';
  return proven && signs.servers === 'one' ? 'high' : 'medium';
}

/** Compaction is the cause only where R was not due to be compacted anyway. */
const compactedEarly = ({ age, etcdHadR }: GoneSigns) =>
  etcdHadR || (age?.atMostMs !== undefined && age.atMostMs < COMPACTION_INTERVAL_MS);

export const GONE_TABLE: readonly GoneRow[] = [
  {
    name: 'etcd refused',
    when: (signs) => signs.text.refusedBy === 'etcd' && !isContinue(signs),
    class: 'upstream-compaction',
    sub: 'direct',
    confidence: 'high',
  },
  {
    name: 'continue token',
    when: isContinue,
    class: 'continue-token-expired',
    confidence: 'high',
  },
  {
    name: 'no words',
    when: (signs) => !isTextA(signs),
    class: 'ambiguous-410',
    confidence: 'low',
    others: ({ answer }) => [
      ...(answer.hadContinue ? [candidate('continue-token-expired', 'low')] : []),
      candidate('ring-buffer-expiry', 'low'),
      candidate('upstream-compaction', 'low'),
      candidate('cache-rebuilt', 'low'),
    ],
  },
  {
    name: 'floors differ',
    when: ({ floors }) => floors.differ !== undefined,
    sub: 'other-replica',
    confidence: 'medium',
  },
  {
    name: 'from outside',
    when: ({ fromOutside }) => fromOutside,
    class: 'ring-buffer-expiry',
    confidence: 'medium',
    others: () => [candidate('cache-rebuilt', 'low')],
  },
  {
    name: 'rebuilt, compacted',
    when: (signs) => isRebuild(signs) && signs.etcdHasR === false && !isRestarted(signs),
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: (signs) => rebuiltConfidence(signs, counted(signs) && compactedEarly(signs)),
    others: (signs) => [candidate('cache-rebuilt', 'low'), ...droppedCandidate(signs)],
  },
  {
    name: 'rebuilt, not compacted',
    // The cache's own watch stood at R or later, and etcd would still serve it from there.
    when: (signs) => isRebuild(signs) && signs.etcdHasR === true && signs.cacheHadR,
    class: 'cache-rebuilt',
    confidence: (signs) => rebuiltConfidence(signs, counted(signs)),
    others: (signs) => [...customCandidate(signs), ...droppedCandidate(signs)],
  },
  {
    name: 'rebuilt, cause open',
    when: isRebuild,
    class: 'cache-rebuilt',
    confidence: (signs) => rebuiltConfidence(signs, false),
    others: (signs) => [candidate('upstream-compaction', 'low'), ...customCandidate(signs), ...droppedCandidate(signs)],
  },
  {
    // The counter shows the rebuild as well as an early end does, and R was not due to be compacted anyway.
    name: 'rebuilt while away, compacted',
    when: (signs) =>
      counted(signs) &&
      !isRuledOut(signs) &&
      signs.etcdHasR === false &&
      compactedEarly(signs) &&
      !isRestarted(signs) &&
      signs.servers !== 'several',
    class: 'upstream-compaction',
    sub: 'through-cache',
    confidence: 'medium',
    others: () => [candidate('cache-rebuilt', 'low'), candidate('ring-buffer-expiry', 'low')],
  },
  {
    name: 'rebuilt while away',
    when: (signs) =>
      (counted(signs) || signs.rebuild.restartedAt !== undefined || isNotTheRing(signs)) && !isRuledOut(signs),
    class: 'cache-rebuilt',
    confidence: 'medium',
    others: (signs) => [
      ...(signs.etcdHasR === true && signs.cacheHadR ? [] : [candidate('upstream-compaction', 'low')]),
      candidate('ring-buffer-expiry', 'low'),
    ],
  },
  {
    name: 'window slid',
    when: ({ age }) => isOld(age),
    class: 'ring-buffer-expiry',
    sub: ({ idleFiltered }) => (idleFiltered ? 'idle-filtered-watch' : 'rolled-over'),
    confidence: ringConfidence,
    others: rebuiltCandidate,
  },
  {
    name: 'overrun',
    // A ring that is known to be pinned keeps no 75 s: its size explains the refusal.
    when: (signs) => isYoung(signs.age) && (isRuledOut(signs) || signs.pinnedAndFull),
    class: 'ring-buffer-expiry',
    sub: 'overrun',
    confidence: ringConfidence,
    others: rebuiltCandidate,
  },
  {
    name: 'same cache, age open',
    when: isRuledOut,
    class: 'ring-buffer-expiry',
    confidence: ringConfidence,
    others: rebuiltCandidate,
  },
  {
    name: 'younger replica',
    when: ({ floors }) => floors.differ !== undefined,
    class: 'ring-buffer-expiry',
    confidence: 'medium',
    others: () => [candidate('cache-rebuilt', 'low')],
  },
  {
    name: 'age open',
    when: ({ age }) => age?.atMostMs === undefined,
    class: 'ring-buffer-expiry',
    confidence: 'medium',
    others: () => [candidate('cache-rebuilt', 'low')],
  },
  {
    name: 'young, nothing known',
    when: () => true,
    class: 'cache-rebuilt',
    confidence: 'low',
    others: () => [candidate('ring-buffer-expiry', 'low')],
  },
];

export interface GoneVerdict {
  /** Name of the row that decided. */
  row: string;
  class: FindingClass;
  sub?: string;
  confidence: Confidence;
  candidates: Candidate[];
}

/** The first row that fits. Total: the last row fits everything. */
export function decideGone(signs: GoneSigns): GoneVerdict {
  let carried: GoneRow | undefined;
  for (const row of GONE_TABLE) {
    if (!row.when(signs)) continue;
    if (row.class === undefined) {
      carried = row;
      continue;
    }
    const sub = settle(carried?.sub ?? row.sub, signs);
    const confidence = settle(carried?.confidence ?? row.confidence, signs);
    return {
      row: row.name,
      class: row.class,
      ...(sub === undefined ? {} : { sub }),
      confidence,
      candidates: [{ class: row.class, confidence }, ...(row.others?.(signs) ?? [])],
    };
  }
  return UNDECIDED;
}

/** Never reached while the table ends with a row for everything. */
const UNDECIDED: GoneVerdict = {
  row: 'none',
  class: 'ambiguous-410',
  confidence: 'low',
  candidates: [{ class: 'ambiguous-410', confidence: 'low' }],
};

function candidate(name: FindingClass, confidence: Confidence): Candidate {
  return { class: name, confidence };
}

function ringConfidence(signs: GoneSigns): Confidence {
  return isFirmlyOut(signs) ? 'high' : 'medium';
}

function rebuiltCandidate(signs: GoneSigns): Candidate[] {
  return isFirmlyOut(signs) ? [] : [candidate('cache-rebuilt', 'low')];
}

function droppedCandidate(signs: GoneSigns): Candidate[] {
  return signs.readLate ? [candidate('ring-buffer-expiry', 'low')] : [];
}

function customCandidate({ custom }: GoneSigns): Candidate[] {
  return custom ? [candidate('crd-changed', 'low')] : [];
}

function settle<T>(value: T | ((signs: GoneSigns) => T), signs: GoneSigns): T {
  return typeof value === 'function' ? (value as (signs: GoneSigns) => T)(signs) : value;
}
