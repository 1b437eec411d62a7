import type { ClassNote } from './class-note.ts';
import type { FindingClass } from './finding.ts';

type Gone = 'ring-buffer-expiry' | 'upstream-compaction' | 'cache-rebuilt' | 'continue-token-expired' | 'ambiguous-410';

const COUNTER = 'kubectl get --raw /metrics | grep watch_cache_initializations_total';

/** History gone (410). Who refused is in the text; why the history is gone is not (facts/server §3.3, §3.9; cases/README §3A). */
export const GONE_NOTES = {
  'ring-buffer-expiry': {
    meaning:
      "The apiserver's watch cache keeps the last changes of each resource in a ring. The ring is the same as before and no longer reaches back to the RV that was asked for.",
    signs: [
      '"too old resource version: R (M)", code 410: in the stream, as an ERROR event of an HTTP 200. M, the floor, is the lowest RV that would have been taken',
      'R is 75 s old or more: that is what a ring below its upper bound of 102400 events keeps of its events (sub rolled-over)',
      'R is younger, but the cache was not rebuilt: a pinned ring, one at its bound, or a burst of a ring full (100 at least) after a quiet time (sub overrun)',
      'the selector lets little through and allowWatchBookmarks was not sent, so R grew old although the watch was open (sub idle-filtered-watch)',
      'M − R counts revisions of all resources of the cluster, not events of this one',
    ],
    confusedWith: [
      {
        class: 'cache-rebuilt',
        apart:
          'the same words; apiserver_watch_cache_initializations_total +1, or every watch of the resource ended at one moment',
      },
      {
        class: 'upstream-compaction',
        apart:
          "etcd's own words, or a rebuilt cache. That etcd has compacted R proves nothing by itself: it compacts every 5 min, and the ring may still serve R",
      },
    ],
    remedy: [
      'allowWatchBookmarks=true: a bookmark a minute keeps the RV of a quiet or filtered watch young',
      'list again without resourceVersion and watch from the RV of that list: informers do it by themselves. Once is normal, nobody has to be woken',
      'if it comes again and again: what kept the client away, or made it read late, for more than a minute?',
    ],
    reproduce: { script: 'ring-overrun' },
  },
  'upstream-compaction': {
    meaning:
      'etcd compacted the revisions that were needed. Either it refused by itself, or the watch cache ran into the compaction, had to begin anew, and refused what lies before.',
    signs: [
      '"The resourceVersion for the provided watch is too old." or "mvcc: required revision has been compacted": etcd itself (sub direct), as for events, which have no watch cache',
      '"too old resource version: R (M)" just after the server ended the stream early, properly and without ERROR, and etcd has compacted R as well (sub through-cache)',
      'high through the cache only where the initializations counter rose and R was younger than a compaction interval (5 min) or was found in etcd before',
    ],
    confusedWith: [
      {
        class: 'ring-buffer-expiry',
        apart:
          'a window that slid needs no rebuild: other watches of the resource live on, and the counter stands still',
      },
      {
        class: 'cache-rebuilt',
        apart: 'LIST at R with resourceVersionMatch=Exact: answered, and then etcd still has R and was not the reason',
      },
    ],
    remedy: [
      'list again without resourceVersion and watch from there; informers do it by themselves',
      'events (and others without a watch cache): the interval of --etcd-compaction-interval (5 min) is how long a watch may be away',
      'through the cache: why was the apiserver cut off from etcd, or behind it? Its log has "Terminating all watchers from cacher"',
    ],
    reproduce: { script: 'compaction-direct' },
  },
  'cache-rebuilt': {
    meaning:
      'The watch cache of the resource began anew: its history starts at its own last LIST from etcd, and every older RV is refused, however young.',
    signs: [
      `${COUNTER}: +1 between two readings of the same process`,
      'the server ended the stream early, properly and without ERROR, and the resume at once was refused with a floor above R',
      'process_start_time_seconds of the apiserver that answers is later than the moment R was given: a new process, its counter starts at 0',
      'every watch of the resource ended at that moment',
    ],
    confusedWith: [
      {
        class: 'ring-buffer-expiry',
        apart:
          'a sibling watch of the same resource that lived on, or a counter that stands still, rules a rebuild out',
      },
      { class: 'upstream-compaction', apart: 'etcd has compacted R too: then a compaction may have been the reason' },
      { class: 'crd-changed', apart: 'custom resources: kubectl get crd NAME -o yaml, was it edited at that moment?' },
    ],
    remedy: [
      `${COUNTER}: which resources, and how often? After a restart process_start_time_seconds tells instead`,
      'apiserver log around that moment: "Terminating all watchers from cacher" (not in that of a new process), and the reason just before it',
      'list again: it heals the client. If it repeats, look at the apiserver and its way to etcd',
    ],
    reproduce: { script: 'apiserver-killed' },
  },
  'continue-token-expired': {
    meaning:
      'A list in pages is a list at one revision, which its continue token carries. The next page was asked for after etcd had compacted that revision.',
    signs: [
      'a real HTTP 410, not an event: "The provided continue parameter is too old to display a consistent list result. …"',
      'the request had continue=…; the answer may hold a new token in metadata.continue, which goes on without consistency',
    ],
    confusedWith: [
      {
        class: 'upstream-compaction',
        apart:
          'no continue in the request: a list at an exact old RV ("The resourceVersion for the provided list is too old."), or a watch whose initial list etcd compacted meanwhile (the words above, in an ERROR event)',
      },
    ],
    remedy: [
      'begin the list anew, without continue',
      'larger pages (limit=) or a faster reader: all pages within the compaction interval, 5 min by default, are certain to be read; an earlier compaction (by hand, --auto-compaction) takes that away',
      'the token in metadata.continue of the answer goes on at the latest state, where a consistent list is not needed',
    ],
    reproduce: { script: 'continue-token-expired' },
  },
  'ambiguous-410': {
    meaning: 'A 410 without the words that tell its causes apart. It is not even certain that an apiserver wrote it.',
    signs: [
      'code 410 or reason Expired or Gone, with no message, a foreign one, or a page',
      'a real HTTP 410 on a watch: an apiserver answers 200 and sends the 410 as an ERROR event',
    ],
    confusedWith: [
      { class: 'ring-buffer-expiry', apart: 'the whole message has two numbers, the second in brackets' },
      { class: 'upstream-compaction', apart: 'the whole message is a sentence without numbers' },
      { class: 'gateway-error', apart: 'without an Audit-Id header the answer was written in front of the apiserver' },
    ],
    remedy: [
      'list again without resourceVersion: right for each of the causes',
      'kwatch tail RESOURCE -s … on a path straight to the apiserver: shows the words that were lost',
    ],
    reproduce: {
      none: 'kwatch local answers with the words of a real apiserver; something on the way has to take them out',
    },
  },
} as const satisfies Record<Gone, ClassNote> satisfies Partial<Record<FindingClass, ClassNote>>;
