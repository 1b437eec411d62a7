import type { ClassNote } from './class-note.ts';
import type { FindingClass } from './finding.ts';

type Rv = 'rv-too-large' | 'rv-went-backwards' | 'rv-not-comparable' | 'bookmark-anomaly';

/** Trouble with resourceVersions, without a 410 (cases/README §3B). */
export const RV_NOTES = {
  'rv-too-large': {
    meaning:
      'The RV that was asked for lies ahead of what this apiserver has seen. Its cache waited up to 3 s to get there, and gave up; etcd, where it answers, refuses without waiting.',
    signs: [
      'code 504, reason Timeout, cause ResourceVersionTooLarge, "Too large resource version: X, current: Y"',
      'once, just after an apiserver started or at a balancer with several: one that lags behind',
      'now and then, on a quiet resource: the RV came with a write of another one, and up to 1.30 a cache without changes of its own moves only with etcd’s progress notifications (5 s with kubeadm, else 10 min)',
      'again and again with the same Y, on a resource that changes: the storage was restored from a backup, or the RV is of another cluster',
    ],
    confusedWith: [
      { class: 'rv-went-backwards', apart: 'a LIST without resourceVersion: does its RV stay below X?' },
      { class: 'gateway-error', apart: "a gateway's 504 is a page of its own and has no Audit-Id" },
    ],
    remedy: [
      "kubectl get --raw '/api/v1/pods?limit=1', twice some seconds apart: does the RV of the list come up to X?",
      'if it stays below: list again without resourceVersion, and restart the clients that keep the old RVs',
      'a watch from such an RV (no list, no sendInitialEvents) is accepted, and silent until the server passes it: no error tells',
    ],
    reproduce: { script: 'rv-too-large' },
  },
  'rv-went-backwards': {
    meaning:
      'RVs fell below ones that this client had already been given. Revisions of one etcd never fall: another storage answers, or an apiserver that is behind.',
    signs: [
      'bookmarks, events or a list with an RV below one seen before; the initial ADDED events do not count, they are unsorted',
      'it stays low for 15 s or more: the storage was restored from a backup',
      'it comes back up within seconds: a second apiserver whose cache is behind',
      'a resume is accepted and then silent, bookmarks included: only a LIST shows it',
    ],
    confusedWith: [
      { class: 'bookmark-anomaly', apart: 'bookmarks alone are low, and the events after them go on above' },
      { class: 'rv-too-large', apart: 'the same cause, met by a LIST at the old RV' },
    ],
    remedy: [
      'list again without resourceVersion, and compare with what the client holds: its objects may never have existed in this storage',
      'after a restore of etcd: restart every controller and kubelet, or bump the revision (etcdutl snapshot restore --bump-revision N --mark-compacted)',
      'behind a balancer: ask each apiserver for its RV (kwatch probe RESOURCE --via URL)',
    ],
    reproduce: { none: 'kwatch local has one storage, and its revisions never fall' },
  },
  'rv-not-comparable': {
    meaning:
      'RVs of this endpoint are no decimal numbers, or missing. They may be handed back to it, and neither sorted nor counted.',
    signs: [
      'resourceVersion is a token (base64, JSON), empty, 0 or absent on whole events',
      'a list without metadata.resourceVersion: a watch cannot go on from it',
      'an aggregated API server, a proxy of several clusters, or a server that is no kube-apiserver',
    ],
    confusedWith: [
      { class: 'bookmark-anomaly', apart: 'only bookmarks lack an RV, and events have theirs' },
      { class: 'malformed-stream', apart: 'the frames are no watch events at all' },
    ],
    remedy: [
      'treat the RV as opaque: hand back the last one, compare for equality only',
      'kubectl get apiservices: who serves this group?',
    ],
    reproduce: { none: "kwatch local gives etcd's revisions, as kube-apiserver does" },
  },
  'bookmark-anomaly': {
    meaning:
      'A bookmark that cannot be used as one: it has no RV, or one below the last event of the same stream. A client that resumes from it replays or loses events.',
    signs: [
      'BOOKMARK without metadata.resourceVersion, or with 0',
      'BOOKMARK with an RV below that of an event before it, while the events after it go on above',
    ],
    confusedWith: [
      { class: 'rv-went-backwards', apart: 'events (or a LIST) are low too, and stay there' },
      { class: 'rv-not-comparable', apart: 'events have no usable RV either' },
    ],
    remedy: [
      'allowWatchBookmarks=false for this endpoint, until its server is mended',
      'resume from the last event, not from such a bookmark',
      'kubectl get apiservices: an aggregated API server or a proxy that rewrites events is the usual author',
    ],
    reproduce: { none: "kwatch local's bookmarks are kube-apiserver's" },
  },
} as const satisfies Record<Rv, ClassNote> satisfies Partial<Record<FindingClass, ClassNote>>;
