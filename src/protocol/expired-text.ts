/**
 * The sentences by which an apiserver says "that history is gone" (facts/server §6.1, the letters are that table's). They are
 * the same from 1.24 to 1.37 and tell who refused, never why. status.ts makes answers of them, this file recognises them.
 */

/** A: the watch cache refused a watch. `floor` is the smallest RV that it would have accepted. */
export function tooOldText(requested: string | number, floor: string | number): string {
  return `too old resource version: ${requested} (${floor})`;
}

/** B: etcd refused a watch. */
export const WATCH_TOO_OLD = 'The resourceVersion for the provided watch is too old.';
/** D: etcd refused a list. */
export const LIST_TOO_OLD = 'The resourceVersion for the provided list is too old.';
/** F: a continue token is too old, and no new one could be made. The beginning of E. */
export const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';
/** E: a continue token is too old; the Status brings a new one in `metadata.continue`. */
export const CONTINUE_TOO_OLD_WITH_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
/** What etcd itself says; it reaches a client of Kubernetes only inside other texts. */
const ETCD_COMPACTED = 'required revision has been compacted';

/** Which sentence a text holds. `raw`: etcd's own words. G never comes over the wire from 1.24 to 1.37, but stands in logs. */
export type ExpiredLabel = 'A' | 'B' | 'D' | 'E' | 'F' | 'G' | 'raw';

export interface ExpiredText {
  label: ExpiredLabel;
  refusedBy: 'watch-cache' | 'etcd';
  /** A and G: the RV that was asked for. */
  requested?: string;
  /** A: the smallest RV that would have been accepted (`oldest` - 1). */
  floor?: string;
}

/**
 * RVs of up to 20 digits (uint64). Not a piece of a longer number: the text must end there, or a non-digit follow. The
 * bracket is looked for by itself, since its absence is what makes a G.
 */
const TOO_OLD = /too old resource version: (\d{1,20})(?!\d)(?: \((\d{1,20})\))?/;

const SENTENCES: readonly { text: string; label: ExpiredLabel }[] = [
  { text: WATCH_TOO_OLD, label: 'B' },
  { text: LIST_TOO_OLD, label: 'D' },
  { text: CONTINUE_TOO_OLD, label: 'F' },
  { text: 'The provided continue parameter is too old', label: 'E' },
  { text: ETCD_COMPACTED, label: 'raw' },
];

/**
 * Finds the sentence in the message of a Status, or in a line that quotes it (wrappers before and behind do not matter).
 * undefined where there is none: foreign words, or no words at all. The caller says whether it *is* a 410; a text alone
 * does not make one.
 */
export function recogniseExpired(message: string): ExpiredText | undefined {
  const match = TOO_OLD.exec(message);
  if (match !== null) {
    const [, requested, floor] = match;
    if (floor === undefined) return { label: 'G', refusedBy: 'watch-cache', requested: requested! };
    return { label: 'A', refusedBy: 'watch-cache', requested: requested!, floor };
  }
  const sentence = SENTENCES.find(({ text }) => message.includes(text));
  return sentence && { label: sentence.label, refusedBy: 'etcd' };
}
