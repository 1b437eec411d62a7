import type { ClassNote } from './class-note.ts';
import type { FindingClass } from './finding.ts';

type Stream =
  | 'storage-error'
  | 'conversion-webhook-failed'
  | 'malformed-stream'
  | 'watchlist-incomplete'
  | 'proxy-buffering'
  | 'duplicate-events'
  | 'missed-events'
  | 'selector-exit'
  | 'healthy';

/** Faults told or shown inside the stream, and delivery (cases/README §3E and §3F). */
export const STREAM_NOTES = {
  'storage-error': {
    meaning:
      'The storage behind the apiserver could not deliver: etcd is in trouble, or an object in it cannot be read.',
    signs: [
      'InternalError or 500 that names etcd, or such words behind "storage is (re)initializing"',
      '"unable to transform key": an object that cannot be decrypted (a lost or changed encryption key)',
      '"PrevKv=nil" in an ERROR event: the change before was compacted, and the event cannot be made',
      'resources without a watch cache get it as an ERROR event; others as a cache that begins anew or is not ready',
    ],
    confusedWith: [
      { class: 'watch-cache-not-ready', apart: 'no cause stands behind the words' },
      { class: 'conversion-webhook-failed', apart: 'the cause names a conversion webhook' },
      { class: 'gateway-error', apart: 'a page without Audit-Id' },
    ],
    remedy: [
      'kubectl get --raw /readyz?verbose | grep etcd; etcdctl endpoint status -w table; etcdctl alarm list',
      'apiserver log around it: etcd timeouts, leader changes, "failed to decrypt"',
      'one key: the encryption configuration of every apiserver must have the key that wrote it',
    ],
    reproduce: { script: 'storage-error' },
  },
  'conversion-webhook-failed': {
    meaning:
      'Stored objects have another version than the one that is watched, and the webhook that converts them failed. Nobody can list or watch that version until it answers.',
    signs: [
      '"conversion webhook for G/V, Kind=K failed: …" anywhere in a message',
      'it may stand behind "storage is (re)initializing": the watch cache cannot be filled',
    ],
    confusedWith: [
      { class: 'storage-error', apart: 'no webhook is named' },
      { class: 'watch-cache-not-ready', apart: 'nothing stands behind the words' },
    ],
    remedy: [
      'kubectl get crd NAME -o jsonpath={.spec.conversion}: which service?',
      'kubectl get endpoints of that service: is it running, does its certificate fit the caBundle?',
      'an operator that serves its own webhook and waits for its own watch is a circle: start the webhook first',
    ],
    reproduce: { none: 'kwatch local has built-in resources only' },
  },
  'malformed-stream': {
    meaning: 'A whole line of the stream is no watch event: something other than the apiserver wrote or changed it.',
    signs: [
      'a line that is no JSON, JSON without type and object, or an ERROR without a Status',
      'half a line at the end of a broken connection is none of it: that is connection-lost, truncated-event',
    ],
    confusedWith: [
      { class: 'connection-lost', apart: 'the line is cut at the end of the stream' },
      { class: 'not-a-watch', apart: 'the answer is one document from its first byte' },
      { class: 'gateway-error', apart: 'the line is the page of a proxy' },
    ],
    remedy: [
      'curl -sN the same URL on a path around the proxies: are the lines whole there?',
      'compression, rewriting or injection on the way: turn it off for this path',
      'kubectl get apiservices: an aggregated API server may be the author',
    ],
    reproduce: { none: 'kwatch local writes events as kube-apiserver does' },
  },
  'watchlist-incomplete': {
    meaning:
      'A streaming list was granted and never said that it is complete. The client waits for that mark, with objects in hand that it may not use yet.',
    signs: [
      'sendInitialEvents=true, 200, objects, and for 10 s or more no bookmark with the annotation k8s.io/initial-events-end',
      'without allowWatchBookmarks=true no apiserver sends the mark',
    ],
    confusedWith: [
      { class: 'request-rejected', apart: 'a server whose WatchList is off refuses sendInitialEvents, with 422' },
      { class: 'proxy-buffering', apart: 'the mark comes, late' },
      { class: 'silent-stall', apart: 'the stream had been complete, and fell silent later' },
    ],
    remedy: [
      "turn the client's WatchListClient off: it lists instead",
      'allowWatchBookmarks=true beside sendInitialEvents=true',
      'an aggregated API server that ignores the parameter: kubectl get apiservices',
    ],
    reproduce: {
      command:
        "kwatch local --no-story --objects 5 --feature-gates WatchList=true & sleep 1; kwatch tail --raw '/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan' --for 20s -s http://127.0.0.1:7410",
    },
  },
  'proxy-buffering': {
    meaning:
      'Something on the way holds events back, and lets them go in clumps or at the end. Clients act on old state.',
    signs: [
      'events that were made seconds apart come in one moment; their lag shrinks within the clump',
      'headers and all bytes come only when the stream is over',
      'two clumps at least, or it may be chance',
    ],
    confusedWith: [
      { class: 'healthy', apart: 'a burst: then the changes were made in one moment, too' },
      { class: 'silent-stall', apart: 'nothing comes any more' },
      { class: 'self-inflicted', apart: 'our own reading paused' },
    ],
    remedy: [
      'proxy_buffering off (nginx), or the like, for this path; no compression of watches',
      'kwatch probe RESOURCE --via URL: are headers flushed at once on the direct path?',
      'virus scanners and inspecting proxies read an answer to its end: let watches pass by',
    ],
    reproduce: { script: 'proxy-buffering' },
  },
  'duplicate-events': {
    meaning:
      'Events came that had come before: a watch without resourceVersion replays the present state as ADDED. Harmless.',
    signs: [
      'the same UID with the same RV again, right after a reconnect',
      'the watch was opened without resourceVersion',
      'or one change comes again, with the same UID and RV, in one stream, or though the resourceVersion of the request excluded it: the server repeats',
    ],
    confusedWith: [{ class: 'rv-went-backwards', apart: 'RVs below those that were seen, of later changes' }],
    remedy: [
      'resume with the RV of the last live event, bookmark or LIST (the first ADDED are in no order of RVs): then only what is new comes',
      'handle ADDED of a known object as a change: informers do',
    ],
    reproduce: {
      command:
        "kwatch local --no-story --objects 5 & sleep 1; kwatch tail --raw '/api/v1/pods?watch=1&timeoutSeconds=5' --pin-query --for 15s -s http://127.0.0.1:7410",
    },
  },
  'missed-events': {
    meaning:
      'A change was never delivered, though the stream went past it: the client holds wrong state and does not know.',
    signs: [
      'a list shows an object with an RV at or below a bookmark (or an event) that was delivered, and no event brought it',
      'by a bookmark it is high: a bookmark promises everything below it',
    ],
    confusedWith: [
      { class: 'selector-exit', apart: 'a DELETED that only says: left the selection' },
      { class: 'proxy-buffering', apart: 'it comes, late' },
      { class: 'rv-went-backwards', apart: 'another storage answers' },
    ],
    remedy: [
      'list again: the object of the finding tells what was missed',
      'report it with kwatch tail --save FILE: which apiserver version, and which proxy?',
      'a resync does not help, it reads the store of the client itself again: restart the client',
    ],
    reproduce: { none: "kwatch local delivers every change; it would be a fault of the server's" },
  },
  'selector-exit': {
    meaning: 'Under a selector DELETED also means: it no longer matches. The object may live on.',
    signs: [
      'DELETED with a label or field selector in use, and no deletionTimestamp in the object',
      'a GET of the object decides: 200, it lives; or it came back into the selection later',
    ],
    confusedWith: [
      { class: 'healthy', apart: 'a real deletion: a GET answers 404' },
      { class: 'missed-events', apart: 'no event came at all' },
    ],
    remedy: [
      'kubectl get RESOURCE NAME: is it there?',
      'do not take DELETED of a selected watch for the end of the object; or watch without a selector and filter in the client',
    ],
    reproduce: { script: 'selector-exit' },
  },
  healthy: {
    meaning: 'Nothing is wrong, as far as was looked.',
    signs: [
      'events and bookmarks come, or it is quiet and nothing was due',
      'split characters, two events in a chunk, blank lines, large lines and unsorted initial ADDED events are all in order',
    ],
    confusedWith: [
      { class: 'silent-stall', apart: 'bookmarks that fail, or a second watch that gets what this one does not' },
    ],
    remedy: ['kwatch probe RESOURCE: what this path could break, and how long a client may be away'],
    reproduce: { script: 'quiet-watch' },
  },
} as const satisfies Record<Stream, ClassNote> satisfies Partial<Record<FindingClass, ClassNote>>;
