import type { Sentence } from './sentence.ts';

/** A line of a proxy's access log for a watch of Kubernetes: request and code, in the combined form and in the JSON of nginx and Traefik. */
function watchAnswered(codes: string): RegExp {
  const uri = '/apis?/\\S{1,1500}[?&]watch=(?:true|1|True)\\b';
  const combined = `"(?:GET|POST) ${uri}\\S{0,1500} HTTP/[\\d.]{1,3}" ${codes} `;
  const fields = `(?=[^]{0,4000}"(?:RequestPath|request_uri|uri|path)": ?"${uri})`;
  const json = `^${fields}(?=[^]{0,4000}"(?:DownstreamStatus|status)": ?"?${codes}\\b)`;
  return new RegExp(`${combined}|${json}`);
}

/** What access logs of nginx, Traefik and their like tell of watches. Envoy, HAProxy and load balancers have flags of their own. */
export const ACCESS_LOG_SENTENCES: readonly Sentence[] = [
  {
    pattern: watchAnswered('50[234]'),
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable', 'idle-cut-by-proxy'],
    title: 'A proxy’s access log: a watch was answered with 502, 503 or 504',
    text: 'The line is of a proxy between client and apiserver, and the watch got no stream: 502 and 503 mean that what is behind could not be reached or broke off, 504 that no headers came in its time (60 s by default in many). Mostly the proxy wrote the answer by itself; the code of its upstream, where it notes one, tells. Seconds of it are a restart behind the proxy, which clients survive; minutes need somebody.',
    next: [
      'the code of the upstream and the times in the same line: did the apiserver answer at all?',
      'the proxy’s error log at that time, and its timeouts for long requests',
    ],
  },
  {
    pattern: watchAnswered('499'),
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away before its watch was answered, nginx only notes it (499)',
    text: '499 is nginx’s own code for a client that closed the connection first: it stopped, a timeout of its own was over, or something between it and nginx cut. The apiserver did not refuse anything.',
    next: ['the log of the client at that time', 'the time in the line: the same again and again is a timer'],
  },
  {
    pattern: watchAnswered('410'),
    class: 'ambiguous-410',
    confidence: 'low',
    harm: 'depends',
    refusedBy: 'unknown',
    others: ['ring-buffer-expiry', 'upstream-compaction', 'cache-rebuilt'],
    title: 'A proxy’s access log: a watch was answered with 410',
    text: 'The history that was asked for is gone, and the access log does not say who refused it. An apiserver itself tells an expired watch inside an answer of 200: a 410 as the HTTP code comes from another kind of server, or something that rewrites answers. The remedy is the same: list again (relist) without resourceVersion, and watch from the RV of the new list.',
    next: [
      'list again (relist) without resourceVersion, and watch from the RV of the new list',
      'the log of that client (user agent)',
    ],
  },
];
