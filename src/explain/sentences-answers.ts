import { HEALS, type Sentence } from './sentence.ts';

/** Refusals: of the apiserver, and of what stands in front of it. */
export const ANSWER_SENTENCES: readonly Sentence[] = [
  {
    pattern: /\bunknown \(get \w/,
    class: 'forbidden',
    confidence: 'low',
    harm: 'depends',
    others: ['gateway-error'],
    title: 'The watch was refused, and the reason is lost; most often the verb watch is missing',
    text: '"unknown (get …)" is what client-go writes when a watch is refused and the answer could not be read. Where the list works and this repeats, a Role or ClusterRole mostly grants get and list but not the verb watch; a proxy that refuses streams looks the same. The line alone does not tell.',
    next: [
      'kubectl auth can-i watch RESOURCE --as=system:serviceaccount:NAMESPACE:NAME',
      'kubectl get --raw PATH?watch=1 with the same credential: what does the Status say?',
    ],
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
    pattern:
      /(?:[Ww]atch\w*|[Ll]ist)\b[^\n]{0,600}\bUnauthorized\b|"reason\\{0,4}"\s*:\s*\\{0,4}"Unauthorized"|Unauthorized! |You must be logged in to the server|has asked for the client to provide credentials|Invalid IAP credentials|\bJwt (?:is expired|is missing|verification fails)/,
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
      /the server is currently unable to handle the request|the server was unable to return a response in the time allotted/,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable'],
    title: 'A 503 or 504 that is not the apiserver’s own: a gateway or an aggregated API in front',
    text: 'client-go’s words for a bare 503 (currently unable) or 504 (in the time allotted): mostly of a proxy or load balancer between client and apiserver whose timeout was over or which found nobody behind it, or of the aggregation layer, when the backend of an aggregated API is gone; a slow list can be the cause of a 504, too. Other resources may work as ever.',
    next: [
      'kubectl get apiservices: an aggregated API that is not Available?',
      'the same request past the proxy: does the apiserver answer?',
      'the proxy’s log, and its timeouts for long requests',
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
    pattern: /the server could not find the requested resource|error parse: 404 page not found/,
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
];
