import type { Episode } from './episode.ts';
import type { FindingClass, Severity } from './finding.ts';
import { goneWithin, healingOf } from './gone-signs.ts';
import { outageFrom, passes, wasLive } from './signs.ts';

/** How bad each class is by default (contract §2). */
export const SEVERITY: Record<FindingClass, Severity> = {
  healthy: 'info',
  'server-timeout': 'info',
  'ring-buffer-expiry': 'note',
  'upstream-compaction': 'note',
  'continue-token-expired': 'note',
  'connection-lost': 'note',
  'apiserver-shutdown': 'note',
  'duplicate-events': 'note',
  'selector-exit': 'note',
  'self-inflicted': 'note',
  'ambiguous-end': 'note',
  'cache-rebuilt': 'warning',
  'ambiguous-410': 'warning',
  'crd-changed': 'warning',
  'slow-watcher-terminated': 'warning',
  'idle-cut-by-proxy': 'warning',
  'age-cut-by-proxy': 'warning',
  'proxy-buffering': 'warning',
  'gateway-error': 'warning',
  'apf-rejected': 'warning',
  'watch-cache-not-ready': 'warning',
  'rv-too-large': 'warning',
  'rv-not-comparable': 'warning',
  'bookmark-anomaly': 'warning',
  'rv-went-backwards': 'error',
  'silent-stall': 'error',
  'auth-expired': 'error',
  forbidden: 'error',
  unreachable: 'error',
  'not-a-watch': 'error',
  'request-rejected': 'error',
  'storage-error': 'error',
  'conversion-webhook-failed': 'error',
  'malformed-stream': 'error',
  'watchlist-incomplete': 'error',
  'missed-events': 'error',
};

/** A 410 heals by itself; the third within so long does not (contract §2). */
const LOOP_MS = 300_000;
const LOOP_COUNT = 3;
export function severityOf(episode: Episode): Severity {
  const { main } = episode;
  if (main.gone && isLoop(episode)) return 'error';
  if (main.decision.class === 'unreachable' && isPassing(episode)) return 'note';
  return SEVERITY[main.decision.class];
}

/** The third 410 within 5 minutes on one target, or a relist that was refused too. */
export function isLoop({ members }: Episode): boolean {
  const last = members.at(-1)!.place;
  return goneWithin(last, LOOP_MS) >= LOOP_COUNT || healingOf(last).relistRefused?.httpStatus !== undefined;
}

/** After a live stream, and over, or not yet 10 s long; or headers that came late after all. */
function isPassing({ members }: Episode): boolean {
  const first = members[0]!.place;
  const last = members.at(-1)!.place;
  if ((last.stream && wasLive(last.stream)) || last.list?.rv !== undefined) return true;
  const liveBefore = first.line.findIndex(({ stream }) => stream !== undefined && wasLive(stream));
  if (liveBefore < 0 || liveBefore >= first.index) return false;
  return passes(outageFrom(first));
}
