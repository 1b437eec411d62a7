import { siblingOf } from './end-signs.ts';
import { span } from './quantity.ts';
import { quote } from './quote.ts';
import type { RuledOutBy } from './rebuild-signs.ts';
import { firstAfter, resourceName } from './scene.ts';
import { ageMs, gaveHistory, timeoutMs } from './signs.ts';
import { ambiguousWords } from './words-ambiguous-ends.ts';
import type { OwnEndWords, ToldEnd } from './words-end-phrases.ts';
import { reason, shortReason } from './words-gone-phrases.ts';
import { shutdownWords } from './words-shutdown.ts';

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
  const age = span(ageMs(first, signs.now));
  const unread = first.readStalledMs >= 1_000 ? span(first.readStalledMs) : undefined;
  const ruledOut = gone?.signs.rebuild.ruledOut ?? [];
  const proof = ruledOut.length
    ? `A rebuild of the cache is ruled out: ${ruledOut.map(reason).join('; ')}.`
    : sibling
      ? `The sibling stream ${sibling.stream} on the same resource lived on.`
      : '';
  const closed = { high: 'Closed', medium: 'Most likely closed', low: 'Perhaps closed' }[
    told.episode.main.decision.confidence
  ];
  return {
    title: `${closed} by the watch cache: we read too slowly${repeats > 1 ? `, ${repeats} times` : ''}`,
    text: [
      `The server ended the stream early (after ${age}), properly and without ERROR${signs.burst ? ', during a burst of many events' : ''}.`,
      unread === undefined ? '' : `Our socket had stayed unread for ${unread} (read stall).`,
      'A cacher drops a watcher that cannot keep up: its queues fill within a fraction of a second.',
      signs.terminated > 0 ? `apiserver_terminated_watchers_total rose by ${signs.terminated}.` : '',
      slowResume(signs),
      proof,
    ],
    evidence: [
      `proper end after ${age} of ${timeoutMs(first) === undefined ? '30 to 60 min' : `${first.timeoutSeconds} s`}, no ERROR`,
      ...(first.peakPerSecond > 1 ? [`up to ${first.peakPerSecond} events in one second before it`] : []),
      ...(first.readStalledMs > 0 ? [`socket unread for ${span(first.readStalledMs)}`] : []),
      ...(signs.backlog ? ['the next stream began with a backlog'] : []),
      ...(signs.terminated > 0 ? [`apiserver_terminated_watchers_total +${signs.terminated}`] : []),
    ],
    ruledOut: rebuildRuledOut(ruledOut, sibling?.stream),
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

function slowResume({ gone, backlog }: ToldEnd['signs']): string {
  if (!gone) {
    return backlog
      ? 'The resume was taken at once and began with a backlog: nothing is missing.'
      : 'Nothing is missing as long as the resume RV is still in the window; otherwise list again.';
  }
  const { requested, floor } = gone.signs;
  const starts = floor === undefined ? '' : ` (its floor is ${floor})`;
  return gone.verdict.class === 'ring-buffer-expiry'
    ? `The resume at RV ${requested} was refused, as the ring had rolled over meanwhile${starts}: a relist was needed.`
    : `The resume at RV ${requested} was refused${starts}: the ring had rolled over meanwhile, unless a rebuild ended the stream. A relist was needed.`;
}

function rebuildRuledOut(by: readonly RuledOutBy[], sibling: number | undefined): string[] {
  const reasons = by.length > 0 ? by.map(shortReason) : sibling === undefined ? [] : [`stream ${sibling} lived on`];
  return reasons.length === 0 ? [] : [`a rebuild of the cache (${reasons.join('; ')})`];
}

function crdWords({ signs, stream }: ToldEnd): OwnEndWords {
  const { gone, place } = signs;
  const resource = quote(resourceName(place.target), 60);
  const asked = timeoutMs(stream);
  const of = asked === undefined ? '' : ` of ${asked / 1000} s`;
  const removed = !gone;
  const served = firstAfter(place, (next) => next.stream !== undefined && gaveHistory(next.stream)) !== undefined;
  return {
    title: removed
      ? `The CRD behind ${resource} was removed, or no longer serves this version`
      : `The CRD behind ${resource} was probably edited: its watches ended, its cache began anew`,
    text: [
      `The server ended the stream after ${span(signs.ageMs)}${of}, properly and without ERROR${signs.connectionAfter === 'kept' ? ', on a connection that went on working' : ''}.`,
      gone
        ? `${signs.nextCode === 429 ? 'Its cache was not ready for a while (429), and then the' : 'The'} resume at RV ${gone.signs.requested} was refused${signs.nextCode === 429 ? '' : ' at once'}: the watch cache was rebuilt and starts at ${gone.signs.floor}. On a custom resource the usual reason is that its CustomResourceDefinition (CRD) was edited: all its watches are ended then. Less likely the cache was rebuilt for another reason, such as the loss of its own etcd watch.`
        : `The next request was answered with 404: the CustomResourceDefinition (CRD), or this version of it, ${served ? 'was gone' : 'is gone'}.`,
      gone
        ? 'Relist and watch from the new list.'
        : served
          ? 'By now it is served again: it was made anew, or an apiserver had not yet heard of it. List again: objects of before may be gone.'
          : 'Watch a version that is served.',
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
      removed
        ? `kubectl get crd ${resource} -o jsonpath='{.spec.versions[*].name}': NotFound means removed; else these versions are served`
        : `kubectl get crd ${resource} -o yaml: generation, conditions and managedFields times show an edit`,
      ...(gone ? [`list again without resourceVersion (informers relist by themselves)`] : []),
      'apiserver log: "Terminating all watchers from cacher"',
    ],
    who: gone
      ? `the server, properly; then the watch cache: ${gone.signs.requested} < floor ${gone.signs.floor}`
      : 'the server, properly; then 404',
    why: gone
      ? 'custom resource, early end without ERROR, then a floor above the RV'
      : 'custom resource, early end, then 404',
    do: gone
      ? 'relist; look who edited the CRD'
      : served
        ? 'list again: it is served again'
        : 'watch a version that the CRD serves',
  };
}
