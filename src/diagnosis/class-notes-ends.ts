import type { ClassNote } from './class-note.ts';
import type { FindingClass } from './finding.ts';

type End =
  | 'server-timeout'
  | 'idle-cut-by-proxy'
  | 'age-cut-by-proxy'
  | 'silent-stall'
  | 'self-inflicted'
  | 'connection-lost'
  | 'apiserver-shutdown'
  | 'slow-watcher-terminated'
  | 'crd-changed'
  | 'ambiguous-end';

/** How a stream ended (cases/README §3C). */
export const END_NOTES = {
  'server-timeout': {
    meaning: 'The planned end of a watch. Nothing is wrong: every watch ends so, and goes on from its last RV.',
    signs: [
      'a proper end (last chunk, no ERROR) at the age of timeoutSeconds, within 2 s or 2 %',
      'without timeoutSeconds: a proper end after 30 to 60 min, differing each time (--min-request-timeout 1800 s × 1…2)',
      'with allowWatchBookmarks, one more bookmark about 2 s before it',
    ],
    confusedWith: [
      { class: 'age-cut-by-proxy', apart: 'a cap of the age is the same each time, and mostly no proper end' },
      { class: 'apiserver-shutdown', apart: 'an early end, and connections that are refused around it' },
    ],
    remedy: ['resume from the last RV: clients do it by themselves. Nobody has to be woken'],
    reproduce: { script: 'planned-end' },
  },
  'idle-cut-by-proxy': {
    meaning:
      'Something between client and apiserver (load balancer, proxy, NAT, firewall) ends connections on which nothing moved for a while.',
    signs: [
      'no proper end (reset, or closed without the last chunk), after the same silence each time, while the ages differ',
      'often a round number: 20, 30, 50, 60, 90, 100, 120, 240, 300, 350, 400 or 600 s',
      'twice is medium at most, three times and never otherwise is high; once is no proof',
      'a longer silence that was survived on the same way rules it out',
      'several watches of one run, each cut once, at different moments and after the same silence, have one timer on their way',
    ],
    confusedWith: [
      { class: 'age-cut-by-proxy', apart: 'there the ages are alike, and events were flowing' },
      { class: 'connection-lost', apart: 'a break that fits no timer' },
      { class: 'silent-stall', apart: 'a box that forgets a connection without a word leaves it open and dead' },
    ],
    remedy: [
      'allowWatchBookmarks=true: a bookmark a minute keeps any timer above 60 s from running out',
      'raise the idle timeout of the load balancer or proxy on the way (the silence that was measured names it)',
      "HTTP/2 pings (client-go's HTTP2_READ_IDLE_TIMEOUT_SECONDS, 30 s by default) or TCP keep-alive below that timeout",
      'kwatch probe RESOURCE --deep --via URL: is it there on the direct path as well?',
    ],
    reproduce: { script: 'idle-cut' },
  },
  'age-cut-by-proxy': {
    meaning: 'Something on the way caps how old a connection or a request may become, whether it is used or not.',
    signs: [
      'the same age at each end, though events were flowing and the silences before the ends differ',
      'the age is not timeoutSeconds',
      'two breaks are medium, three and never otherwise high; proper ends at one age count only from the third',
    ],
    confusedWith: [
      { class: 'server-timeout', apart: 'the age is the timeoutSeconds of the request' },
      { class: 'idle-cut-by-proxy', apart: 'there the silence before the cut is alike' },
    ],
    remedy: [
      'raise the request or connection limit of the proxy for watches (…?watch=…)',
      'timeoutSeconds below that age: then the watch ends properly, with a bookmark before it',
      'kwatch probe RESOURCE --deep --via URL: is it there on the direct path as well?',
    ],
    reproduce: { script: 'age-cut' },
  },
  'silent-stall': {
    meaning: 'The stream is open and dead: nothing more will come, and no error tells. The client serves old state.',
    signs: [
      'bookmarks came every minute, and three in a row fail to (two, where --control shows that the path lives)',
      'the stream outlives its timeoutSeconds by more than 10 s, in silence',
      'a second watch from the same RV gets events that this one does not',
      'HTTP/2 pings stay unanswered',
      'without bookmarks, silence alone proves nothing',
    ],
    confusedWith: [
      { class: 'healthy', apart: 'a quiet resource: bookmarks go on, and a second watch is as silent' },
      { class: 'self-inflicted', apart: 'our own process did not read, or was suspended' },
      { class: 'proxy-buffering', apart: 'held back, but it comes in the end' },
    ],
    remedy: [
      'restart the watch (and the client, where it does not notice): resume from the last RV',
      'timeoutSeconds in each watch, and a client-side deadline a little above it',
      'allowWatchBookmarks=true, and a watchdog on their rhythm',
      "HTTP/2 pings: client-go's HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS (30 s, 15 s)",
    ],
    reproduce: { script: 'silent-stall' },
  },
  'self-inflicted': {
    meaning: 'The client did it itself: it left, did not read, was suspended, or gave up by its own clock.',
    signs: [
      'the process did not read its socket, or its clock jumped (a suspended laptop, a paused container)',
      'the stream ended at the age of a client-side timeout, shorter than timeoutSeconds',
      'the stop was our own',
    ],
    confusedWith: [
      { class: 'slow-watcher-terminated', apart: 'there the server ended the stream, since we read too slowly' },
      { class: 'connection-lost', apart: 'our own deadline shows as an abort on our side, not as a reset from theirs' },
    ],
    remedy: [
      'no client-side timeout= on watches, or one above timeoutSeconds',
      'read without pause: work is done beside the reading loop, not in it',
      'CPU limits of the client: a throttled container does not read either',
    ],
    reproduce: {
      command:
        'kwatch local --no-story & sleep 1; kwatch tail pods --read-stall 10s --for 20s -s http://127.0.0.1:7410',
    },
  },
  'connection-lost': {
    meaning: 'The connection broke off, for a reason that cannot be seen from here.',
    signs: [
      'a reset, or closed without the last chunk, fitting no timer',
      'half a line at the end (sub truncated-event): cut in the middle of an event, which has to be thrown away',
    ],
    confusedWith: [
      { class: 'idle-cut-by-proxy', apart: 'the same silence before several cuts' },
      { class: 'age-cut-by-proxy', apart: 'the same age at several cuts' },
      { class: 'apiserver-shutdown', apart: 'an orderly stop ends streams properly; a killed apiserver does not' },
    ],
    remedy: [
      'resume from the last whole event or bookmark: clients do it by themselves, once is normal',
      'if it repeats: kwatch tail RESOURCE for an hour shows whether silence or age is alike',
      'several watches at one moment: look at what they share (node, proxy, apiserver)',
    ],
    reproduce: { script: 'connection-reset' },
  },
  'apiserver-shutdown': {
    meaning: 'That apiserver stopped in order, in a roll-out or a restart of its node. Others go on, or it comes back.',
    signs: [
      'HTTP/2 GOAWAY with NO_ERROR; the open streams live on for up to 60 s (--request-timeout) and end properly',
      '429 "The apiserver is shutting down, please try again later." with Retry-After: 5 and Connection: close',
      'a proper end, with connections refused before or just after it, and soon taken again',
    ],
    confusedWith: [
      { class: 'connection-lost', apart: 'broken off in the middle: killed, or its node is gone' },
      { class: 'cache-rebuilt', apart: 'only the watches of one resource ended, and no connection was refused' },
      { class: 'server-timeout', apart: 'the age is the planned one' },
    ],
    remedy: [
      'nothing: the client comes back by itself, to another apiserver or to the new one',
      'a 410 afterwards is normal: a new apiserver has a new watch cache',
      'unplanned: apiserver log, and kubectl get events -n kube-system',
    ],
    reproduce: { script: 'apiserver-shutdown' },
  },
  'slow-watcher-terminated': {
    meaning:
      'The watch cache dropped this client because it read too slowly: its queues were full, and everybody else would have had to wait for it.',
    signs: [
      'a proper early end, without ERROR, during a burst, while the socket was not read',
      'apiserver_terminated_watchers_total of the resource rises; it counts everybody’s watchers, so this is never high',
      'the resume is taken at once and starts with a backlog, or is refused by a ring that rolled over meanwhile',
      'apiserver log with -v=1: "Forcing … watcher close due to unresponsiveness"',
    ],
    confusedWith: [
      { class: 'cache-rebuilt', apart: 'all watches of the resource end, and the initializations counter rises' },
      { class: 'apiserver-shutdown', apart: 'other resources’ watches end too, connections are refused' },
    ],
    remedy: [
      'read faster: do the work beside the reading loop; a narrower selector; metadata only (PartialObjectMetadata)',
      'kubectl get --raw /metrics | grep apiserver_terminated_watchers_total: which resources?',
      'smaller objects, or fewer writes to them, where a burst is the reason',
    ],
    reproduce: { script: 'slow-reader' },
  },
  'crd-changed': {
    meaning:
      'The CustomResourceDefinition behind the resource was edited or removed: the apiserver builds its storage anew and ends every watch of it.',
    signs: [
      'a custom resource; a proper early end on a live connection',
      'then at once a 410 by a cache that begins anew, or a 404 where it was removed',
    ],
    confusedWith: [
      { class: 'cache-rebuilt', apart: 'the generation of the CRD did not change at that moment' },
      { class: 'not-a-watch', apart: 'a 404 from the beginning: the resource was never there' },
    ],
    remedy: [
      'kubectl get crd NAME -o yaml --show-managed-fields: metadata.generation, who wrote it when, status.conditions',
      'list again; watch the versions that are still served (spec.versions)',
      'operators that apply their CRDs in a loop: apply only what differs',
    ],
    reproduce: { none: 'kwatch local has built-in resources only' },
  },
  'ambiguous-end': {
    meaning: 'The end fits several classes. They are named in order, with what would decide.',
    signs: [
      'a proper early end without ERROR, alone: a rebuilt cache, a slow reader, a shutdown and a changed CRD look the same',
      'a cut after one long silence: once is no proof of an idle timer',
    ],
    confusedWith: [
      { class: 'cache-rebuilt', apart: 'initializations counter, before and after' },
      { class: 'slow-watcher-terminated', apart: 'apiserver_terminated_watchers_total, before and after' },
      { class: 'apiserver-shutdown', apart: 'were connections refused around it?' },
      { class: 'idle-cut-by-proxy', apart: 'a second and a third cut after the same silence' },
    ],
    remedy: [
      'kwatch tail RESOURCE with probes (no --no-probe), for longer: the next end decides more',
      'kubectl get --raw /metrics: may you read it? The counters decide most of these',
      'a client resumes from its last RV whatever it was',
    ],
    reproduce: {
      command: `kwatch local --no-story & sleep 1; kwatch tail pods --no-probe --once -s http://127.0.0.1:7410 & sleep 3; curl -X POST -H 'X-Kwatch-Control: 1' http://127.0.0.1:7411/kwatch/restart-apiserver`,
    },
  },
} as const satisfies Record<End, ClassNote> satisfies Partial<Record<FindingClass, ClassNote>>;
