import { OF_API, RESUMES } from './proxy-log.ts';
import type { Sentence } from './sentence.ts';

/** HAProxy: who ended it and when, two letters before the counts of connections (configuration manual, 8.5). */
function haproxy(flags: string): RegExp {
  // On stdout it has no name before it: its form of the time and of backend/server is enough.
  const head = 'haproxy\\[\\d+\\]: |\\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:[\\d:.]{12}\\] \\S{1,100} \\S{1,100}/\\S{1,100} ';
  return new RegExp(`(?:${head}).{1,300} ${flags}(?:[-A-Z]{2})? \\d+/\\d+/\\d+/\\d+/\\d+`);
}
/** The time in all, ms: the last of the timers. */
const HAPROXY_MS = /\/\+?(\d{1,9}) (?:\d{3} )?\d+ (?:\S{1,200} \S{1,200} )?[a-zA-Z]{2}(?:[-A-Z]{2})? \d+\/\d+/;

export const PROXY_LOG_SENTENCES: readonly Sentence[] = [
  {
    pattern: /upstream timed out \(\d+: [^)]{1,40}\) while reading upstream/,
    beside: OF_API,
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
    // The stream module: `ngx_stream_proxy_module.c`.
    pattern: /(?:upstream|client|connection) timed out \(\d+: [^)]{1,40}\) while proxying (?:and \w+ )?connection/,
    beside: OF_API,
    class: 'idle-cut-by-proxy',
    confidence: 'medium',
    harm: 'depends',
    others: ['age-cut-by-proxy'],
    title: 'nginx (as a TCP proxy) cut a quiet connection: proxy_timeout',
    text: `No byte passed in either direction for proxy_timeout (10 min by default), and nginx closed the connection to the apiserver with all watches on it. Clients see a cut without a proper end. ${RESUMES}`,
    next: [
      'proxy_timeout of the stream: longer than the watches (1h), or bookmarks and pings that keep it busy',
      'so_keepalive on the listener does not count: only bytes of the connection do',
    ],
  },
  {
    pattern:
      /upstream timed out \(\d+: [^)]{1,40}\) while (?:reading response header from|connecting to|SSL handshaking to) upstream|AH0(?:0898|0957|1102|1114|1084)\b|while SSL handshaking to upstream|no live upstreams while connecting to upstream|connect\(\) failed \(\d+: [^)]{1,60}\) while connecting to upstream|upstream prematurely closed connection while reading response header from upstream/,
    beside: OF_API,
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
      /upstream prematurely closed connection while (?:reading|sending)|recv\(\) failed \(\d+: [^)]{1,40}\) while (?:reading upstream|proxying connection)/,
    beside: OF_API,
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
    beside: OF_API,
    class: 'proxy-buffering',
    confidence: 'high',
    harm: 'act',
    title: 'nginx buffers the answers of the apiserver',
    text: 'An answer is collected on disk before it is passed on: events of a watch are held back, and come late or in lumps. It stays so until buffering is turned off for the API.',
    next: ['proxy_buffering off; for the location of the API'],
  },
  {
    pattern: /client prematurely closed connection|client \S{1,100} closed (?:keepalive )?connection/,
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away, HAProxy only notes it',
    text: 'The flags CD say that the client side closed or reset the connection: the client stopped, timed out by itself, or something between it and HAProxy cut.',
    next: ['the log of the client at that time'],
  },
  {
    pattern:
      /"statusDetails":\s*"(?:backend_timeout|backend_connection_closed\w*|failed_to_connect_to_backend|failed_to_pick_backend)"/,
    beside: OF_API,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['age-cut-by-proxy', 'connection-lost'],
    title: 'The Google load balancer ended it: statusDetails names why',
    text: 'backend_timeout: the timeout of the backend service was over (30 s by default), which bounds the whole life of a stream and cuts every watch at that age; backend_connection_closed: the backend broke off; failed_to_connect or pick: none is healthy.',
    next: ['timeoutSec of the backend service: an hour', 'health of its backends'],
  },
  {
    pattern: /"statusDetails":\s*"client_(?:disconnected|timed_out|cancelled)\w{0,40}"/,
    beside: OF_API,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away, the Google load balancer only notes it',
    text: 'statusDetails says that the client side ended the request before its answer was complete: it stopped, a timeout of its own was over, or something between it and the load balancer cut. A watch that its client ends looks so each time.',
    next: ['the log of the client at that time', 'latency in the line: the same each time is a timer of the client'],
  },
];
