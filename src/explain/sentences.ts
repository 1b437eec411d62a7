import type { Confidence, FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import type { Harm } from './explain.ts';

/** A sentence of a program, and what it means. Those of a 410 are diagnosis/known-texts.ts'. */
export interface Sentence {
  pattern: RegExp;
  /** What has to stand beside it: words that any program may say are no trouble of a watch by themselves. */
  beside?: RegExp;
  class: FindingClass;
  confidence: Confidence;
  harm: Harm;
  others?: readonly FindingClass[];
  refusedBy?: RefusedBy;
  /** Finds a name in the text that is worth telling: of a webhook, of a server that signed its page. */
  named?: RegExp;
  /** Ordinary work: in no group of a log. */
  ordinary?: true;
  title: string;
  text: string;
  next: readonly string[];
}

/** It is about a watch, a list, or an apiserver. */
const KUBERNETES = /watch|reflector|informer|failed to list|\/apis?\/|apiserver|kubernetes|:6443\b/i;

const HEALS = 'Informers and reflectors try again by themselves, with growing pauses.';

/** Ordered: the innermost cause that a text names comes before its wrappers (`decode`, `on the server`, `Timeout`). */
export const SENTENCES: readonly Sentence[] = [
  {
    pattern: /conversion webhook for /,
    named: /https:\/\/([\w.-]{1,200})/,
    class: 'conversion-webhook-failed',
    confidence: 'high',
    harm: 'act',
    title: 'A conversion webhook failed: objects of this type cannot be read',
    text: 'The apiserver has to convert stored objects to the version that was asked for, and the webhook of the CRD that does it could not be called. Every LIST and WATCH of the type fails until the webhook answers; the watch cache of the type cannot be filled either. It does not pass by itself.',
    next: [
      'kubectl get crd NAME -o yaml: spec.conversion.webhook names the service; has it endpoints?',
      'the certificate of the webhook: caBundle in the CRD and the served one',
    ],
  },
  {
    pattern: /PrevKv=nil/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'depends',
    title: 'etcd’s event lacked the previous value: the watch was ended',
    text: 'etcd had compacted the revision before a deletion while the watch was behind, so the event came without the previous value (PrevKv=nil), and the apiserver ends such a watch with a 500. Once is harmless: list again. Often: the apiserver or etcd is too slow for the writes.',
    next: [
      'list again without resourceVersion, and watch from the RV of the new list',
      'etcd and apiserver: latency at that time',
    ],
  },
  {
    pattern: /etcdserver: (?!mvcc: required revision has been compacted)/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'act',
    title: 'Storage behind the apiserver failed: etcd did not answer as it should',
    text: 'etcd itself reported an error (no leader, a request that timed out, no space): the apiserver passes it on, and its watch cache has to begin anew if its own watch was hit. Clients cannot mend it.',
    next: [
      'etcd: leader changes, disk latency (wal_fsync), space',
      'apiserver log: does "Terminating all watchers from cacher" follow?',
    ],
  },
  {
    pattern: /Terminating all watchers from cacher/,
    class: 'cache-rebuilt',
    confidence: 'high',
    harm: 'depends',
    title: 'The apiserver rebuilt a watch cache, and ended all its watchers',
    text: 'The cache of this resource lost its own watch on etcd (a compaction while it was behind, etcd trouble) and was re-initialised: all watches of the resource ended without an ERROR, and resumes may meet a 410, since the new history starts at a newer RV. Once is harmless, clients list again; again and again is trouble behind the apiserver.',
    next: [
      'apiserver log before it: "unexpected ListAndWatch error"? etcd slow?',
      'kubectl get --raw /metrics | grep watch_cache_initializations_total',
    ],
  },
  {
    pattern: /Forcing \S+ watcher close due to unresponsiveness/,
    class: 'slow-watcher-terminated',
    confidence: 'high',
    harm: 'depends',
    title: 'The apiserver closed a watcher that did not read fast enough',
    text: 'The queue of this watcher was full for longer than its share of the dispatch budget, so that it was closed for the sake of the others: the client sees a plain end. One after a burst is harmless, the client resumes; the same one again and again has a consumer that is too slow.',
    next: [
      'key and fields in the line: whose watch is it?',
      'read in one goroutine, work in another; narrow it by selectors',
    ],
  },
  {
    pattern: /storage is \(re\)initializing|apiserver cacher is stopped/,
    class: 'watch-cache-not-ready',
    confidence: 'high',
    harm: 'depends',
    title: 'The watch cache of this resource was not ready yet',
    text: `The apiserver was still filling the cache of the resource (it has just started, or rebuilds it) and turned the request away with Retry-After. ${HEALS} If it stays for minutes, the cache cannot be filled: etcd, decryption or a conversion webhook.`,
    next: ['apiserver log: "unexpected ListAndWatch error" for this resource', 'kubectl get --raw "/readyz?verbose"'],
  },
  {
    pattern: /\bis forbidden: User |cannot (?:list|watch|get) resource /,
    class: 'forbidden',
    confidence: 'high',
    harm: 'act',
    title: '403: this user may not list or watch the resource',
    text: 'The credential was accepted, but no Role or ClusterRole grants the verb on this resource. It stays so, and the client tries for ever, until somebody binds one. A reflector needs get, list and watch; cluster-wide, if it watches all namespaces.',
    next: [
      'kubectl auth can-i watch RESOURCE --as=USER (the user stands in the line)',
      'a ClusterRole with get, list, watch on the resource, bound to it',
    ],
  },
  {
    pattern: /x509: certificate (?:has expired|signed by unknown)/,
    beside: KUBERNETES,
    class: 'unreachable',
    confidence: 'medium',
    harm: 'act',
    others: ['auth-expired'],
    title: 'TLS: the server’s certificate is not accepted, so no request gets through',
    text: 'The client does not trust the certificate that it was shown: it has expired, or its CA is another one. Nothing is watched until the certificate is renewed, or the client knows the CA.',
    next: [
      'openssl s_client -connect HOST:PORT: notAfter, issuer',
      'kubeadm certs check-expiration; certificate-authority in the kubeconfig',
    ],
  },
  {
    pattern: /(?:[Ww]atch\w*|[Ll]ist)\b[^\n]*\bUnauthorized\b|"reason"\s*:\s*"Unauthorized"/,
    class: 'auth-expired',
    confidence: 'high',
    harm: 'act',
    title: '401: the apiserver does not accept the credential',
    text: 'The token or client certificate has expired, was revoked, or was never good. A client that reads its credential again recovers by itself; others try for ever with the old one.',
    next: [
      'the service account’s token file: is it read again when it is renewed?',
      'kubectl auth whoami with the same credential',
    ],
  },
  {
    pattern: /http2: client connection lost/,
    beside: KUBERNETES,
    class: 'silent-stall',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'The connection had gone dead: an HTTP/2 ping was not answered',
    text: `For 30 s nothing came, and a ping had no answer for another 15 s: whatever lies between dropped the connection without a word (load balancer, NAT, a node that froze), or the client itself was starved. All watches on that connection end together, and every informer lists again. Once is harmless; with a rhythm it is a timer on the way.`,
    next: [
      'did all reflectors of the process end in the same millisecond? Then it was one connection',
      'load balancers and NAT on the way: idle timeouts',
    ],
  },
  {
    pattern: /Certificate rotation detected|use of closed network connection|from the watch stream: context canceled/,
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    title: 'The client closed the watch itself',
    text: 'The connection was closed at this end: client-go does so when its certificate is rotated or its context ends. It lists and watches again at once; nothing is to be done.',
    next: ['the line before: "Certificate rotation detected", a shutdown?'],
  },
  {
    pattern: /Client\.Timeout or context cancellation|Client\.Timeout exceeded/,
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'act',
    title: 'The client’s own timeout cut the watch',
    text: 'A timeout for whole requests (rest.Config.Timeout, --request-timeout) bounds the reading of a watch too: it cuts every watch at that age, however healthy it is. It stays so until the setting is taken away.',
    next: ['rest.Config.Timeout: 0 for clients that watch', 'timeout= beside timeoutSeconds= in the request’s URL'],
  },
  {
    pattern: /http2: server sent GOAWAY/,
    beside: KUBERNETES,
    class: 'apiserver-shutdown',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The server asked to move to another connection (GOAWAY)',
    text: 'A GOAWAY without an error is a server or a proxy that goes away or spreads its load. The client connects anew; nothing is lost.',
    next: ['was an apiserver rolled at that time?'],
  },
  {
    pattern: /stream error: stream ID \d+|connection reset by peer|unexpected EOF|Premature close/,
    beside: KUBERNETES,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['ambiguous-end', 'idle-cut-by-proxy', 'age-cut-by-proxy'],
    title: 'The watch was cut in the middle',
    text: 'The stream ended without a proper end: a proxy or load balancer, a server that was killed, or the network. The line does not tell which: whether it comes at the same age or after the same silence each time does. A client that resumes from its last RV loses nothing.',
    next: ['kwatch tail RESOURCE: age and silence before each end', 'does it happen past the proxy, too?'],
  },
  {
    pattern: /Connection broken: InvalidChunkLength/,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost', 'server-timeout', 'idle-cut-by-proxy'],
    title: 'The answer ended without its last chunk',
    text: 'The Python client read on and the connection was closed before the chunk that ends an answer: a cut on the way (proxy, load balancer, server that was killed) looks so, and some servers end a watch like this when its time is over. The line does not tell which; the age of the watch would. Your program has to open the next watch itself.',
    next: [
      'how old was the watch, and how long silent? The same each time is a timer',
      'kwatch tail RESOURCE: what is the end?',
    ],
  },
  {
    pattern: /apiserver is shutting down/,
    class: 'apiserver-shutdown',
    confidence: 'high',
    harm: 'harmless-once',
    title: 'The apiserver is shutting down',
    text: 'An apiserver on its way out turns new requests away. The client tries again and reaches another one, or the same one once it is back.',
    next: ['was an apiserver rolled at that time?'],
  },
  {
    pattern:
      /the server has received too many requests and has asked us to try again later|Too many requests, please try again later/,
    class: 'apf-rejected',
    confidence: 'medium',
    harm: 'depends',
    others: ['apiserver-shutdown', 'watch-cache-not-ready'],
    title: '429: the apiserver turned the request away, too many at once',
    text: `Priority and fairness (or max-inflight) rejected it with Retry-After. ${HEALS} An apiserver that is shutting down says the same. If it goes on, a flow schema is starved: somebody lists too much.`,
    next: [
      'kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels',
      'apiserver_flowcontrol_rejected_requests_total by flow_schema',
    ],
  },
  {
    pattern:
      /[Cc]onnection refused|Connect call failed|ECONNREFUSED|TLS handshake timeout|no route to host|no such host|i\/o timeout/,
    beside: KUBERNETES,
    class: 'unreachable',
    confidence: 'high',
    harm: 'depends',
    title: 'No apiserver answered at this address',
    text: `The connection was refused or could not be made: the apiserver is down or restarting, or the way to it is. ${HEALS} Seconds are a restart; minutes need somebody.`,
    next: [
      'is the apiserver running, and is it the right address?',
      'how long did it last? kwatch explain FILE counts it',
    ],
  },
  {
    pattern:
      /hasn't received required bookmark event marking the end of initial events|awaiting required bookmark event/,
    class: 'watchlist-incomplete',
    confidence: 'high',
    harm: 'depends',
    title: 'A streamed list has not come to its end: the bookmark is missing',
    text: 'The client asked for the list as a stream (WatchList), and the bookmark that ends it has not come. The server may lag, or what lies between does not pass it on.',
    next: [
      'WatchListClient=false in the client: does a plain list work?',
      'a proxy in between: does it hold frames back?',
    ],
  },
  {
    pattern: /413 Request Entity Too Large/,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'act',
    title: '413: a proxy in front found the request body too large',
    text: 'A proxy (nginx writes such a page) refused the size of an upload before it reached the apiserver. It has to do with writes, not with watches, and stays until the limit is raised (client_max_body_size in nginx).',
    next: ['client_max_body_size: larger than the largest object (about 3 MB)'],
  },
  {
    pattern:
      /<(?:title|h1)>\s*50[0-4]\b|upstream connect error or disconnect\/reset before headers|the server is currently unable to handle the request|the server was unable to return a response in the time allotted/,
    named: /^server:\s*(\S{1,60})|<center>([\w./ -]{1,60})<\/center>\s*<\/body>/im,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable'],
    title: 'A proxy or load balancer in front answered, most likely not the apiserver',
    text: 'An answer like this comes from a gateway, proxy or load balancer between client and apiserver (nginx, Envoy, HAProxy and cloud load balancers write such pages), or from the aggregation layer, when what is behind it did not answer: 502 and 503 mean that it could not be reached, 504 that a timeout was over (60 s idle is the default of many). The request never reached the apiserver, or its answer never came back.',
    next: [
      'the same request past the proxy: does the apiserver answer?',
      'the proxy’s log, and its timeouts for long requests',
      'kubectl get apiservices: an aggregated API that is not Available?',
    ],
  },
  {
    pattern: /no stream serializers registered for|invalid character '<' looking for beginning of value/,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'act',
    others: ['not-a-watch', 'malformed-stream'],
    title: 'The answer was a web page, not a stream of events',
    text: 'The client got HTML where it expected frames: a login page or an error page of a proxy in front. No watch takes place until the request reaches the apiserver itself.',
    next: [
      'curl -i the same path with the same credential: who signs the page?',
      'an SSO or captive proxy in between?',
    ],
  },
  {
    pattern: /falling back to (?:the standard LIST\/WATCH semantics|regular list)/i,
    class: 'request-rejected',
    confidence: 'high',
    harm: 'harmless-once',
    title: 'The server does not stream lists: the client falls back to LIST and WATCH',
    text: 'The client asked for a streamed list (sendInitialEvents), which this server refuses unless its WatchList feature is on. It lists and watches as before, by itself: harmless, nobody has to act. It only costs the server a plain list.',
    next: ['WatchListClient: turn it off in the client, or WatchList on at the server'],
  },
  {
    pattern: /ListOptions\S* \S* ?is invalid: |resourceVersion: Invalid value|sendInitialEvents is forbidden for watch/,
    class: 'request-rejected',
    confidence: 'high',
    harm: 'act',
    title: 'The apiserver rejected the parameters of the request',
    text: 'The query itself is not allowed: a resourceVersion has to be a number, resourceVersionMatch goes with a watch only beside sendInitialEvents, and that needs the WatchList feature on the server. It is refused each time until the program asks otherwise (client-go falls back to a plain list by itself).',
    next: ['resourceVersion, resourceVersionMatch, sendInitialEvents: which of them does the program set?'],
  },
  {
    pattern: /the server could not find the requested resource/,
    class: 'not-a-watch',
    confidence: 'medium',
    harm: 'act',
    others: ['crd-changed'],
    title: '404: the server does not know this resource',
    text: 'The group, version or resource that is watched is not served: the CRD is not installed, or this version of it is gone. The client tries for ever.',
    next: [
      'kubectl api-resources: is the resource there, in this version?',
      'kubectl get crd NAME -o yaml: spec.versions, served',
    ],
  },
  {
    pattern: /Resyncing \S+ on \S+ due to timeout/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    title: 'The program resyncs its watch by its own timer',
    text: 'It ends and reopens each watch after a time of its own (a resync), and writes it as a failure. Nothing was lost, nothing is to be done.',
    next: ['nothing is to be done: its resync interval is a setting of the program'],
  },
  {
    pattern: /finished scheduled compaction|compact tree index/,
    class: 'healthy',
    confidence: 'high',
    harm: 'harmless-once',
    ordinary: true,
    title: 'etcd compacted its history, as it does every few minutes',
    text: 'A compaction is routine: revisions below the compacted one are gone, which is expected and harms nobody who is connected. Only a watch that starts below it meets a 410.',
    next: ['nothing is to be done'],
  },
  {
    pattern: /very short watch/,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost', 'storage-error', 'idle-cut-by-proxy'],
    title: 'The watch ended within a second and brought nothing',
    text: 'Something ends each watch at once: a proxy that cannot stream, an API server that does not support watch, a stale RV on a resource without cache, or retries that were cut. The line does not tell which.',
    next: ['kwatch tail RESOURCE: what is the end, and who sent the headers?'],
  },
  {
    pattern: /Watch close - \S+ total \d+ items received|"Watch close"/,
    class: 'server-timeout',
    confidence: 'high',
    harm: 'harmless-once',
    ordinary: true,
    title: 'A watch came to its planned end',
    text: 'The server ended the watch when its timeoutSeconds were over, and the client opens the next one. That is how watches work.',
    next: ['nothing is to be done'],
  },
];
