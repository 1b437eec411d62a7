import { CLASS_NOTES } from '../diagnosis/class-notes.ts';
import { quote } from '../diagnosis/quote.ts';
import type { Client } from './client.ts';
import type { Explanation, Recognised } from './explain.ts';

type ExplanationWords = Pick<Explanation, 'title' | 'text'> & { next: readonly string[] };

/** What `kwatch explain` says. Only what the text states, and what such a text means; never more. */
export function explanationWords(found: Recognised): Pick<Explanation, 'title' | 'text' | 'next'> {
  const words = found.words ?? byClass(found);
  return {
    title: quote(words.title, 120),
    text: quote(words.text, 900),
    next: [...words.next, ...reproduction(found)].map((step) => quote(step, 300)).slice(0, MAX_STEPS),
  };
}

/** Contract §6. */
const MAX_STEPS = 5;

/** Where the class can be seen to happen, at the end of what to do. */
function reproduction({ class: name, refusedBy }: Recognised): string[] {
  if (name === 'unknown' || name === 'healthy') return [];
  if (name === 'upstream-compaction' && refusedBy === 'watch-cache') return [reproduceBy('compaction-through-cache')];
  const { reproduce } = CLASS_NOTES[name];
  if ('script' in reproduce) return [reproduceBy(reproduce.script)];
  return 'command' in reproduce ? [`kwatch explain ${name}: what it is confused with, and how to reproduce it`] : [];
}

const reproduceBy = (script: string) => `reproduce it: kwatch local --script ${script}`;

function byClass(found: Recognised): ExplanationWords {
  switch (found.class) {
    case 'ring-buffer-expiry':
    case 'cache-rebuilt':
      return cacheWords(found);
    case 'upstream-compaction':
      return found.refusedBy === 'watch-cache' ? throughCacheWords(found) : compactionWords(found);
    case 'continue-token-expired':
      return continueWords();
    case 'rv-too-large':
      return tooLargeWords(found);
    case 'ambiguous-410':
      return undecidedWords(found);
    default:
      return {
        title: 'No watch trouble of Kubernetes is recognised in this text',
        text: `${found.facts.http_status ? `HTTP ${found.facts.http_status} alone is not about a watch. ` : ''}None of the known sentences of an apiserver or its clients about a watch stands in it; it may belong to another system. If it came from a watch, give the whole line, the Status, or the lines around it.`,
        next: ['kwatch tail RESOURCE: watch the same thing live, and let it explain what happens'],
      };
  }
}

const RELIST = 'list again (relist) without resourceVersion, and watch from the RV of the new list';

/** What this client does about it. */
function healing(client: Client, loop: boolean): string {
  if (loop && client === 'kube-rs') {
    return 'It was refused at the start of the watch (WatchStartFailed): there kube-rs asks with the same RV again and again and does not list again. Restart the program; a plain informer would heal.';
  }
  if (loop) {
    return 'The same RV is refused again and again: this client does not relist but loops. That is a bug of the client: update or restart it.';
  }
  switch (client) {
    case 'kubectl':
      return 'kubectl does not reconnect: this watch has ended. Run the command again; it lists again first.';
    case 'python':
      return 'The Python client retries once and then raises: your program itself has to catch the exception, list again and start a new watch.';
    case 'javascript':
      return 'An informer of @kubernetes/client-node lists again by itself (1.x without a pause in between); a plain Watch only reports it, and your program has to list again.';
    case 'dotnet':
      return 'The .NET client reports it and its watch is over: your program has to list again and start a new watch (newer versions of KubeOps do).';
    case 'ruby':
      return 'A plain kubeclient watch ends with it, and your program has to list again; fluentd’s metadata filter does so by itself (since 2.5.2, older ones stop watching).';
    case 'kube-rs':
      return 'kube-rs lists again by itself, as long as the program goes on polling the stream; one that takes this error for fatal ends.';
    case 'airflow':
    case 'kopf':
      return 'This program lists again by itself: it heals on its own, and once is normal.';
    case 'fabric8':
      return 'A plain watcher is closed by it: unless its caller opens a new watch after a new list, nothing is watched any more (an informer lists again by itself).';
    default:
      return 'Informers and reflectors list again by themselves: it heals on its own, and once is normal.';
  }
}

function numbers({ facts }: Recognised): string {
  const { requested_rv: asked, oldest_startable_rv: floor, revisions_apart: apart } = facts;
  return `RV ${asked} was asked for, and the apiserver's watch cache reaches back to ${floor} only: they are ${apart === '1' ? '1 revision' : `${apart} revisions`} apart, counted over all resources of the cluster, which says nothing about how many changes of this one are among them.`;
}

function cacheWords(found: Recognised): ExplanationWords {
  const { facts, client, loop } = found;
  const rebuilt = found.class === 'cache-rebuilt';
  return {
    title: `410: the watch cache ${rebuilt ? 'began anew and starts above' : 'no longer reaches back to'} RV ${facts.requested_rv}`,
    text: `${numbers(found)} ${
      rebuilt
        ? 'The lines beside it show that all watchers of the cache were terminated: it was re-initialised.'
        : 'Usually the window (about 75 s, or more) has moved on while the client was away, slow, or got no bookmarks; a rebuilt cache (restart, etcd trouble) says the same words. The line alone does not tell which.'
    } ${healing(client, loop)} Remedy: ${RELIST}.`,
    next: [
      loop
        ? 'update or restart the client: it has to list again after a 410'
        : 'allowWatchBookmarks=true: keeps the RV of a quiet watch young',
      RELIST,
      'kwatch tail RESOURCE: shows whether it comes again, how old the RV is, and whether the cache was rebuilt',
    ],
  };
}

