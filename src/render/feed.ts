import type { SessionOutput } from '../client/output.ts';
import type { Finding } from '../diagnosis/finding.ts';

/**
 * One thing that happened, in the order in which it is to be shown. Every face (json, line, screen) consumes exactly
 * this, so that nothing can be seen in one of them and be missing in another. `at`: ms of the client's clock.
 *
 * `watcher` is the label (`A`, `B`, …) of the client that saw it; only `kwatch local` has more than one.
 */
export type FeedItem = { watcher?: string } & (SessionOutput | FindingItem | TraceItem | NoteItem);

/** A finding, or a later revision of one (same id, higher `rev`): it takes the earlier one's place. */
export interface FindingItem {
  kind: 'finding';
  at: number;
  finding: Finding;
  /**
   * `local` only: whether the embedded server's own trace says the same; `says` is the server's word where it does not.
   */
  agrees?: { ok: boolean; says?: string };
}

/**
 * What the embedded server did (contract §1 `trace`). Fields are camelCase here and become snake_case in the record.
 */
export interface TraceItem {
  kind: 'trace';
  at: number;
  what: TraceWhat;
  [field: string]: unknown;
}

/** The closed set of contract §1. */
type TraceWhat =
  | 'listening'
  | 'write'
  | 'compact'
  | 'cut'
  | 'restore'
  | 'restart'
  | 'reinit'
  | 'ready'
  | 'refuse'
  | 'terminate'
  | 'resize'
  | 'away'
  | 'back'
  | 'verdict';

/** A sentence for people (the story's narration, a bound that was met). No json record comes of it. */
interface NoteItem {
  kind: 'note';
  at: number;
  text: string;
}
