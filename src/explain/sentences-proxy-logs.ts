import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** Log lines of proxies in front of an apiserver. Without one beside them they are some other service's. */
const API = {
  test: (text: string): boolean =>
    KUBERNETES.test(text) || /kube(?!rnetes)|k8s(?!\.io)|api-?servers?\b|\bmasters?\b/i.test(text),
};
const RESUMES = 'A client that resumes from its last RV loses nothing.';

/** HAProxy: who ended it and when, two letters before the counts of connections (configuration manual, 8.5). */
function haproxy(flags: string): RegExp {
  // On stdout it has no name before it: its form of the time and of backend/server is enough.
  const head = 'haproxy\\[\\d+\\]: |\\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:[\\d:.]{12}\\] \\S{1,100} \\S{1,100}/\\S{1,100} ';
  return new RegExp(`(?:${head}).{1,300} ${flags}(?:[-A-Z]{2})? \\d+/\\d+/\\d+/\\d+/\\d+`);
}
/** The time in all, ms: the last of the timers. */
const HAPROXY_MS = /\/\+?(\d{1,9}) (?:\d{3} )?\d+ (?:\S{1,200} \S{1,200} )?[a-zA-Z]{2}(?:[-A-Z]{2})? \d+\/\d+/;

/** Envoy: the flags of an answer follow its code in the usual format, and have a name of their own in JSON. */
function envoy(code: string, flags: string): RegExp {
  const line = `" ${code} (?:[A-Z]{2,5},)?(?:${flags})(?:,[A-Z]{2,5})? `;
  const json = `^(?=[^]{0,4000}"response_code": ?"?${code}\\b)(?=[^]{0,4000}"response_flags": ?"(?:[A-Z]{2,5},)?(?:${flags})[",])`;
  return new RegExp(`${line}|${json}`);
}

