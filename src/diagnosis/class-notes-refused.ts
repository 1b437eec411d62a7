import type { ClassNote } from './class-note.ts';
import type { FindingClass } from './finding.ts';

type Refused =
  | 'apf-rejected'
  | 'watch-cache-not-ready'
  | 'auth-expired'
  | 'forbidden'
  | 'unreachable'
  | 'gateway-error'
  | 'not-a-watch'
  | 'request-rejected';

/** Refused before the stream (cases/README §3D). */
export const REFUSED_NOTES = {
  'apf-rejected': {
    meaning:
      'API Priority and Fairness turned the request away: the priority level it belongs to was full, and its queue too, or it waited there too long.',
    signs: [
      '429, plain text "Too many requests, please try again later.", Retry-After',
      'X-Kubernetes-PF-FlowSchema-UID and X-Kubernetes-PF-PriorityLevel-UID: which flow; they are on ordinary answers too and prove nothing alone',
    ],
    confusedWith: [
      { class: 'watch-cache-not-ready', apart: 'a JSON Status: "storage is (re)initializing"' },
      { class: 'apiserver-shutdown', apart: '"The apiserver is shutting down …", and Connection: close' },
      { class: 'gateway-error', apart: 'neither PF headers nor an Audit-Id: a rate limit in front of the apiserver' },
    ],
    remedy: [
      'kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected_requests_total: which level, and why',
      'kubectl get flowschemas,prioritylevelconfigurations: match the UIDs of the headers',
      'honour Retry-After; fewer clients that list everything at once (they fill the seats, watches only while they begin)',
    ],
    reproduce: { script: 'too-many-requests' },
  },
  'watch-cache-not-ready': {
    meaning:
      'The watch cache of this resource is being filled, or cannot be filled; requests for it are turned away meanwhile.',
    signs: [
      '429 with a Status: "storage is (re)initializing", and nothing behind it (1.31 and later; 1.30 lets the request wait)',
      '1.30 and before: 503 "context deadline exceeded", after waiting for as long as the watch was to last',
      '"apiserver cacher is stopped" (503, from 1.33 on 429): it was taken down, as where the CRD changed or the apiserver ends; a new one takes its place',
      'while the apiserver starts or the cache begins anew: some seconds. For longer: the apiserver cannot list from etcd',
    ],
    confusedWith: [
      { class: 'storage-error', apart: 'a cause stands behind those words: the last error of its own list' },
      { class: 'conversion-webhook-failed', apart: '"conversion webhook for …" stands behind those words' },
      { class: 'apf-rejected', apart: 'plain text instead of a Status' },
    ],
    remedy: [
      'wait: Retry-After says how long, 1 to 30 s; clients do by themselves',
      'longer than a minute: kubectl get --raw /readyz?verbose, apiserver log "unexpected ListAndWatch error"',
    ],
    reproduce: {
      none: 'kwatch local behaves as kube-apiserver 1.30, where such a request waits until the cache is filled; 1.31 and later refuse it',
    },
  },
  'auth-expired': {
    meaning:
      'The credential is no longer taken. It is checked when a request begins: a stream that is open lives on, its next attempt is refused.',
    signs: [
      '401 after requests with the same credential had been answered',
      'the exp of the token has passed; or it was revoked (pod or Secret deleted), or its signing key changed',
    ],
    confusedWith: [
      { class: 'forbidden', apart: '403: who you are is known, you may not' },
      { class: 'gateway-error', apart: 'a login page or a foreign 401: a proxy asks for its own credential' },
    ],
    remedy: [
      'kubectl auth whoami with the same credential',
      'read the token file anew for each request (kubelet renews projected tokens before they expire, after 48 min by default); a client that read it once keeps the old one',
      'exec plugins: run the command by hand, does it print a later expirationTimestamp?',
      'Date skew of the client or the apiserver: kwatch probe RESOURCE',
    ],
    reproduce: {
      command:
        'kwatch local --no-story --token right & sleep 1; kwatch tail pods --token wrong -s http://127.0.0.1:7410',
    },
  },
  forbidden: {
    meaning: 'The credential is good, and may not do this: list, get and watch are three permissions.',
    signs: [
      '403 Forbidden: "USER cannot watch resource "R" in API group "G" …"',
      'list works and watch does not: the verb watch is missing in the role',
      'cluster-wide is refused, a namespace is not: a RoleBinding where a ClusterRoleBinding is needed',
    ],
    confusedWith: [
      {
        class: 'auth-expired',
        apart: '401: the credential itself is refused; system:anonymous in a 403 means that none was sent',
      },
      { class: 'gateway-error', apart: 'a page instead of a Status: a proxy forbids it' },
    ],
    remedy: [
      'kubectl auth can-i watch RESOURCE -n NAMESPACE --as USER',
      'add the verb to the Role or ClusterRole: verbs: ["get", "list", "watch"]',
      'informers ask again for ever: somebody has to act',
    ],
    reproduce: { none: 'kwatch local lets everybody do everything' },
  },
  unreachable: {
    meaning:
      'There was no server to talk to: nobody listens, the name is not known, TLS fails, or no answer came within 10 s.',
    signs: [
      'connection refused, name not found, no route, a TLS failure, or no response headers within 10 s',
      'a short refusal just after a stream belongs to what ended that stream; so does one that began less than 10 s ago: nobody can say yet that it lasts',
      '"Client sent an HTTP request to an HTTPS server": http and https were mixed up',
    ],
    confusedWith: [
      { class: 'apiserver-shutdown', apart: 'a proper end before, and the refusal is soon over' },
      { class: 'gateway-error', apart: 'an answer came, from what stands in front' },
      { class: 'proxy-buffering', apart: 'headers come, after long, and with them all of the body' },
    ],
    remedy: [
      'kubectl get --raw /readyz -v=6, from the same place: address, DNS, TLS, one after the other',
      'within a cluster: kubectl get endpoints kubernetes, and the network policy of the client',
      'x509: --certificate-authority, the names in the certificate, its dates',
    ],
    reproduce: { script: 'unreachable' },
  },
  'gateway-error': {
    meaning: 'The answer was written by something in front of the apiserver: load balancer, ingress, proxy, tunnel.',
    signs: [
      '502, 503, 504 or 408 with a foreign body (HTML, plain text, its own JSON) and no Audit-Id header',
      'an Audit-Id shows that an apiserver answered; without one, most likely none did',
    ],
    confusedWith: [
      { class: 'unreachable', apart: 'no answer at all' },
      {
        class: 'apiserver-shutdown',
        apart: 'behind a gateway a stopping apiserver shows as a short row of 502 or 503',
      },
      { class: 'storage-error', apart: 'a Status with code 500 or 504 and an Audit-Id' },
    ],
    remedy: [
      'log of that gateway at this time: why had it no upstream, or why did it give up?',
      'its timeout for long requests: a watch is one answer of many minutes',
      'kwatch probe RESOURCE --via URL: the same questions on a path around it',
    ],
    reproduce: { script: 'bad-gateway' },
  },
  'not-a-watch': {
    meaning:
      'There was an answer, but no stream of events: the path, the method or a proxy made something else of the request.',
    signs: [
      '200 with a …List or one object: watch=1 was lost, or not sent',
      '405 MethodNotAllowed: this resource cannot be watched',
      '404: no such resource, version or path (a CRD that is not installed, an API version that is gone)',
      '200 with a page: a login form or a portal',
    ],
    confusedWith: [
      { class: 'crd-changed', apart: 'it was there before, and a watch of it lived' },
      { class: 'malformed-stream', apart: 'a stream, in which a line is no event' },
    ],
    remedy: [
      'kubectl api-resources --verbs=watch -o wide: is it listed, in which version?',
      'the URL as it was sent: ?watch=1 or ?watch=true must reach the apiserver',
      'after an upgrade: kubectl api-versions; a client that asks for a removed version asks for ever',
    ],
    reproduce: {
      command:
        "kwatch local --no-story & sleep 1; kwatch tail --raw '/apis/example.com/v1/orchards?watch=1' -s http://127.0.0.1:7410",
    },
  },
  'request-rejected': {
    meaning: 'The server does not take these parameters. Asking again in the same way does not help.',
    signs: [
      '400 BadRequest or 422 Invalid with a Status that names the parameter',
      'a field selector that this resource does not know; a resourceVersion that is no number (a watch answers it with 500, a LIST up to 1.32 with 400 or 500)',
      'sendInitialEvents without resourceVersionMatch=NotOlderThan, or on a server without WatchList',
    ],
    confusedWith: [
      {
        class: 'gateway-error',
        apart: 'a page without Status and Audit-Id: a proxy objects (size of headers, method)',
      },
      { class: 'not-a-watch', apart: 'the path is not known: 404 or 405' },
    ],
    remedy: [
      'read the message: it names the parameter',
      'kubectl get RESOURCE --field-selector … -w: does it take the same selector?',
      'a client newer than the server: turn its WatchListClient feature off',
    ],
    reproduce: { script: 'bad-selector' },
  },
} as const satisfies Record<Refused, ClassNote> satisfies Partial<Record<FindingClass, ClassNote>>;
