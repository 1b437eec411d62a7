import { OF_API, RESUMES } from './proxy-log.ts';
import type { Sentence } from './sentence.ts';

/** Envoy: the flags of an answer follow its code in the usual format, and have a name of their own in JSON. */
function envoy(code: string, flags: string): RegExp {
  const line = `" ${code} (?:[A-Z]{2,5},)?(?:${flags})(?:,[A-Z]{2,5})? `;
  const json = `^(?=[^]{0,4000}"response_code": ?"?${code}\\b)(?=[^]{0,4000}"response_flags": ?"(?:[A-Z]{2,5},)?(?:${flags})[",])`;
  return new RegExp(`${line}|${json}`);
}

/** What Envoy notes in its access log, with the flags that tell who ended it. */
export const ENVOY_LOG_SENTENCES: readonly Sentence[] = [
  {
    pattern: envoy('2\\d\\d', 'SI'),
    beside: OF_API,
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
    beside: OF_API,
    class: 'age-cut-by-proxy',
    confidence: 'high',
    harm: 'act',
    title: 'Envoy cut a running stream at its route timeout',
    text: `The flag (UT, UMSDR, DT) says so itself: the route timeout (15 s by default) or a maximum duration bounds the whole life of a stream, however busy it is. Every watch is cut at that age. ${RESUMES}`,
    next: ['route timeout: 0s for the API', 'max_stream_duration, max_connection_duration'],
  },
  {
    pattern: envoy('2\\d\\d', 'UC|UR|LR|URX|UPE'),
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
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
    beside: OF_API,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'Envoy answered by itself: nothing came from the apiserver behind it',
    text: 'UF: no connection; UH: no healthy endpoint; UC, UR: it closed before headers; UT: no answer within the route timeout (15 s by default); NR: no route. Seconds of it are a restart behind Envoy, minutes need somebody.',
    next: ['endpoints and health of the upstream cluster', 'UT: route timeout 0s for the API'],
  },
];
