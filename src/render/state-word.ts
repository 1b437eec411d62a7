import type { ControlFacts } from '../client/control-facts.ts';
import { pathWords } from './control-words.ts';
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

/** With a control stream its word stands beside a silence as long as this, ms: shorter ones need none. */
const PATH_AFTER_MS = 15_000;

/** A finding that says that the silence of a target's stream is a fault. */
export interface Stall {
  stream: number;
  at: number;
  /** Nothing but a dead stream explains it. */
  sure: boolean;
  /** In a few words; "" where the bookmarks that are missing say it. */
  why: string;
}

/** What else is known of a silence, beside the stream itself. */
export interface Beside {
  stall?: Stall | undefined;
  control?: ControlFacts | undefined;
}

/** LIVE, QUIET, SILENT, LISTING, CONNECTING, RECONNECTING, AWAY, NO ANSWER or ENDED. */
export function stateWord(ledger: StreamLedger, now: number, beside: Beside = {}): StateWord {
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
      return streamingWord(ledger, now, beside);
  }
}

function streamingWord(ledger: StreamLedger, now: number, { stall, control }: Beside): StateWord {
  const idle = Math.max(0, now - (ledger.freshAt ?? now));
  const path = idle >= PATH_AFTER_MS ? pathWords(control, now) : '';
  const detail = (text: string) => (path === '' ? text : `${text}, ${path}`);
  const stalled = stall && stall.stream === ledger.stream && stall.at >= (ledger.freshAt ?? 0) ? stall : undefined;
  if (!stalled && idle < QUIET_AFTER_MS) {
    return { word: 'LIVE', detail: detail(idle < 1000 ? 'now' : `${age(idle)} ago`), style: 'good' };
  }
  const missing = Math.floor(idle / BOOKMARK_EVERY_MS);
  if (stalled && (stalled.why !== '' || missing === 0)) {
    const why = stalled.why === '' ? '' : `, ${sanitize(stalled.why, MAX_WHY)}`;
    return { word: 'SILENT', detail: `${age(idle)}${why}`, style: stalled.sure ? 'alarm' : 'warning' };
  }
  // Without a single bookmark ever their absence says nothing: an uncached resource has none, nor has a cache that just began.
  if (!stalled && (!ledger.bookmarksAsked || !ledger.bookmark || idle < SILENT_AFTER_MS)) {
    const due = ledger.bookmarksAsked && ledger.bookmark && !/alive|dead/.test(path) ? ', bookmark due' : '';
    return { word: 'QUIET', detail: detail(`${age(idle)}${due}`), style: 'plain' };
  }
  // A bookmark comes only where something has moved. Asked after one had failed to come, nothing had.
  if (!stalled && (ledger.noNewsAt ?? 0) >= (ledger.freshAt ?? 0) + QUIET_AFTER_MS) {
    return { word: 'QUIET', detail: detail(`${age(idle)}, for a second watch too`), style: 'plain' };
  }
  const words = `${age(idle)}, ${missing} bookmark${missing === 1 ? '' : 's'} missing`;
  return { word: 'SILENT', detail: detail(words), style: stalled?.sure ? 'alarm' : 'warning' };
}

/** Characters of a reason beside the state word. */
const MAX_WHY = 48;

/** How a target's state ranks where several share one word: the one that needs eyes first wins. */
const RANK = ['NO ANSWER', 'RECONNECTING', 'SILENT', 'LISTING', 'CONNECTING', 'AWAY', 'QUIET', 'LIVE', 'ENDED'];

/** The state of several targets: that of the one that is worst off. */
export function worstState(states: readonly StateWord[]): StateWord {
  const [first, ...rest] = states;
  if (!first) return { word: 'CONNECTING', detail: '', style: 'dim' };
  return rest.reduce((worst, each) => (RANK.indexOf(each.word) < RANK.indexOf(worst.word) ? each : worst), first);
}
