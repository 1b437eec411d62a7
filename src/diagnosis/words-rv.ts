import type { ListFacts, StreamFacts, WatchTarget } from '../client/facts.ts';
import type { Episode } from './episode.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { afterTheFall, hasRecovered, highestBefore } from './rules-stream.ts';
import { rawCommand } from './tail-command.ts';
import type { Words } from './words.ts';
import { openStreamFacts } from './words-stream-facts.ts';

/** Words for resourceVersions that are no numbers, fall, or stand on a bookmark that is none. */

export function opaqueWords({ main }: Episode): Words {
  if (main.place.list) return bareListWords(main.place.target, main.place.list);
  const stream = main.place.stream;
  const odd = quote(stream?.oddRv ?? '', 60);
  const empty = odd === '';
  return {
    title: empty
      ? 'Objects without a resourceVersion: their order means nothing'
      : 'resourceVersions here are opaque tokens, not numbers',
    text: [
      empty
        ? 'An object came without a resourceVersion (missing, empty or 0). Where there are none, nothing can be ordered or resumed.'
        : `An RV is "${odd}": not a number but an opaque token. This is not the kube-apiserver's own storage: an aggregated API or a proxy over several clusters (multi-cluster) with its own semantics.`,
      empty
        ? 'kube-apiserver gives each object one: an aggregated API, or a proxy that rewrites objects, answers here. Such objects are usually computed for each request (metrics, for one): list them again instead of watching them.'
        : 'Tokens may be stored, compared for equality and sent back for a resume, but there is no ordering: they cannot be subtracted, and checks for going back are off here.',
    ],
    evidence: [empty ? 'an empty resourceVersion' : `first such RV: ${odd}`],
    ruledOut: [],
    next: [
      empty
        ? `${rawCommand(main.place.target, 'limit=500')}: list again every so often, and compare`
        : 'resourceVersion: treat it as a string; resume with the last one as it is',
      'kubectl get apiservice: who serves this group?',
    ],
    facts: {
      events: stream?.events,
      last_rv: stream?.lastRv,
      requested_rv: stream?.requestedRv,
      http_status: stream?.httpStatus,
    },
    who: 'an API with RVs of its own',
    why: empty ? 'no resourceVersion on an object' : `"${odd}" is no decimal number`,
    do: empty ? 'list again instead of watching' : 'nothing: keep the token, do not compare it',
  };
}

/** A list without an RV: it may be all that is wrong, its objects may have theirs. */
function bareListWords(target: WatchTarget, list: ListFacts): Words {
  return {
    title: 'The list has no resourceVersion: a watch cannot go on from it',
    text: [
      `The list (${plural(list.items, 'item')}) has no metadata.resourceVersion. It is the one RV from which a watch can go on without a gap: the RVs of its objects, which are of their own last changes, cannot stand for it.`,
      'kube-apiserver gives each list one: an aggregated API, or a proxy that rewrites answers, is here. A watch without an RV begins with the present state again, so clients hear everything anew at each reconnect.',
    ],
    evidence: ['a LIST without metadata.resourceVersion (missing or empty)'],
    ruledOut: [],
    next: [
      `${rawCommand(target, 'limit=1')}: metadata.resourceVersion?`,
      'kubectl get apiservice: who serves this group? Tell them of the list',
    ],
    facts: { http_status: list.httpStatus },
    who: 'the server, by a list without an RV',
    why: 'no resourceVersion on a list',
    do: 'list again instead of resuming; report it to whoever serves this API',
  };
}

