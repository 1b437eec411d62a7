import { compareRv } from '../protocol/resource-version.ts';
import type { Episode } from './episode.ts';
import { plural, span, timerSpan, times } from './quantity.ts';
import { quote } from './quote.ts';
import type { Words } from './words.ts';
import { clumpWords } from './words-buffering.ts';
import { missedWords, selectionWords } from './words-delivery.ts';
import { backwardsWords, badBookmarkWords, opaqueWords } from './words-rv.ts';
import { openStreamFacts } from './words-stream-facts.ts';

/** Words for what a stream or a list shows beside its end. */
export function shownWords(episode: Episode): Words {
  switch (episode.main.decision.class) {
    case 'malformed-stream':
      return malformedWords(episode);
    case 'rv-not-comparable':
      return opaqueWords(episode);
    case 'rv-went-backwards':
      return backwardsWords(episode);
    case 'watchlist-incomplete':
      return endMarkWords(episode);
    case 'duplicate-events':
      return replayWords(episode);
    case 'bookmark-anomaly':
      return badBookmarkWords(episode);
    case 'missed-events':
      return missedWords(episode);
    case 'selector-exit':
      return selectionWords(episode);
    case 'proxy-buffering':
      return clumpWords(episode);
    default:
      return unreadWords(episode);
  }
}

function malformedWords({ main }: Episode): Words {
  const stream = main.place.stream;
  const text = quote(stream?.malformedText ?? '', 140);
  const html = /^\s*<|<html|<!doctype/i.test(stream?.malformedText ?? '');
  return {
    title: `A whole line of the stream is no watch event${html ? ': it is HTML' : ''}`,
    text: [
      `${stream?.malformed ?? 1} piece${stream?.malformed === 1 ? '' : 's'} of the stream ${stream?.malformed === 1 ? 'is' : 'are'} no watch event: no JSON, JSON without type and object, or an ERROR without a Status. The first: "${text}".`,
      html
        ? 'HTML inside a stream comes from a proxy that writes its error page into it.'
        : 'Either something in between writes into the stream, or the server does not keep to the format of watches (an aggregated API server with code of its own).',
      `Events before it are whole; what followed cannot be trusted.${stream?.lastRv ? ` Resume from RV ${stream.lastRv}, or list again.` : ''}`,
    ],
    evidence: [`first piece: ${text}`],
    ruledOut: ['a connection that broke in the middle of an event (the line was whole)'],
    next: ['curl -N: the same watch past any proxy, and look at that line', 'log of the proxy at this moment'],
    facts: { events: stream?.events, last_rv: stream?.lastRv, http_status: stream?.httpStatus },
    who: 'the server, or something in between that writes into the stream',
    why: text,
    do: 'find who wrote that line',
  };
}

function endMarkWords({ main }: Episode): Words {
  const stream = main.place.stream;
  const unasked = stream?.allowWatchBookmarks === false;
  return {
    title: 'sendInitialEvents was accepted, but the end mark of the initial events never came',
    text: [
      `The watch asked for sendInitialEvents=true and got ${stream?.events ?? 0} events and ${stream?.bookmarks ?? 0} bookmarks, but never the bookmark with the annotation k8s.io/initial-events-end. So a client can never know that the initial state is complete, and waits for ever.`,
      unasked
        ? 'The request itself lacks allowWatchBookmarks=true, and the end mark is a bookmark: an apiserver sends none without it. Remedy: allowWatchBookmarks=true; or LIST, then watch (list+watch).'
        : 'Seen with aggregated servers that pass the option over. Remedy: LIST, then watch (list+watch; client-go falls back so), or a server that knows the option.',
    ],
    evidence: [`${stream?.bookmarks ?? 0} bookmarks, none with k8s.io/initial-events-end`],
    ruledOut: ['a dead stream (frames came)'],
    next: [
      ...(unasked ? ['allowWatchBookmarks=true: ask for it beside sendInitialEvents=true'] : []),
      'WatchListClient=false (client-go feature gate): fall back to LIST and watch',
      'the server behind this API: does it support streaming lists?',
    ],
    facts: { events: stream?.events, bookmarks: stream?.bookmarks, http_status: stream?.httpStatus },
    who: unasked ? 'the request: it allows no bookmarks' : 'the server: accepted the option and did not keep it',
    why: `no bookmark with k8s.io/initial-events-end${unasked ? ', and none was allowed' : ''}`,
    do: unasked ? 'allow bookmarks in the request' : 'use list and watch with this API',
  };
}

