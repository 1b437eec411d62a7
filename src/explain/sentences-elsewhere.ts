import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** Nothing tells of an apiserver or a watch. */
const ELSEWHERE = { test: (text: string): boolean => !KUBERNETES.test(text) };
const UNKNOWN = { class: 'unknown', confidence: 'low', harm: 'depends' } as const;
const NEXT = 'if it did come from a watch: give the lines around it, with the address or path that was asked for';

/** Words that look like trouble of a watch and are none: what they are, and that it is not known more. Asked last. */
export const ELSEWHERE_SENTENCES: readonly Sentence[] = [
  {
    ...UNKNOWN,
    pattern:
      /leaderelection\.go:\d|\b[Ll]eader ?election lost|failed to renew lease|error (?:retrieving|initially creating) (?:resource|leader election) lock|\bleader lease\b/,
    title: 'Leader election: a lease that is read and written, no watch',
    text: 'One of several copies of a program holds a lease and renews it every few seconds by plain requests. One that cannot renew it in time (an apiserver that does not answer, or a program that is starved of CPU) stops leading, and most programs end then and are restarted. No watch is involved, though the watches of that process end with it.',
    next: [
      'does the program restart again and again? Then latency of the apiserver and of etcd at those times',
      'CPU limits of the program: is it throttled?',
    ],
  },
  {
    pattern: /due to client-side throttling|[Tt]hrottling request took|client-side throttling/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    ordinary: true,
    title: 'The client waits by its own rate limiter (QPS, burst); the server said nothing',
    text: 'client-go keeps itself to so many requests a second (5, with a burst of 10, unless set otherwise) and delayed this one. Nobody refused it, and priority and fairness of the apiserver have no part in it. Running watches are not slowed down by it; starting many at once is.',
    next: ['QPS and Burst in rest.Config: higher, if the client starts too slowly'],
  },
  {
    // client-go `rest/with_retry.go`, and its debugging of requests.
    pattern: /Got a Retry-After \d{1,6}s response for attempt|round_trippers\.go:\d{1,4}\] GET \S{1,2000} 429 /,
    class: 'apf-rejected',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['apiserver-shutdown', 'watch-cache-not-ready'],
    ordinary: true,
    title: 'The server asked the client to come back later (Retry-After), and client-go does',
    text: 'A request was turned away with 429 (or 503) and Retry-After: too many at once (priority and fairness), an apiserver that is shutting down, or a watch cache that is not ready; the line does not tell which. client-go waits that long and asks again by itself, up to ten times: single ones are harmless.',
    next: [
      'many of them: apiserver_flowcontrol_rejected_requests_total by flow_schema',
      'was an apiserver restarted at that time?',
    ],
  },
  {
    ...UNKNOWN,
    pattern: /http: TLS handshake error from /,
    title: 'A server notes that somebody broke off the TLS handshake: no watch yet',
    text: 'The server’s side of a connection that did not come about. "remote error: tls: bad certificate" (or unknown authority) says that the client does not accept the certificate of this server; "EOF" and "connection reset" are mostly health checks of a load balancer that open a port and close it, and harmless; "client sent an HTTP request" is one that spoke plain HTTP.',
    next: [
      'the address in the line: whose is it? Its own log says which certificate it did not accept',
      'bad certificate: the CA that this client reads, against the one that signed the server’s certificate',
    ],
  },
  {
    ...UNKNOWN,
    pattern:
      /apply request took too long|slow fdatasync|\bSlow SQL \(|took too long(?: \(|.{0,40}(?:to execute|expected-duration))/,
    title: 'Storage was slow (etcd, kine): a cause of trouble with watches, but this line is of none',
    text: 'etcd (in K3s kine and its database) took longer over a request than it should: mostly a slow disk, or CPU and memory that others use, or a request that reads too much. Watches suffer when it lasts (caches that fall behind, lists that time out); this line alone is not about a watch.',
    next: [
      'etcd: latency of its disk (wal_fsync, backend_commit), load of its node',
      'which clients list without limit? apiserver audit log',
    ],
  },
  {
    ...UNKNOWN,
    pattern:
      /\\{0,4}"[^"\n]{1,253}\\{0,4}" (?:not found|already exists)|the object has been modified|Operation cannot be fulfilled|\bis invalid: \w+[.[]/,
    title: 'The answer to a request for one object: no watch',
    text: 'An object was not there (404), was there already or had changed meanwhile (409), or was not valid (422). The apiserver answered as it should, and clients try such a request again with the newest state. No watch is involved.',
    next: ['nothing is to be done, unless it never ends: then the program that writes the object'],
  },
  {
    ...UNKNOWN,
    pattern: /inotify|fsnotify|number of file watchers|file watch|FileSystemWatcher|\bnodemon\b|chokidar/,
    beside: ELSEWHERE,
    title: 'Another kind of watch: files, not resources of Kubernetes',
    text: 'These are the words of a program that watches files (inotify and its like). No watch of Kubernetes is in it.',
    next: ['inotify: fs.inotify.max_user_watches, max_user_instances on the node'],
  },
  {
    ...UNKNOWN,
    pattern:
      /googleapi: Error (?:403|429)|Quota exceeded|rateLimitExceeded|RequestLimitExceeded|ThrottlingException|\bSlowDown\b|[Rr]ate limit|TooManyRequestsException|Too Many Requests/,
    beside: ELSEWHERE,
    title: 'A limit of another service (a cloud, a registry, an API), not of the apiserver',
    text: 'Somebody’s quota or rate limit turned a request away. It is not a watch, and nothing says that it was Kubernetes’ own priority and fairness.',
    next: ['the quota or limit that the message names', NEXT],
  },
  {
    ...UNKNOWN,
    pattern: /\b410\b[\s\S]{0,80}\b(?:Gone|when requesting)|statusCode: 410/,
    beside: ELSEWHERE,
    title: 'A 410 of another server: what was asked for is gone there',
    text: 'HTTP 410 says that something no longer exists (an upload, a subscription, a page). No resourceVersion and no path of Kubernetes stands beside it: it is not about a watch as far as the text tells.',
    next: [NEXT],
  },
  {
    ...UNKNOWN,
    pattern: /haproxy\[\d+\]: .{1,300} (?:[cs][DHC]|S[DHC])(?:[-A-Z]{2})? \d+\/\d+\/|" \d{3} (?:U[A-Z]{1,4}|DC|SI) /,
    beside: ELSEWHERE,
    title: 'A proxy’s line about another service: not known to be a watch',
    text: 'A proxy (HAProxy, Envoy) notes that a request ended badly: its server did not answer, broke off, or a timer was over. The service behind it is not an apiserver as far as the line tells.',
    next: ['the service behind it', NEXT],
  },
  {
    ...UNKNOWN,
    pattern:
      /upstream (?:prematurely closed|timed out|connect error)|no (?:live upstreams|healthy upstream)|<center>(?:nginx|openresty)|<(?:title|h1)>[^<]{0,60}\b(?:50[234]|52\d|408)\b/i,
    beside: ELSEWHERE,
    title: 'A proxy (nginx, Envoy or the like) answered or failed: not known to be a watch',
    text: 'A proxy or load balancer (nginx, Envoy) says that the service behind it broke off or did not answer. Neither address nor path is one of Kubernetes’ API, so it is most likely another service’s request, not a watch.',
    next: ['the service behind that upstream', NEXT],
  },
  {
    ...UNKNOWN,
    pattern:
      /ECONNRESET|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|socket hang up|[Cc]onnection (?:reset|refused|aborted|broken|lost)|Read timed out|HttpClient\.Timeout|IncompleteMessage|ended prematurely|certificate verify failed/,
    beside: ELSEWHERE,
    title: 'A connection of a program failed: not known to be a watch',
    text: 'The words say that a connection was refused, broken or too slow. Any program says so of any server; nothing in the text is an address or a path of Kubernetes, so it is unknown whether a watch was hit, and more likely not.',
    next: [NEXT],
  },
];