function throughCacheWords(found: Recognised): ExplanationWords {
  return {
    title: `410 after a compaction: the watch cache began anew above RV ${found.facts.requested_rv}`,
    text: `${numbers(found)} Beside it stands that etcd had compacted the revision which the cache's own watch needed: so the cache was rebuilt, its watchers were ended, and its clients met a cache that starts at a newer RV. ${healing(found.client, found.loop)} Remedy: ${RELIST}.`,
    next: [
      'apiserver log: was it cut off from etcd, or is etcd slow? Once is harmless',
      RELIST,
      'kubectl get --raw /metrics | grep watch_cache_initializations_total',
    ],
  };
}

function compactionWords(found: Recognised): ExplanationWords {
  const { requested_rv: asked, compact_rv: compacted } = found.facts;
  const which = asked ? ` ${asked}` : '';
  const floor = compacted ? ` (compacted up to ${compacted})` : '';
  const raw = found.gone?.letter === 'raw';
  const asker = raw
    ? "Who had asked is not said: a client of events or another uncached resource, which meets a 410; or a watch cache's own watch, which then begins anew, and its clients meet a 410 in the cache's words."
    : 'No watch cache was in between: events and other uncached resources meet this after a longer absence.';
  return {
    title: `${raw ? 'Compacted' : '410'}: etcd has compacted the revision${which} that was asked for`,
    text: `etcd itself refused ${asked ? `revision ${asked}` : 'what was asked for'}: that revision was compacted${floor}. ${asker} The apiserver compacts every 5 min by default, so 5 to 10 min of history are there. It is normal and expected when it comes once, nobody has to be woken. ${healing(found.client, found.loop)} Remedy: ${RELIST}.`,
    next: ['--etcd-compaction-interval (5m by default): how long an absence may last at least', RELIST],
  };
}

function continueWords(): ExplanationWords {
  return {
    title: '410 on a page of a LIST: the continue token is too old',
    text: 'The revision of the continue token was compacted before the last page was read: the list took longer than etcd keeps history (5 to 10 min by default), or etcd was compacted early. Start a new list from the first page, without continue; or use the token that the answer offers in metadata.continue, and accept an inconsistent list of two moments. client-go falls back to a full list by itself.',
    next: [
      'limit: larger pages, or read the pages faster, under 5 min for the whole list',
      'list again from the first page, without continue',
    ],
  };
}

function tooLargeWords(found: Recognised): ExplanationWords {
  const { requested_rv: asked, current_rv: current, revisions_apart: apart } = found.facts;
  return {
    title: `The server has not reached RV ${asked}${current ? ` yet, it is at ${current}` : ''}`,
    text: `RV ${asked} was asked for${current ? `, and this apiserver's cache is at ${current}, ${apart} revisions behind` : ''}. Either this replica lags (a stale cache, an idle resource whose cache does not move), which passes within seconds; or etcd was restored from a backup, or another cluster answers: then it stays, and every client needs a fresh list. The line does not decide; whether it repeats with the same current value does. Nothing timed out on the network, the apiserver itself said so, after up to 3 s.`,
    next: [
      'resourceVersion: list without it (a consistent read), then watch from that list',
      'compare the RV of a list at each apiserver (--server): one lags, or all are behind',
      'was etcd restored from a backup lately?',
    ],
  };
}

function undecidedWords(found: Recognised): ExplanationWords {
  if (found.gone?.letter === 'A') {
    return {
      title: 'A 410 text of the watch cache, but its numbers do not go together',
      text: `"too old resource version" are the words of the watch cache: first the RV that was asked for, in brackets the lowest one that it would have taken. Here the first is not below the second, and nothing would have been refused: the line was changed, put together of two, or is of a test. A real one means that the history is gone. ${healing(found.client, false)} Remedy: ${RELIST}.`,
      next: ['the original line, and who wrote it', RELIST],
    };
  }
  if (found.gone?.letter === 'G') {
    return {
      title: 'A 410 text of the watch cache, but it is cut: the second number is missing',
      text: `"too old resource version" are the words of the watch cache, but the second number in brackets is missing: the text is cut off, and its number may be incomplete too. Whole, it says which RV was asked for and where the history starts. ${healing(found.client, false)} Remedy: ${RELIST}.`,
      next: ['the whole line: look for the second number in the original log', RELIST],
    };
  }
  return {
    title: '410, and the message does not say why',
    text: `The history that was asked for is gone (410), but the sentence that tells the watch cache from etcd is missing. Whether the window moved on, etcd compacted it, or the cache began anew cannot be told. The remedy is the same: ${RELIST}.`,
    next: [RELIST, 'ask the apiserver directly, past any proxy, and read the message'],
  };
}