/** Not the state replayed, but single events: something on the way, or a server that goes back a little, repeats them. */
function againWords({ main, members }: Episode): Words {
  const { stream } = main.place;
  const again = stream?.toldAgain;
  const count = members.reduce((sum, { place }) => sum + (place.stream?.toldAgain?.count ?? 0), 0);
  const name = quote(again?.name ?? '?', 80);
  const asked = stream?.requestedRv;
  const excluded = asked !== undefined && (compareRv(again?.rv ?? '', asked) ?? 1) <= 0;
  return {
    title: `${plural(count, 'event')} came again: same uid, same RV (${quote(name, 50)} at ${again?.rv ?? '?'})`,
    text: [
      `${name} was told at RV ${again?.rv ?? '?'} again, though it had come at that RV before${excluded ? ` and the watch goes on from ${asked}` : ', in this stream'}. The object has not changed: same uid and same RV mean the same state.`,
      'A kube-apiserver does not repeat events; an aggregated API server, or a proxy that resumes by itself, may. It is harmless for clients that compare RVs (informers do), and work done twice for those that act on each event.',
    ],
    evidence: [`${name} at RV ${again?.rv ?? '?'}, twice`],
    ruledOut: ['a change of the object (its RV is the same)'],
    next: [
      'resourceVersion: skip events whose uid and RV are known, in the client',
      'kubectl get apiservice: who serves this group?',
    ],
    facts: openStreamFacts(stream),
    who: 'the server, or something in between that repeats',
    why: `${name} at RV ${again?.rv ?? '?'} came twice`,
    do: 'nothing, where the client compares RVs',
  };
}

function replayWords(episode: Episode): Words {
  const { main, members } = episode;
  if (main.decision.rule === 'told again') return againWords(episode);
  const first = main.place.line.find(({ stream }) => stream !== undefined)?.stream;
  return {
    title: 'Reconnecting without a resourceVersion replays the present state as ADDED',
    text: [
      `The watch was reopened without a resourceVersion (${times(members.length)}). Then it opens with the existing objects as synthetic ADDED events (the initial state): same UIDs and RVs again, in storage order, so the RVs jump about. That is harmless, but not new.`,
      'To avoid the replay, reopen with the RV of the last live event or bookmark (or of a LIST) as resourceVersion; not with that of one of the first ADDED, which are in no order of RVs.',
    ],
    evidence: [`${plainCount(main.place.stream?.eventsInFirstSecond ?? 0)} in the first second after reopening`],
    ruledOut: ['a fault of the server'],
    next: ['resourceVersion: send the last one when reopening'],
    facts: { last_rv: first?.lastRv, events: first?.events },
    who: 'the server, as documented',
    why: 'no resourceVersion in the request: initial state as ADDED',
    do: 'nothing, or resume with an RV',
  };
}

function plainCount(count: number): string {
  return `${count} ADDED`;
}

function unreadWords({ main }: Episode): Words {
  const stream = main.place.stream;
  const unread = timerSpan(stream?.readStalledMs ?? 0);
  return {
    title: `We did not read the stream for ${unread}: what came late, came late by our own doing`,
    text: [
      `This client itself left its socket unread for ${unread} (read stall). What was sent meanwhile arrived late and all at once: it is not the server, not a proxy, and not the network.`,
      stream?.endedAt === undefined || stream.end === 'stopped'
        ? 'The stream lived through it and nothing is lost: the server kept up.'
        : `The stream has ended since (${stream.end ?? 'not known how'}): our own stall is the first suspect for that end, too.`,
    ],
    evidence: [
      `socket unread for ${span(stream?.readStalledMs ?? 0)}`,
      `${stream?.events ?? 0} events, ${stream?.bookmarks ?? 0} bookmarks on this stream`,
    ],
    ruledOut: ['buffering in between', 'a slow server'],
    next: [
      '--read-stall, or what kept this client from reading: a suspended process, a full pipe behind it, a busy event loop',
    ],
    facts: openStreamFacts(stream),
    who: 'our own side: the socket stayed unread',
    why: `unread for ${unread}`,
    do: 'read on; keep the consumer fast',
  };
}
