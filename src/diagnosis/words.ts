import type { Episode } from './episode.ts';
import type { FindingClass } from './finding.ts';
import { clip, fits, quote } from './quote.ts';
import { endWords } from './words-ends.ts';
import { goneWords } from './words-gone.ts';
import { refusedWords } from './words-refused.ts';
import { shownWords } from './words-stream.ts';

/** What a finding says, before it is cut to the contract's lengths. All of it is ours; a server's words come quoted. */
export interface Words {
  title: string;
  /** Sentences, in their order; where all are too long together, later ones are left out. */
  text: string[];
  evidence: string[];
  /** Phrases. */
  ruledOut: string[];
  /** The first a command or a named setting. */
  next: string[];
  facts: Record<string, string | number | undefined>;
  /** Who refused or ended what: the second of the five lines. */
  who: string;
  why: string;
  do: string;
}

/** Contract §2. */
export const MAX_TITLE = 120;
export const MAX_TEXT = 900;
export const MAX_NEXT = 5;
const MAX_EVIDENCE = 10;
/** One entry of evidence, one step, one line of a block. */
const MAX_ENTRY = 200;
const MAX_STEP = 300;

/** Upper-case names, as a screen shows them first. For a 410 the list is closed (contract §2). */
export const CLASS_NAME: Record<FindingClass, string> = {
  'ring-buffer-expiry': 'RING-BUFFER EXPIRY',
  'upstream-compaction': 'UPSTREAM COMPACTION',
  'cache-rebuilt': 'CACHE REBUILT',
  'continue-token-expired': 'CONTINUE TOKEN EXPIRED',
  'ambiguous-410': 'UNDECIDED',
  'rv-too-large': 'RV AHEAD OF SERVER',
  'rv-went-backwards': 'RV WENT BACKWARDS',
  'rv-not-comparable': 'RV NOT COMPARABLE',
  'bookmark-anomaly': 'BOOKMARK ANOMALY',
  'server-timeout': 'PLANNED END',
  'idle-cut-by-proxy': 'IDLE CUT',
  'age-cut-by-proxy': 'AGE CUT',
  'silent-stall': 'SILENT STALL',
  'self-inflicted': 'OUR OWN DOING',
  'connection-lost': 'CONNECTION LOST',
  'apiserver-shutdown': 'APISERVER SHUTDOWN',
  'slow-watcher-terminated': 'SLOW WATCHER CLOSED',
  'crd-changed': 'CRD CHANGED',
  'ambiguous-end': 'UNCLEAR END',
  'apf-rejected': 'THROTTLED',
  'watch-cache-not-ready': 'CACHE NOT READY',
  'auth-expired': 'CREDENTIAL REFUSED',
  forbidden: 'FORBIDDEN',
  unreachable: 'UNREACHABLE',
  'gateway-error': 'GATEWAY ERROR',
  'not-a-watch': 'NOT A WATCH',
  'request-rejected': 'REQUEST REJECTED',
  'storage-error': 'STORAGE ERROR',
  'conversion-webhook-failed': 'CONVERSION WEBHOOK FAILED',
  'malformed-stream': 'MALFORMED STREAM',
  'watchlist-incomplete': 'WATCH-LIST INCOMPLETE',
  'proxy-buffering': 'PROXY BUFFERING',
  'duplicate-events': 'STATE REPLAYED',
  'missed-events': 'EVENTS MISSED',
  'selector-exit': 'LEFT THE SELECTION',
  healthy: 'HEALTHY',
};

/** Subs as a person reads them: `rolled over`, `through the cache`. */
export function subName(sub: string): string {
  return sub === 'through-cache' ? 'through the cache' : sub.replaceAll('-', ' ');
}

export function wordsFor(episode: Episode, options: { pinned?: number } = {}): Words {
  const { main } = episode;
  if (main.gone) return goneWords(episode, main.gone, options.pinned);
  if (main.answer) return refusedWords(episode, main.answer);
  if (main.end) return endWords(episode, main.end);
  return shownWords(episode);
}

/** Cut to the contract's lengths, and free of control characters whatever a server has said. */
export function fitted(words: Words): Words {
  return {
    ...words,
    title: quote(words.title, MAX_TITLE),
    text: [joined(words.text, MAX_TEXT)],
    evidence: words.evidence.slice(0, MAX_EVIDENCE).map((entry) => quote(entry, MAX_ENTRY)),
    ruledOut: words.ruledOut.map((entry) => quote(entry, MAX_ENTRY)),
    next: words.next.slice(0, MAX_NEXT).map((entry) => quote(entry, MAX_STEP)),
    facts: words.facts,
    who: quote(words.who, MAX_ENTRY),
    why: quote(words.why, MAX_ENTRY),
    do: quote(words.do, MAX_ENTRY),
  };
}

/** As many of the sentences as `max` characters hold; the first one always, cut if need be. */
function joined(sentences: readonly string[], max: number): string {
  let text = '';
  for (const sentence of sentences) {
    const safe = quote(sentence, max);
    if (safe === '') continue;
    const longer = text === '' ? safe : `${text} ${safe}`;
    if (text !== '' && !fits(longer, max)) continue;
    text = longer;
  }
  return clip(text, max);
}
