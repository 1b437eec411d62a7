import { KUBERNETES } from './about-kubernetes.ts';
import { ADDRESS, HEALS, type Sentence } from './sentence.ts';
import { NO_NAME, NO_ROUTE, NOT_PERMITTED, REFUSED, SWALLOWED, UNREACHED_SOMEHOW } from './unreached.ts';

/** Connections of Go programs that were not made, or gave nothing (net, crypto/tls). Ordered: the client’s own limits and its proxy first. */
export const UNREACHED_SENTENCES: readonly Sentence[] = [
  {
    pattern: /\bdial tcp\b.{0,200}?: (?:socket: too many open files|connect: cannot assign requested address)/,
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'high',
    harm: 'act',
    others: ['unreachable'],
    title: 'The client’s own host had no socket left for the connection',
    text: 'Nothing was sent: "too many open files" is the limit of file descriptors of the process (a leak of connections or files, or a limit that is too low), "cannot assign requested address" that all local ports to this address are in use. The apiserver and the way to it have no part in it. It comes again until connections are given back.',
    next: [
      'ls /proc/PID/fd | wc -l, and ulimit -n of the process',
      'ss -tan | grep HOST:PORT: how many connections, in which state?',
      'does the program make a new client (transport) for each request?',
    ],
  },
  {
    pattern: /\bproxyconnect tcp: /,
    beside: KUBERNETES,
    named: ADDRESS,
    class: 'unreachable',
    confidence: 'high',
    harm: 'depends',
    others: ['gateway-error'],
    title: 'The HTTP proxy of the client could not be reached; the apiserver was not asked',
    text: `The client goes through a proxy (HTTPS_PROXY, or proxy-url in the kubeconfig), and no connection to that proxy came about. Nothing is known of the apiserver. ${HEALS} Should it go through a proxy at all? Addresses inside the cluster mostly must not.`,
    next: [
      'HTTPS_PROXY, NO_PROXY (service and pod networks in it?), proxy-url in the kubeconfig',
      'is the proxy up? nc -vz PROXY PORT',
    ],
  },
  {
    pattern:
      /\b(?:read|write) tcp .{3,150}?: (?:(?:read|write): )?(?:(?:connection|operation) timed out|i\/o timeout|no route to host|network is (?:down|unreachable))/,
    beside: KUBERNETES,
    class: 'silent-stall',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost', 'self-inflicted'],
    title: 'The connection had gone dead: nothing came back on an open one',
    text: 'The connection stood, and then what was sent (data or a keepalive) was not answered any more: something on the way forgot it (load balancer, NAT), or the other host went away without a goodbye. "i/o timeout" is a deadline that the program set itself, "no route to host" and its like what the network said of a host that has gone. A watch on it looked alive and brought nothing meanwhile. The client connects anew by itself; once is harmless, with a rhythm it is a timer on the way.',
    next: ['load balancers and NAT on the way: idle timeouts', 'did a node or an apiserver go away at that time?'],
  },
  {
    pattern: /remote error: tls: [a-z]/,
    beside: KUBERNETES,
    named: /(remote error: tls: [a-z ]{3,40})/,
    class: 'unreachable',
    confidence: 'medium',
    harm: 'act',
    others: ['auth-expired'],
    title: 'TLS: the other side broke off the handshake',
    text: 'An alert of the server: "bad certificate", "expired certificate", "unknown certificate authority" and "certificate required" are about the certificate of the client; "internal error", "unrecognized name" and "handshake failure" say that it has no certificate for this name, or no common version or cipher. kube-apiserver itself answers a bad client certificate with 401: an alert about it is more likely from a proxy, or from another server.',
    next: [
      'client-certificate(-data) in the kubeconfig: openssl x509 -noout -enddate -issuer',
      'openssl s_client -connect HOST:PORT -servername NAME: who answers?',
    ],
  },
  { ...NO_NAME, pattern: /\blookup [\w.-]{1,253}(?: on [\w.:[\]]{1,60})?: |no such host/ },
  { ...REFUSED, pattern: /connection refused/ },
  {
    ...NO_ROUTE,
    pattern: /no route to host|connect: network is (?:unreachable|down)|connect: host is (?:unreachable|down)/,
  },
  { ...NOT_PERMITTED, pattern: /connect: (?:operation not permitted|permission denied)/ },
  {
    ...SWALLOWED,
    pattern:
      /\bdial tcp\b.{0,200}?: (?:i\/o timeout|(?:connect: )?(?:connection|operation) timed out)|connected party did not properly respond/,
  },
  { ...UNREACHED_SOMEHOW, pattern: /i\/o timeout|\bdial tcp\b.{0,200}?: connect: [a-z]/ },
  {
    pattern:
      /\b(?:Get|Post|Put|Patch|Delete|GET) \\{0,4}"?https?:[^\s"]{1,1500}"?: (?:EOF|http: server closed idle connection)\b/,
    beside: KUBERNETES,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable', 'apiserver-shutdown'],
    title: 'The connection was closed before the first byte of an answer',
    text: `The request went out, and instead of an answer the connection was closed: an apiserver that stops or restarts, a load balancer that has no healthy one behind it, or an idle connection that was closed just as the client took it up again. No stream was running yet. ${HEALS} Once is harmless; minutes need somebody.`,
    next: [
      'was an apiserver rolled or killed at that time?',
      'the load balancer: are its targets healthy?',
      'how long did it last? kwatch explain FILE counts it',
    ],
  },
];
