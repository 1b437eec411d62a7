import type { FindingClass } from './finding.ts';
import { longSpan, plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { firstAfter, isUncached } from './scene.ts';
import { ageMs, gaveHistory, isCut, timeoutMs } from './signs.ts';
import { tailCommand } from './tail-command.ts';
import { afterwards, type OwnEndWords, resumeSentence, type ToldEnd } from './words-end-phrases.ts';

/** Words for ends that fit several causes: they name them in order, and say what would decide. */

const CAUSE: Partial<Record<FindingClass, string>> = {
  'idle-cut-by-proxy': 'an idle timer of a proxy or load balancer',
  'age-cut-by-proxy': 'a limit of its own that the server or a gateway has',
  'connection-lost': 'a crash or a network fault',
  'apiserver-shutdown': 'an apiserver that is going down',
  'slow-watcher-terminated': 'the cacher dropped a slow watcher',
  'cache-rebuilt': 'the watch cache was re-initialised',
  'upstream-compaction': 'the watch cache ran into a compaction and began anew',
  'crd-changed': 'the CRD was edited',
  'conversion-webhook-failed': 'a conversion webhook that fails',
  'storage-error': 'storage trouble (etcd’s watch broke off)',
  'ring-buffer-expiry': 'an RV that the window no longer reaches',
  'self-inflicted': 'our own doing',
};

function causes(told: ToldEnd, own: typeof CAUSE = {}): string {
  const named = told.episode.main.decision.candidates.flatMap((one) => own[one.class] ?? CAUSE[one.class] ?? []);
  return named.slice(0, 4).join('; or ');
}

export function ambiguousWords(told: ToldEnd): OwnEndWords {
  const { rule } = told.episode.main.decision;
  if (rule === 'empty') return emptyWords(told);
  if (isCut(told.stream)) return silentCutWords(told);
  const { signs, stream } = told;
  const proper = signs.earlyByServer;
  const asked = timeoutMs(stream);
  const of = asked === undefined ? '' : ` of ${asked / 1000} s`;
  const how = proper
    ? 'properly and without ERROR, but early'
    : rule === 'late end'
      ? `properly, but later than the ${(asked ?? 0) / 1000} s that were asked for: who answers here does not keep to timeoutSeconds`
      : stream.end === 'eof-unframed'
        ? 'by a close that cannot be told from a proper end (no chunked framing)'
        : `(${stream.end})`;
  return {
    title: `Stream ended after ${span(signs.ageMs)}${of}, ${proper ? 'properly but early' : rule === 'late end' ? 'properly but late' : 'and why cannot be told'}`,
    text: [
      `The stream ended after ${span(signs.ageMs)}${of}, ${how}. That fits several causes: ${causes(told)}.`,
      company(told),
      signs.gone ? '' : resumeMet(told),
      afterwards(told),
    ],
    evidence: [
      `end: ${stream.end} after ${span(signs.ageMs)}${of}, silence before it ${span(signs.idleMs)}`,
      ...(signs.burst ? [`up to ${stream.peakPerSecond} events in one second before it`] : []),
      ...(signs.togetherSame.length > 0
        ? [`${plural(signs.togetherSame.length, 'other stream')} of the resource ended together with it`]
        : []),
      ...(signs.togetherOther.length > 0
        ? [`${plural(signs.togetherOther.length, 'stream')} of other resources ended together with it`]
        : []),
      ...(signs.connectionAfter === 'kept'
        ? ['the next request went out over the same connection: nobody closed it']
        : []),
    ],
    ruledOut: asked === undefined ? [] : [`the planned end (timeoutSeconds=${asked / 1000})`],
    next: [
      `${tailCommand(stream.target)}: does it end so again, and at what age?`,
      isUncached(stream.target)
        ? 'process_start_time_seconds in /metrics: did the apiserver restart just then?'
        : 'kubectl get --raw /metrics | grep -e terminated_watchers_total -e initializations_total, before and after',
    ],
    who: proper ? 'the server, properly, without ERROR' : `not known (${stream.end})`,
    why: `after ${span(signs.ageMs)}${of}: ${causes(told)}`,
    do: signs.gone ? 'see the finding about the 410 that followed' : 'resume; watch what happens next',
  };
}

/** What the resume tells, or would tell. */
function resumeMet({ signs: { place, backlog } }: ToldEnd): string {
  const next = firstAfter(place, ({ stream }) => stream !== undefined)?.stream;
  if (next === undefined || !gaveHistory(next)) {
    return isUncached(place.target)
      ? 'What the resume meets tells more: 410 = etcd has compacted this RV; refused connections = restart.'
      : 'What the resume meets tells more: taken at once with a backlog = slow reader; 410 = rebuilt cache, or a slow reader past whom the ring rolled over; refused connections = restart. A second watch on the same resource would tell too.';
  }
  return backlog
    ? `The resume was taken, and began with a backlog (${plural(next.eventsInFirstSecond, 'event')} in its first second): that fits ${isUncached(place.target) ? '' : 'a slow reader best, and '}any absence while many events come.`
    : 'The resume was taken, without a backlog: the history still reaches back to this RV, and nothing speaks for a slow reader. A second watch on the same resource would tell more.';
}

/** What ended in the same moment, and what that speaks for. */
function company({ signs: { togetherSame, togetherOther } }: ToldEnd): string {
  if (togetherOther.length > 0) {
    return `${plural(togetherOther.length, 'stream')} of other resources ended in the same moment: that speaks for what they share, an apiserver or its way to etcd, rather than for one cache or one slow reader.`;
  }
  if (togetherSame.length === 0) return '';
  return `${plural(togetherSame.length, 'other stream')} of the same resource ended in the same moment: that speaks for its cache, or for the apiserver, rather than for this one watch.`;
}

function silentCutWords(told: ToldEnd): OwnEndWords {
  const { signs, stream } = told;
  const reset = stream.end === 'reset';
  const how = reset
    ? 'reset (RST, ECONNRESET)'
    : stream.end === 'h2-reset'
      ? `ended by ${quote(stream.endDetail ?? 'RST_STREAM', 60)}`
      : 'closed without the last chunk';
  const bookmarks = stream.allowWatchBookmarks
    ? 'Bookmarks were asked for'
    : 'Ask for bookmarks (allowWatchBookmarks=true): a byte a minute defeats idle timers above 60 s';
  return {
    title: `${stream.end === 'h2-reset' ? 'Stream reset' : `Connection ${reset ? 'reset' : 'closed'}`} after ${span(signs.idleMs)} of silence, once: cause open`,
    text: [
      `The connection was ${how} after ${longSpan(signs.idleMs)} without a byte, at an age of ${span(signs.ageMs)}. An idle timer of a proxy or load balancer fits, so do a crashed apiserver and a network fault: once is no proof.`,
      `See whether the silence is the same again. ${bookmarks}.`,
      resumeSentence(stream),
    ],
    evidence: [
      `end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 80)})` : ''}`,
      `silence ${span(signs.idleMs)}, age ${span(signs.ageMs)}, ${plural(stream.events, 'event')}, ${plural(stream.bookmarks, 'bookmark')}`,
    ],
    ruledOut: timeoutMs(stream) === undefined ? [] : [`the planned end (timeoutSeconds=${stream.timeoutSeconds})`],
    next: [
      stream.allowWatchBookmarks
        ? 'idle timeout of the proxies in between: compare it with this silence'
        : 'allowWatchBookmarks=true: a bookmark a minute feeds idle timers above 60 s',
      'let kwatch run on: the same silence a second and third time is an idle timer',
    ],
    who: `not visible: ${reset || stream.end === 'h2-reset' ? 'a reset' : 'no last chunk'} after ${span(signs.idleMs)} of silence`,
    why: 'one sample of a silence proves nothing',
    do: 'reconnect and resume; see whether the silence repeats',
  };
}

function emptyWords(told: ToldEnd): OwnEndWords {
  const { stream, repeats } = told;
  const { requestedRv: R } = stream;
  const events = isUncached(stream.target);
  return {
    title: `HTTP 200 and an empty end at once${repeats > 1 ? `, ${repeats} times` : ''}${R ? `, from RV ${R}` : ''}`,
    text: [
      `The watch${R ? ` from RV ${R}` : ''} was answered with 200 and ended at once, empty: no event, and no ERROR either${repeats > 1 ? `, ${repeats} times with the same RV` : ''}.`,
      R
        ? `${events ? 'Events have no watch cache: for an RV that etcd has compacted (too old) some servers lose the race between the error and the close.' : 'An RV that is too old (compacted, expired) may end so, and so does a watch cache that begins anew.'} An apiserver that is going down looks the same for a moment.`
        : 'An apiserver that is going down, or a watch cache that begins anew, looks so for a moment.',
      'If it repeats, list again (relist) without resourceVersion and watch from the new list.',
    ],
    evidence: [
      `${plural(repeats, 'answer')} of 200 with 0 bytes, ended properly within ${span(ageMs(stream, 0))}`,
      ...(R ? [`always from RV ${R}`] : []),
    ],
    ruledOut: [],
    next: [
      `${tailCommand(stream.target, 'list')}: list again, then watch from its RV; if that lives, the old RV was stale`,
      'other resources: do their watches end as well? Then the apiserver is going down',
    ],
    who: 'the server, properly, with nothing sent',
    why: `empty and immediate${R ? `, from RV ${R}` : ''}: ${causes(told, { 'upstream-compaction': 'an RV that etcd has compacted' })}`,
    do: 'back off, then list again',
  };
}