export function backwardsWords({ main, members }: Episode): Words {
  // The first fall is told; later evidence says whether it lasted.
  const { place } = members[0]!;
  const { stream, list } = place;
  const before = stream?.wentBackwards?.before ?? (list?.rv ? highestBefore(place, list.rv) : undefined) ?? '?';
  const lower = stream?.wentBackwards?.lower ?? list?.rv ?? '?';
  const inStream =
    stream && hasRecovered(stream) ? 'caught up' : main.decision.confidence === 'high' ? 'low' : 'not known';
  const lasted = list ? afterTheFall(place) : inStream;
  const cause = {
    low: 'It stays low, so storage itself went back: etcd was restored from a backup (snapshot), or this is another cluster.',
    'caught up': 'It has caught up since, so a second, stale apiserver (or etcd member) answered for a while.',
    'not known':
      'Either etcd was restored from a backup (snapshot), and then it stays low; or another, stale apiserver answers, and then it catches up within seconds.',
  }[lasted];
  const caughtUp = lasted === 'caught up';
  return {
    title: `resourceVersions went backwards: ${before} was seen, now ${lower}`,
    text: [
      `RV ${before} had been given to us, and ${list ? 'a list' : 'the stream'} now shows ${lower}. An RV of one storage never falls. ${cause}`,
      `${list ? `A watch from ${before} is accepted there` : `This stream shows it; from a kube-apiserver a watch from ${before} is accepted`}, without an error, and silently delivers nothing, not even bookmarks, until the counter passes it: ${caughtUp ? 'until then nothing is heard.' : 'events are missed without a word.'}`,
      {
        low: 'Every client of the cluster needs a fresh list (relist) without resourceVersion. A restore with a revision bump avoids it.',
        'caught up':
          'What clients read from the stale one was old; those that watch it miss nothing once it has caught up.',
        'not known':
          'If it stays low, every client of the cluster needs a fresh list (relist) without resourceVersion. A restore with a revision bump avoids it.',
      }[lasted],
    ],
    evidence: [
      `highest RV before: ${before}`,
      `now: ${lower}`,
      ...(stream?.lowFrames && stream.lowFrames.count > 1
        ? [
            `${stream.lowFrames.count} frames below it, over ${span(stream.lowFrames.lastAt - stream.lowFrames.firstAt)}`,
          ]
        : []),
    ],
    ruledOut: ['initial events (they are unsorted, and not counted)'],
    next: [
      `${rawCommand(place.target, 'limit=1')} at each apiserver (--server): compare metadata.resourceVersion; one that differs is stale`,
      ...(caughtUp ? [] : ['etcdctl snapshot restore --bump-revision: how a restore should be done; was there one?']),
      'list again without resourceVersion, in every client: restart controllers if need be',
    ],
    facts: { last_rv_before: before, first_lower_rv: lower, last_rv: stream?.lastRv },
    who: caughtUp ? 'a second, stale apiserver' : 'storage, or a second apiserver',
    why: `${before}, then ${lower}${lasted === 'low' ? ', and it stays low' : caughtUp ? ', caught up since' : ''}`,
    do: {
      low: 'relist in every client; find out who restored what',
      'caught up': 'find out which apiserver lags, and why',
      'not known': 'see whether it stays low; if so, relist in every client and find out what was restored',
    }[lasted],
  };
}

/** A bookmark without an RV moves no resume point; one with a low RV moves ours, as it would a client's. */
function resumeAdvice(stream: StreamFacts | undefined, none: boolean): string {
  if (!none) return 'We keep to what was sent; a client had better resume from the last event.';
  return stream?.lastRv === undefined ? '' : `The resume point stays at RV ${stream.lastRv}.`;
}

export function badBookmarkWords({ main }: Episode): Words {
  const { stream } = main.place;
  const { rv = '', lastEvent = '?' } = stream?.badBookmark ?? {};
  const none = rv === '';
  return {
    title: none
      ? 'A bookmark without a resourceVersion'
      : `A bookmark at ${rv}, below the event at ${lastEvent} before it`,
    text: [
      none
        ? 'A BOOKMARK came whose object has no resourceVersion (missing, empty or 0). A bookmark is nothing but an RV to resume from: this one cannot be used, and a client that takes it for its resume RV starts over without one.'
        : `A BOOKMARK says that everything up to its RV has been sent; this one, at ${rv}, came after the event at ${lastEvent}. A client that takes it resumes too early and gets events again.`,
      none
        ? 'kube-apiserver never sends that: an aggregated API server, or a proxy that rewrites objects, does.'
        : main.decision.confidence === 'high'
          ? 'Later frames went on above it, so storage did not go back: the bookmark itself is wrong (an aggregated API server, or a cache whose bookmarks lag).'
          : 'Nothing has come since: if later frames are low, too, it was no wrong bookmark, but storage that went back in time.',
      resumeAdvice(stream, none),
    ],
    evidence: [
      none
        ? 'a BOOKMARK whose metadata.resourceVersion is missing, empty or 0'
        : `event at ${lastEvent}, then a bookmark at ${rv}`,
    ],
    ruledOut: [],
    next: [
      'resourceVersion: resume from the last event, not from this bookmark',
      'kubectl get apiservice: who serves this group? Tell them of the bookmark',
    ],
    facts: openStreamFacts(stream),
    who: 'the server, by a bookmark that is none',
    why: none ? 'a bookmark without an RV' : `bookmark ${rv} after event ${lastEvent}`,
    do: 'ignore that bookmark; report it to whoever serves this API',
  };
}
