import { siblingOf } from './end-signs.ts';
import type { FindingClass } from './finding.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { isUncached, resourceName } from './scene.ts';
import { ageMs, isCut, timeoutMs } from './signs.ts';
import type { OwnEndWords, ToldEnd } from './words-end-phrases.ts';
import { resumeSentence } from './words-end-phrases.ts';
import { reason } from './words-gone-phrases.ts';

/** Words for ends that need more than their own measurements: early proper ends, and cuts that one sample cannot explain. */
export function earlyEndWords(told: ToldEnd): OwnEndWords {
  switch (told.episode.main.decision.class) {
    case 'slow-watcher-terminated':
      return slowWords(told);
    case 'crd-changed':
      return crdWords(told);
    case 'apiserver-shutdown':
      return shutdownWords(told);
    default:
      return ambiguousWords(told);
  }
}

function slowWords(told: ToldEnd): OwnEndWords {
  const { signs, stream, repeats } = told;
  const { gone } = signs;
  const first = told.episode.members[0]?.place.stream ?? stream;
  const sibling = siblingOf(signs);
  const unread =
    first.readStalledMs >= 1_000 ? ` Our socket had stayed unread for ${span(first.readStalledMs)} (read stall).` : '';
  const proof = gone?.signs.rebuild.ruledOut.length
    ? `It was no rebuilt cache, though it looks like one: ${gone.signs.rebuild.ruledOut.map(reason).join('; ')}.`
    : sibling
      ? `The sibling stream ${sibling.stream} on the same resource lived on.`
      : '';
  const M = gone?.signs.floor;
  return {
    title: `Closed by the watch cache: we read too slowly${repeats > 1 ? `, ${repeats} times` : ''}`,
    text: [
      `The server ended the stream early (after ${span(ageMs(first, signs.now))}), properly and without ERROR, during a burst of many events.${unread} A cacher drops a watcher that cannot keep up: its queues fill within a fraction of a second.`,
      signs.terminated > 0 ? `apiserver_terminated_watchers_total rose by ${signs.terminated}.` : '',
      gone
        ? `The resume at RV ${gone.signs.requested} was refused, as the ring had rolled over meanwhile (its floor is ${M}): a relist was needed.`
        : signs.backlog
          ? 'The resume was taken at once and began with a backlog: nothing is missing.'
          : 'Nothing is missing as long as the resume RV is still in the window; otherwise list again.',
      proof.replace('It was no rebuilt cache, though it looks like one', 'A rebuild of the cache is ruled out'),
    ],
    evidence: [
      `proper end after ${span(ageMs(first, signs.now))} of ${timeoutMs(first) === undefined ? '30 to 60 min' : `${first.timeoutSeconds} s`}, no ERROR`,
      `up to ${first.peakPerSecond} events in one second before it`,
      ...(first.readStalledMs > 0 ? [`socket unread for ${span(first.readStalledMs)}`] : []),
      ...(signs.backlog ? ['the next stream began with a backlog'] : []),
      ...(signs.terminated > 0 ? [`apiserver_terminated_watchers_total +${signs.terminated}`] : []),
    ],
    ruledOut: proof === '' ? [] : ['a rebuild of the cache (others on this resource lived on)'],
    next: [
      'labelSelector or fieldSelector: narrow the watch, fewer events reach the queues',
      'read faster: take events off the socket at once and buffer them in the client; do slow work elsewhere',
      `kubectl get --raw /metrics | grep apiserver_terminated_watchers_total: does it rise with each end?`,
    ],
    who: 'the watch cache, by closing a slow watcher; properly, without ERROR',
    why: `${first.readStalledMs > 0 ? `unread for ${span(first.readStalledMs)}` : 'a burst'}, early proper end${signs.backlog ? ', resume with a backlog' : ''}`,
    do: 'read faster, or narrow the selector',
  };
}

