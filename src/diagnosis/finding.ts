/** The closed set of classes (cases/README §3; contract §2). Adding one is a change of the schema. */
export const CLASSES = [
  'ring-buffer-expiry',
  'upstream-compaction',
  'cache-rebuilt',
  'continue-token-expired',
  'ambiguous-410',
  'rv-too-large',
  'rv-went-backwards',
  'rv-not-comparable',
  'bookmark-anomaly',
  'server-timeout',
  'idle-cut-by-proxy',
  'age-cut-by-proxy',
  'silent-stall',
  'self-inflicted',
  'connection-lost',
  'apiserver-shutdown',
  'slow-watcher-terminated',
  'crd-changed',
  'ambiguous-end',
  'apf-rejected',
  'watch-cache-not-ready',
  'auth-expired',
  'forbidden',
  'unreachable',
  'gateway-error',
  'not-a-watch',
  'request-rejected',
  'storage-error',
  'conversion-webhook-failed',
  'malformed-stream',
  'watchlist-incomplete',
  'proxy-buffering',
  'duplicate-events',
  'missed-events',
  'selector-exit',
  'healthy',
] as const;
export type FindingClass = (typeof CLASSES)[number];

export type Severity = 'info' | 'note' | 'warning' | 'error';
export type Confidence = 'high' | 'medium' | 'low';
export type RefusedBy = 'watch-cache' | 'etcd' | 'unknown';

export interface Candidate {
  class: FindingClass;
  confidence: Confidence;
}

/** One diagnosed thing (contract §2). Opinions only: every number in it was measured in facts. */
export interface Finding {
  /** `f1`, `f2`, …: stable over revisions once the finding-ledger has given it. */
  id: string;
  rev: number;
  /**
   * Where in the run it belongs (`s3:end`, `s4:refusal`): the same for the same thing in each call of diagnose(), which
   * is how the ledger knows that a later result is a revision. Not part of a record.
   */
  key: string;
  /** A 410 after which a list brought the client back. Not part of a record. */
  healed?: boolean;
  /** All streams it covers (four ends that one timer made are one finding). Not part of a record. */
  streams: number[];
  /** The stream it is about; absent for a finding about the run or a LIST. */
  stream?: number;
  /** WatchTarget.index. */
  target: number;
  at: number;
  class: FindingClass;
  sub?: string;
  severity: Severity;
  confidence: Confidence;
  /** Best first, the chosen class included. */
  candidates: Candidate[];
  /** ≤ 120 characters. */
  title: string;
  /** ≤ 900 characters: what happened, why we say so, what to do. */
  text: string;
  /** Why we say so, one sentence each. */
  evidence: string[];
  /** What the evidence rules out, one phrase each. */
  ruledOut: string[];
  /** At most 5; the first a command or a named setting. */
  next: string[];
  /** Names of cases/README §2. RVs as strings, durations `_ms` and counts as integers. */
  facts: Record<string, string | number>;
  /** Id of the later finding that explains this one. */
  explainedBy?: string;
  /**
   * The five lines of a block (contract §2), without the verdict line's id. `refusedBy` says who refused or ended what;
   * a line that has nothing to say is empty and is not shown.
   */
  lines: { verdict: string; refusedBy: string; why: string; ruledOut: string; do: string };
}