export const PROXY_LOG_SENTENCES: readonly Sentence[] = [
  {
    pattern: /upstream timed out \(\d+: [^)]{1,40}\) while reading upstream/,
    beside: API,
    class: 'idle-cut-by-proxy',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'nginx cut a running answer: nothing came within proxy_read_timeout',
    text: `nginx in front of the apiserver ended a stream that had begun, since no byte came for proxy_read_timeout (60 s by default): a quiet watch is cut so each time, and its client sees an answer without an end. ${RESUMES}`,
    next: [
      'proxy_read_timeout: longer than the watches (3600s), or bookmarks asked for by the client (every 60 s)',
      'does it end at the same silence each time? kwatch tail RESOURCE',
    ],
  },
  {
    pattern:
      /upstream timed out \(\d+: [^)]{1,40}\) while (?:reading response header from|connecting to|SSL handshaking to) upstream|AH0(?:0898|0957|1102|1114|1084)\b|while SSL handshaking to upstream|no live upstreams while connecting to upstream|connect\(\) failed \(\d+: [^)]{1,60}\) while connecting to upstream|upstream prematurely closed connection while reading response header from upstream/,
    beside: API,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'The proxy got no answer from the apiserver behind it, and answered by itself',
    text: 'The upstream refused the connection, closed it before any header, or did not answer in time: nginx (and Apache) sends 502 (refused, closed, none left) or 504 (timed out) with a page of its own. Seconds of it are a restart of an apiserver; minutes need somebody.',
    next: [
      'is the apiserver behind upstream: (in the line) up?',
      'nginx: are all apiservers in the upstream, with fail_timeout?',
    ],
  },
  {
    pattern:
      /upstream prematurely closed connection while (?:reading|sending)|recv\(\) failed \(\d+: [^)]{1,40}\) while reading upstream/,
    beside: API,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['ambiguous-end', 'server-timeout', 'apiserver-shutdown'],
    title: 'What is behind nginx broke off a running answer',
    text: `nginx was reading the stream when its upstream (the apiserver, or another proxy before it) closed the connection without the last chunk: a server that was stopped, or a timer further on. nginx itself did not cut it. ${RESUMES} Once is harmless.`,
    next: [
      'was the apiserver behind upstream: (in the line) restarted at that time?',
      'how old was the stream? The same age each time is a timer',
    ],
  },
  {
    pattern: /upstream response is buffered to a temporary file/,
    beside: API,
    class: 'proxy-buffering',
    confidence: 'high',
    harm: 'act',
    title: 'nginx buffers the answers of the apiserver',
    text: 'An answer is collected on disk before it is passed on: events of a watch are held back, and come late or in lumps. It stays so until buffering is turned off for the API.',
    next: ['proxy_buffering off; for the location of the API'],
  },
  {
    pattern: /client prematurely closed connection|client \S{1,100} closed (?:keepalive )?connection/,
    beside: API,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away, and nginx closed the connection behind it',
    text: 'The client side ended the request: it stopped, timed out by itself, or something between it and nginx cut. To nginx that is ordinary, the client’s own log says why.',
    next: ['the log of the client at that time'],
  },
  {
    pattern: haproxy('s[DL]'),
    beside: API,
    named: HAPROXY_MS,
    class: 'idle-cut-by-proxy',
    confidence: 'medium',
    harm: 'depends',
    others: ['age-cut-by-proxy'],
    title: 'HAProxy cut a running stream: the server was silent for timeout server',
    text: `The flags sD say that HAProxy’s own timer ended it while data was passing: nothing came from the apiserver for timeout server (timeout tunnel for TCP). A quiet watch is cut so each time. ${RESUMES} The last timer of the line is its whole life in ms.`,
    next: [
      'timeout server and timeout client: longer than the watches (an hour), or bookmarks asked for by the client',
    ],
  },
  {
    pattern: haproxy('c[DL]'),
    beside: API,
    named: HAPROXY_MS,
    class: 'idle-cut-by-proxy',
    confidence: 'medium',
    harm: 'depends',
    others: ['age-cut-by-proxy'],
    title: 'HAProxy cut a running stream: the client was silent for timeout client',
    text: `The flags cD say that HAProxy’s own timer ended it: the client sent nothing for timeout client, which is what every client of a watch does. ${RESUMES} The last timer of the line is its whole life in ms.`,
    next: ['timeout client and timeout server: longer than the watches (an hour)'],
  },
  {
    pattern: haproxy('[sSP][HCR]'),
    beside: API,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'HAProxy got no answer from the apiserver behind it, and answered by itself',
    text: 'sH: no headers within timeout server (504 to the client); SH: closed before headers (502); SC and sC: no connection (503). A watch on a quiet resource behind something that holds headers back looks like sH, too.',
    next: ['health checks of the backend: which apiservers are up?', 'timeout server, timeout connect'],
  },
  {
    pattern: /backend \S{1,100} has no server available|Server \S{1,100} is DOWN, reason/,
    beside: API,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'HAProxy takes an apiserver for dead: its health check failed',
    text: 'The check of this server failed, and HAProxy sends nothing there any more; with no server left it answers 503 to everybody. One of several that goes and comes is a restart; none left, or one that stays down, needs somebody.',
    next: ['is that apiserver up? curl -k https://HOST:6443/readyz', 'the check: does it ask /readyz over TLS?'],
  },
  {
    pattern: haproxy('SD'),
    beside: API,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['apiserver-shutdown', 'ambiguous-end'],
    title: 'The server behind HAProxy broke off a running stream',
    text: `The flags SD say that the server side closed or reset the connection while data was passing: an apiserver that was stopped, or something behind HAProxy. HAProxy itself did not cut it. ${RESUMES}`,
    next: ['was that apiserver (its name stands after the backend) restarted at that time?'],
  },
  {
    pattern: haproxy('C[DHCR]'),
    beside: API,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away, HAProxy only notes it',
    text: 'The flags CD say that the client side closed or reset the connection: the client stopped, timed out by itself, or something between it and HAProxy cut.',
    next: ['the log of the client at that time'],
  },
  {
    pattern: envoy('2\\d\\d', 'SI'),
    beside: API,
    class: 'idle-cut-by-proxy',
    confidence: 'high',
    harm: 'depends',
    title: 'Envoy cut a quiet stream: stream_idle_timeout',
    text: `The flag SI says so itself: no byte passed for stream_idle_timeout (5 min by default). Quiet watches are cut each time. ${RESUMES}`,
    next: [
      'stream_idle_timeout: 0, or longer than the watches',
      'bookmarks (allowWatchBookmarks) keep a watch from being silent',
    ],
  },
  {
    pattern: envoy('2\\d\\d', 'UT|UMSDR|DT'),
    beside: API,
    class: 'age-cut-by-proxy',
    confidence: 'high',
    harm: 'act',
    title: 'Envoy cut a running stream at its route timeout',
    text: `The flag (UT, UMSDR, DT) says so itself: the route timeout (15 s by default) or a maximum duration bounds the whole life of a stream, however busy it is. Every watch is cut at that age. ${RESUMES}`,
    next: ['route timeout: 0s for the API', 'max_stream_duration, max_connection_duration'],
  },
  {
    pattern: envoy('2\\d\\d', 'UC|UR|LR|URX|UPE'),
    beside: API,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['apiserver-shutdown'],
    title: 'The upstream of Envoy broke off a running stream',
    text: `The flag (UC, UR) says that the upstream, the apiserver or what stands before it, ended the connection or reset the stream after the answer had begun. Envoy itself did not cut it. ${RESUMES} Once is harmless.`,
    next: ['was the upstream (the address in the line) restarted at that time?'],
  },
  {
    pattern: envoy('(?:2\\d\\d|0|499)', 'DC|DPE|DR'),
    beside: API,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away, Envoy only notes it',
    text: 'The flag DC says that the client side ended the connection: the client stopped, timed out by itself, or something between it and Envoy cut.',
    next: ['the log of the client at that time'],
  },
  {
    // A TCP proxy: neither method nor code.
    pattern: /"- - -" 0 (?:[A-Z]{2,5},)?(?:UF|UH|NC|UO|NR)(?:,[A-Z]{2,5})? /,
    beside: API,
    named: /" (\d{1,3}(?:\.\d{1,3}){3}:\d{2,5})" /,
    class: 'unreachable',
    confidence: 'medium',
    harm: 'depends',
    others: ['gateway-error'],
    title: 'Envoy (a sidecar) could not connect to where the client wanted to go',
    text: 'Envoy passes this connection on as plain TCP, and no connection to the address came about: UF: refused or not in time, URX: nor when it was tried again; UH: no healthy endpoint; NR and NC: it knows no such destination. Seconds of it are a restart behind Envoy; minutes need somebody.',
    next: [
      'is that address up, from a pod without sidecar?',
      'a mesh before the apiserver: traffic.sidecar.istio.io/excludeOutboundIPRanges',
    ],
  },
  {
    pattern: envoy('5\\d\\d', 'UT|UC|UF|UH|UR|NR|URX|LR|UO|NC|SI'),
    beside: API,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'Envoy answered by itself: nothing came from the apiserver behind it',
    text: 'UF: no connection; UH: no healthy endpoint; UC, UR: it closed before headers; UT: no answer within the route timeout (15 s by default); NR: no route. Seconds of it are a restart behind Envoy, minutes need somebody.',
    next: ['endpoints and health of the upstream cluster', 'UT: route timeout 0s for the API'],
  },
  {
    pattern:
      /"statusDetails":\s*"(?:backend_timeout|backend_connection_closed\w*|failed_to_connect_to_backend|failed_to_pick_backend)"/,
    beside: API,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['age-cut-by-proxy', 'connection-lost'],
    title: 'The Google load balancer ended it: statusDetails names why',
    text: 'backend_timeout: the timeout of the backend service was over (30 s by default), which bounds the whole life of a stream and cuts every watch at that age; backend_connection_closed: the backend broke off; failed_to_connect or pick: none is healthy.',
    next: ['timeoutSec of the backend service: an hour', 'health of its backends'],
  },
];