function crdWords({ signs, stream }: ToldEnd): OwnEndWords {
  const { gone, place } = signs;
  const resource = quote(resourceName(place.target), 60);
  const asked = timeoutMs(stream);
  const of = asked === undefined ? '' : ` of ${asked / 1000} s`;
  const removed = !gone;
  return {
    title: removed
      ? `The CRD behind ${resource} was removed, or no longer serves this version`
      : `The CRD behind ${resource} was probably edited: its watches ended, its cache began anew`,
    text: [
      `The server ended the stream after ${span(signs.ageMs)}${of}, properly and without ERROR, on a connection that went on working.`,
      gone
        ? `The resume at RV ${gone.signs.requested} was refused at once: the watch cache was rebuilt and starts at ${gone.signs.floor}. On a custom resource the usual reason is that its CustomResourceDefinition (CRD) was edited: all its watches are ended then. Less likely the cache was rebuilt for another reason, such as the loss of its own etcd watch.`
        : 'The next request was answered with 404: the CustomResourceDefinition (CRD), or this version of it, is gone.',
      gone ? 'Relist and watch from the new list.' : 'Watch a version that is served.',
    ],
    evidence: [
      `proper end after ${span(signs.ageMs)}${of}, no ERROR`,
      gone ? `resume refused: RV ${gone.signs.requested} < floor ${gone.signs.floor}` : 'resume answered with 404',
    ],
    ruledOut: [
      'a planned end',
      ...(gone?.signs.etcdHasR ? [`compaction (etcd still has ${gone.signs.requested})`] : []),
    ],
    next: [
      `kubectl get crd ${resource} -o yaml: generation, conditions and managedFields times show an edit`,
      ...(gone ? [`list again without resourceVersion (informers relist by themselves)`] : []),
      'apiserver log: "Terminating all watchers from cacher"',
    ],
    who: gone
      ? `the server, properly; then the watch cache: ${gone.signs.requested} < floor ${gone.signs.floor}`
      : 'the server, properly; then 404',
    why: gone
      ? 'custom resource, early end without ERROR, then a floor above the RV'
      : 'custom resource, early end, then 404',
    do: gone ? 'relist; look who edited the CRD' : 'watch a version that the CRD serves',
  };
}

