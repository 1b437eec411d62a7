import type { Sentence } from './sentence.ts';

const UNKNOWN = { class: 'unknown', confidence: 'low', harm: 'depends' } as const;

/** What an apiserver notes of requests that are no watches, or of watches that are well. Asked last. Upstream: apiserver/pkg/endpoints and storage/cacher. */
export const APISERVER_LOG_SENTENCES: readonly Sentence[] = [
  {
    // handlers/responsewriters/status.go, ErrorToAPIStatus.
    pattern: /that is not an metav1\.Status: .{0,200}\bcontext canceled/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    ordinary: true,
    title: 'An apiserver notes that a client hung up before its answer',
    text: 'The request’s context was cancelled, which is mostly the client’s own doing: it gave up by a timeout of its own, or ended. The apiserver only found no Status for it. Single ones are ordinary. Many at a time are clients that find this apiserver too slow, or a load balancer that cuts them.',
    next: ['many at a time: which requests take long? apiserver audit log, load of etcd'],
  },
  {
    ...UNKNOWN,
    // server/filters/timeout.go.
    pattern: /http: Handler timeout|post-timeout activity|timeout or abort while handling/,
    title: 'An apiserver gave up a request after its own time limit: no watch',
    text: 'Requests other than watches have 60 s (--request-timeout), or what the client asked for; this one was not answered in time, or its client had left. Watches are exempt from that limit. The client got a 504, or nothing. Single ones are ordinary; many say that the apiserver or etcd is overloaded, or a webhook hangs, and watches suffer with it.',
    next: [
      'load of the apiserver, latency of etcd and of admission webhooks at that time',
      'which requests? The lines around it name method and path',
    ],
  },
  {
    ...UNKNOWN,
    // k8s.io/utils/trace.
    pattern: /\bTrace\[\d{1,20}\]: /,
    ordinary: true,
    title: 'A trace of a slow request: where its time went, and no fault',
    text: 'A program notes requests that took longer than a limit (half a second and more), with the time of each step. Lists of many objects and slow etcd are the usual reasons. A watch is not broken by it; only a first list that takes long delays the watch that follows.',
    next: ['the steps of the trace: which one took the time?'],
  },
  {
    ...UNKNOWN,
    // storage/cacher/cacher.go, dispatchEvents and processEvent: incomingHWM.
    pattern: /\d+ objects queued in incoming channel/,
    ordinary: true,
    title: 'The cacher’s queue had a new highest level: no fault yet',
    text: 'Changes come from etcd into a queue of 100 and are handed to all watchers from there; a line is written each time the queue was fuller than ever. Small numbers say nothing. Near 100 the handing out is held up: by a watcher that does not read, or an apiserver without CPU.',
    next: ['does "Forcing … watcher close due to unresponsiveness" stand beside it? Then a slow watcher held it up'],
  },
  {
    ...UNKNOWN,
    // storage/etcd3/watcher.go (queueEvent) and storage/cacher/cacher.go (processEvent); etcd 2's etcd_watcher.go.
    pattern: /Fast watcher, slow processing|watch: \d{1,9} objects queued in channel/,
    ordinary: true,
    title: 'A queue between etcd and a watch of the apiserver was full or fuller than before: no fault yet',
    text: 'Changes come from etcd faster than the apiserver decodes them or hands them on, so that the queue of a watch (100 long) holds it up. In a burst that is ordinary and nothing is lost: the next stage waits. If it goes on, watches are late; then the apiserver lacks CPU, or watchers do not read.',
    next: [
      'does "Forcing … watcher close due to unresponsiveness" stand beside it? Then a slow watcher held it up',
      'CPU of the apiserver; many writes of the resource at that time?',
    ],
  },
  {
    // handlers/finisher/finisher.go: writes, and reads that are not watches.
    pattern:
      /request did not complete within (?:requested|the allotted) timeout|timeout waiting for the request to complete/,
    class: 'storage-error',
    confidence: 'low',
    harm: 'depends',
    others: ['gateway-error', 'unreachable'],
    ordinary: true,
    title: '504 of the apiserver itself: a request (no watch) was not done in its time',
    text: 'The apiserver gave up a request after the time that it had (timeout= in its URL, or 60 s): mostly etcd or an admission webhook was too slow. The write may have happened nevertheless. Watches are not ended by it, but the same slowness makes lists time out and caches fall behind. Once is harmless; for minutes somebody has to look.',
    next: [
      'etcd: latency (wal_fsync, backend_commit); admission webhooks: apiserver_admission_webhook_admission_duration_seconds',
      'load of the apiserver at that time',
    ],
  },
];
