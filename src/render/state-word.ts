import { sanitize } from './sanitize.ts';
import type { StyleName } from './spans.ts';
import { BOOKMARK_EVERY_MS, type StreamLedger } from './stream-ledger.ts';
import { age } from './time-format.ts';

/** The state of a target in one word, how fresh it is, and how much it matters. The word alone must be enough. */
export interface StateWord {
  word: string;
  detail: string;
  style: StyleName;
}

/** After this long without a frame the stream is no longer called live: a bookmark was due. */
const QUIET_AFTER_MS = BOOKMARK_EVERY_MS;

/**
 * Bookmarks come a little late (bucket rounding and the server's jitter); two missing ones with this in hand are no
 * accident.
 */
const SILENT_AFTER_MS = 2 * BOOKMARK_EVERY_MS + 10_000;

/**
 * LIVE, QUIET, SILENT, LISTING, CONNECTING, RECONNECTING, AWAY, NO ANSWER or ENDED. `stalled`: a finding says that the
 * silence is a fault.
 */
export function stateWord(ledger: StreamLedger, now: number, stalled = false): StateWord {
  const { phase } = ledger;
  if (!phase) return { word: 'CONNECTING', detail: '', style: 'dim' };
  switch (phase.state) {
    case 'listing':
      return { word: 'LISTING', detail: '', style: 'note' };
    case 'connecting':
      return { word: ledger.opened > 0 ? 'RECONNECTING' : 'CONNECTING', detail: '', style: 'warning' };
    case 'backoff': {
      const wait = Math.max(0, Math.ceil((phase.until - now) / 1000));
      return { word: 'RECONNECTING', detail: `in ${wait} s`, style: 'warning' };
    }
    case 'away':
      return { word: 'AWAY', detail: phase.rv === undefined ? '' : `holds ${sanitize(phase.rv, 64)}`, style: 'note' };
    case 'no-answer':
      return { word: 'NO ANSWER', detail: 'no headers, still waiting', style: 'alarm' };
    case 'stopped':
      return { word: 'ENDED', detail: '', style: 'dim' };
    case 'streaming':
      return streamingWord(ledger, now, stalled);
  }
}

function streamingWord(ledger: StreamLedger, now: number, stalled: boolean): StateWord {
  const idle = Math.max(0, now - (ledger.freshAt ?? now));
  if (idle < QUIET_AFTER_MS) {
    return { word: 'LIVE', detail: idle < 1000 ? 'now' : `${age(idle)} ago`, style: 'good' };
  }
  if (!ledger.bookmarksAsked || idle < SILENT_AFTER_MS) {
    const due = ledger.bookmarksAsked && ledger.bookmark ? ', bookmark due' : '';
    return { word: 'QUIET', detail: `${age(idle)}${due}`, style: 'plain' };
  }
  const missing = Math.floor(idle / BOOKMARK_EVERY_MS);
  const detail = ledger.bookmark ? `${age(idle)}, ${missing} bookmarks missing` : `${age(idle)}, no bookmark came`;
  return { word: 'SILENT', detail, style: stalled ? 'alarm' : 'warning' };
}

/** How a target's state ranks where several share one word: the one that needs eyes first wins. */
const RANK = ['NO ANSWER', 'RECONNECTING', 'SILENT', 'LISTING', 'CONNECTING', 'AWAY', 'QUIET', 'LIVE', 'ENDED'];

/** The state of several targets: that of the one that is worst off. */
export function worstState(states: readonly StateWord[]): StateWord {
  const [first, ...rest] = states;
  if (!first) return { word: 'CONNECTING', detail: '', style: 'dim' };
  return rest.reduce((worst, each) => (RANK.indexOf(each.word) < RANK.indexOf(worst.word) ? each : worst), first);
}