function shutdownWords({ signs, stream }: ToldEnd): OwnEndWords {
  const { outage } = signs;
  const goaway = stream.end === 'goaway';
  const refused = outage
    ? `Then connections were refused for ${span(outage.until - outage.from)}${outage.healed ? ', and after that it answered again' : ' so far'}.`
    : '';
  return {
    title: goaway ? 'GOAWAY: the apiserver is going down in order' : 'An apiserver stopped in order and came back',
    text: [
      goaway
        ? `The server sent GOAWAY with NO_ERROR and ended the streams of the connection: a graceful shutdown, as in a planned restart or a rolling replacement. A GOAWAY of --goaway-chance would have left the streams alone.`
        : `The stream ended properly, without ERROR, after ${span(signs.ageMs)}. ${refused} That is what an orderly (graceful) restart of an apiserver looks like.`,
      goaway ? refused : '',
      resumeSentence(stream),
    ],
    evidence: [
      `end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 100)})` : ''} after ${span(signs.ageMs)}`,
      ...(outage ? [`${plural(outage.attempts, 'connection')} refused after it`] : []),
    ],
    ruledOut: ['a planned end of the watch'],
    next: [
      'process_start_time_seconds in /metrics: newer than this end?',
      'kubectl get events -n kube-system: was a control-plane node drained or replaced?',
    ],
    who: `the apiserver, ${goaway ? 'by GOAWAY' : 'by a proper end'}`,
    why: goaway
      ? 'GOAWAY NO_ERROR that ended the streams'
      : 'proper early end, then refused connections that soon ended',
    do: 'nothing: reconnect and resume',
  };
}

const CAUSE: Partial<Record<FindingClass, string>> = {
  'idle-cut-by-proxy': 'an idle timer of a proxy or load balancer',
  'connection-lost': 'a crash or a network fault',
  'apiserver-shutdown': 'an apiserver that is going down',
  'slow-watcher-terminated': 'the cacher dropped a slow watcher',
  'cache-rebuilt': 'the watch cache was re-initialised',
  'upstream-compaction': 'an RV that etcd has compacted',
  'crd-changed': 'the CRD was edited',
  'conversion-webhook-failed': 'a conversion webhook that fails',
  'storage-error': 'storage trouble',
  'ring-buffer-expiry': 'an RV that the window no longer reaches',
  'self-inflicted': 'our own doing',
};

function causes(told: ToldEnd): string {
  const named = told.episode.main.decision.candidates.flatMap((one) => CAUSE[one.class] ?? []);
  return named.slice(0, 4).join('; or ');
}

function ambiguousWords(told: ToldEnd): OwnEndWords {
  const { rule } = told.episode.main.decision;
  if (rule === 'empty') return emptyWords(told);
  if (isCut(told.stream)) return silentCutWords(told);
  const { signs, stream } = told;
  const proper = signs.earlyByServer;
  const asked = timeoutMs(stream);
  const of = asked === undefined ? '' : ` of ${asked / 1000} s`;
  const how = proper
    ? 'properly and without ERROR, but early'
    : stream.end === 'eof-unframed'
      ? 'by a close that cannot be told from a proper end (no chunked framing)'
      : `(${stream.end})`;
  return {
    title: `Stream ended after ${span(signs.ageMs)}${of}, ${proper ? 'properly but early' : 'and why cannot be told'}`,
    text: [
      `The stream ended after ${span(signs.ageMs)}${of}, ${how}. That fits several causes: ${causes(told)}.`,
      signs.gone
        ? `The resume was then refused with 410: see the finding about RV ${signs.gone.signs.requested}.`
        : 'What the resume meets decides: taken at once with a backlog = slow reader; 410 = rebuilt cache; refused connections = restart. A second watch on the same resource would tell too.',
      resumeSentence(stream),
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
    ],
    ruledOut: asked === undefined ? [] : [`the planned end (timeoutSeconds=${asked / 1000})`],
    next: [
      `kwatch tail ${quote(resourceName(stream.target), 60)}: does it end so again, and at what age?`,
      'kubectl get --raw /metrics | grep -e terminated_watchers_total -e initializations_total, before and after',
    ],
    who: proper ? 'the server, properly, without ERROR' : `not known (${stream.end})`,
    why: `after ${span(signs.ageMs)}${of}: ${causes(told)}`,
    do: 'resume; watch what happens next',
  };
}

function silentCutWords(told: ToldEnd): OwnEndWords {
  const { signs, stream } = told;
  const reset = stream.end === 'reset';
  const how = reset ? 'reset (RST, ECONNRESET)' : 'closed without the last chunk';
  const bookmarks = stream.allowWatchBookmarks
    ? 'Bookmarks were asked for'
    : 'Ask for bookmarks (allowWatchBookmarks=true): a byte a minute defeats idle timers above 60 s';
  return {
    title: `Connection ${reset ? 'reset' : 'closed'} after ${span(signs.idleMs)} of silence, once: cause open`,
    text: [
      `The connection was ${how} after ${span(signs.idleMs)} without a byte, at an age of ${span(signs.ageMs)}. An idle timer of a proxy or load balancer fits, so do a crashed apiserver and a network fault: once is no proof.`,
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
    who: `not visible: ${reset ? 'a reset' : 'no last chunk'} after ${span(signs.idleMs)} of silence`,
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
      `kwatch tail ${quote(resourceName(stream.target), 60)} --rv list: list again, then watch from its RV; if that lives, the old RV was stale`,
      'other resources: do their watches end as well? Then the apiserver is going down',
    ],
    who: 'the server, properly, with nothing sent',
    why: `empty and immediate${R ? `, from RV ${R}` : ''}: ${causes(told)}`,
    do: 'back off, then list again',
  };
}
