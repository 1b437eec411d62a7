import { plural, span } from '../diagnosis/quantity.ts';
import { clip, fits } from '../diagnosis/quote.ts';
import type { ExplainedClass, Harm } from './explain.ts';
import { explanationWords } from './explain-words.ts';
import type { GroupHarm } from './log-harm.ts';
import type { Tally } from './log-tally.ts';

/** What each class is called where many records of it are told in one line. */
const PHRASES: Record<ExplainedClass, string> = {
  'ring-buffer-expiry': '410: the watch cache no longer reached back',
  'upstream-compaction': '410: etcd had compacted the revision',
  'cache-rebuilt': 'the apiserver rebuilt its watch cache',
  'continue-token-expired': '410 on a page of a list',
  'ambiguous-410': '410 that does not tell its cause',
  'rv-too-large': 'the server had not reached the RV',
  'rv-went-backwards': 'RVs went backwards',
  'rv-not-comparable': 'RVs that are no numbers',
  'bookmark-anomaly': 'bookmarks that cannot be right',
  'server-timeout': 'watches ended by their timeout',
  'idle-cut-by-proxy': 'cut when idle',
  'age-cut-by-proxy': 'cut at a fixed age',
  'silent-stall': 'the connection had gone dead',
  'self-inflicted': 'ended by the client itself',
  'connection-lost': 'connection lost',
  'apiserver-shutdown': 'an apiserver was shutting down',
  'slow-watcher-terminated': 'watchers closed for being slow',
  'crd-changed': 'the resource itself changed',
  'ambiguous-end': 'ended, and nothing says why',
  'apf-rejected': '429: too many requests',
  'watch-cache-not-ready': 'the watch cache was not ready',
  'auth-expired': '401: credentials not accepted',
  forbidden: '403: not allowed',
  unreachable: 'no apiserver could be talked to',
  'gateway-error': 'a gateway answered instead',
  'not-a-watch': 'the answer was no watch',
  'request-rejected': 'the request was rejected',
  'storage-error': 'storage behind the apiserver failed',
  'conversion-webhook-failed': 'a conversion webhook failed',
  'malformed-stream': 'the stream could not be decoded',
  'watchlist-incomplete': 'the streamed list never came to its end',
  'proxy-buffering': 'events held back on the way',
  'duplicate-events': 'events came twice',
  'missed-events': 'events were missed',
  'selector-exit': 'objects left the selection',
  healthy: 'nothing is wrong',
  unknown: 'unknown',
};

const VERDICT: Record<Harm, string> = {
  'harmless-once': 'harmless',
  depends: 'it depends',
  act: 'not harmless',
};

/** Steps that ask for what is done already. */
const COUNTS = /kwatch explain FILE/;
const MAX_TITLE = 120;
/** Contract §2. */
const MAX_TEXT = 900;

/** `37 × in 6 min`: how often, and in how long a time where the log has times. */
export function howOften(tally: Tally): string {
  const ends = tally.span.ends();
  if (!ends || tally.count === 1) return tally.count === 1 ? 'once' : `${tally.count} ×`;
  return `${tally.count} × in ${stretch(Math.max(1, ends.last.ms - ends.first.ms))}`;
}

/** As people say it: `6 min`, not `360 s`. */
function stretch(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120 || seconds >= 7200) return span(ms);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Title, text and next steps of a class: its numbers and why it matters, then what such a record means. */
export function groupWords(
  name: ExplainedClass,
  tally: Tally,
  { harm, reasons, loop }: GroupHarm,
  beside: readonly string[],
): { title: string; text: string; next: string[] } {
  const words = explanationWords({ ...tally.worst, harm, loop });
  const more = tally.capped ? 'more than ' : '';
  const who = [
    ...(tally.names.size > 0 ? [`${more}${plural(tally.names.size, 'reflector')}`] : []),
    ...(tally.servers.size > 1 ? [plural(tally.servers.size, 'apiserver')] : []),
  ];
  const title = `${PHRASES[name]}, ${[howOften(tally), ...who].join(', ')}: ${VERDICT[harm]}`;
  const pods = tally.sources.size > 1 ? [`Told by ${plural(tally.sources.size, 'source')} of this log.`] : [];
  const parts = [...reasons, ...beside, ...pods, ...sentences(words.text)];
  return { title: clip(title, MAX_TITLE), text: fitted(parts), next: words.next.filter((step) => !COUNTS.test(step)) };
}

/** As many sentences as fit. */
function fitted(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text} ${part}`;
    if (!fits(longer, MAX_TEXT)) break;
    text = longer;
  }
  return text;
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?:]) (?=[A-Z])/);
}
