import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';
import { statedCodes } from './stated-codes.ts';

/** A line of an access log: that a request was answered so is ordinary work of a server (a 404 for one object, a 401 without a token). */
const ACCESS_LOG = /"?(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S{1,2000} HTTP\/\d|"verb":|round_trippers/;
/** The answer is about one object (it is not there, or what was sent is not valid): a request, no watch. */
const ONE_OBJECT =
  /\\{0,4}"[^"\n]{1,253}\\{0,4}" not found|\bis invalid: (?!resourceVersion|sendInitial|continue)|already exists|has been modified/;
const AGAIN = 'kubectl get --raw with the same path and credential: what does the Status say?';

type Words = Omit<Sentence, 'pattern'>;

/** What a code alone means, where a client has thrown the words away. */
const BY_CODE: Readonly<Record<string, Words>> = {
  '400': {
    class: 'request-rejected',
    confidence: 'medium',
    harm: 'act',
    title: '400: the request was not accepted as it is',
    text: 'The server (or a proxy before it) does not take the request: a parameter, a header or a body is wrong. The client has not kept the message that says which. It is refused each time until the program asks otherwise.',
    next: [AGAIN],
  },
  '401': {
    class: 'auth-expired',
    confidence: 'high',
    harm: 'act',
    title: '401: the apiserver does not accept the credential',
    text: 'The token or client certificate has expired, was revoked, or was never good; it is about who asks, not about what is allowed. A running stream is not cut by it, the next request is refused. A client that reads its credential again recovers by itself, others try for ever with the old one.',
    next: [
      'the service account’s token file: does the client read it again when it is renewed?',
      'kubectl auth whoami with the same credential',
    ],
  },
  '403': {
    class: 'forbidden',
    confidence: 'medium',
    harm: 'act',
    others: ['gateway-error'],
    title: '403: this client may not do what it asked for',
    text: 'Mostly a missing verb in RBAC (a watch needs list and watch); the client has not kept the message that names user and resource. A proxy that refuses WebSockets or the path answers 403, too. It stays so until somebody allows it.',
    next: ['kubectl auth can-i watch RESOURCE --as=system:serviceaccount:NAMESPACE:NAME', AGAIN],
  },
  '404': {
    class: 'not-a-watch',
    confidence: 'medium',
    harm: 'act',
    others: ['crd-changed', 'gateway-error'],
    title: '404: nothing is served at this path',
    text: 'The group, version or resource is not there: the CRD is not installed, this version of it is gone, or the address is not that of the apiserver. The client tries for ever.',
    next: ['kubectl api-resources: is the resource there, in this version?', AGAIN],
  },
  '405': {
    class: 'not-a-watch',
    confidence: 'medium',
    harm: 'act',
    title: '405: this resource cannot be watched',
    text: 'The API serves the resource but not this verb: aggregated APIs such as metrics can be listed and not watched. It stays so; the program has to poll.',
    next: ['kubectl api-resources -o wide: has the resource the verb watch?'],
  },
  '406': {
    class: 'request-rejected',
    confidence: 'medium',
    harm: 'act',
    others: ['not-a-watch'],
    title: '406: the server cannot answer in a form that the client accepts',
    text: 'The Accept header of the request asks for what this resource does not offer: protobuf of a custom resource, a table or metadata only of an old or aggregated API, a stream where there is none. It stays so until the client asks for application/json, too.',
    next: ['Accept and Content-Type of the client: application/json beside the others', AGAIN],
  },
  '422': {
    class: 'request-rejected',
    confidence: 'medium',
    harm: 'act',
    title: '422: the apiserver rejected the parameters of the request',
    text: 'The query itself is not allowed (resourceVersionMatch, sendInitialEvents and their like go together only so). The client has not kept the message. It is refused each time until the program asks otherwise.',
    next: [AGAIN],
  },
  '429': {
    class: 'apf-rejected',
    confidence: 'medium',
    harm: 'depends',
    others: ['apiserver-shutdown', 'watch-cache-not-ready'],
    title: '429: the apiserver turned the request away for now',
    text: 'Too many requests at once (priority and fairness), an apiserver that is shutting down, or a watch cache that is not ready: all three say 429, and the client has not kept the words that tell them apart. It comes with Retry-After; clients that wait get through. If it goes on for minutes, somebody has to look.',
    next: [
      'apiserver_flowcontrol_rejected_requests_total by flow_schema',
      'was an apiserver rolled at that time?',
      AGAIN,
    ],
  },
  '500': {
    class: 'storage-error',
    confidence: 'low',
    harm: 'depends',
    others: ['conversion-webhook-failed', 'request-rejected', 'gateway-error'],
    title: '500: the server could not do it, and the reason is lost',
    text: 'An apiserver says 500 when storage or a conversion fails, and for a resourceVersion that is no number; proxies say it, too. The client has not kept the message that tells which.',
    next: [AGAIN, 'apiserver log at that time'],
  },
};

const GATEWAY: Words = {
  class: 'gateway-error',
  confidence: 'medium',
  harm: 'depends',
  others: ['unreachable', 'apiserver-shutdown'],
  title: 'A gateway or an aggregated API did not answer',
  text: '502, 503 and 504 come from a proxy or load balancer before the apiserver, or from the aggregation layer when the backend of an API group is gone; an apiserver that starts or stops says 503 as well. The client has not kept the page or message that tells which. Seconds of it are a restart; minutes need somebody.',
  next: [
    'kubectl get apiservices: an aggregated API that is not Available?',
    'the same request past any proxy: does the apiserver answer?',
    AGAIN,
  ],
};

/** Explains a text by the code that it states, when none of its words is known. */
export function codeSentence(text: string): Sentence | undefined {
  if (ACCESS_LOG.test(text) || ONE_OBJECT.test(text) || !KUBERNETES.test(text)) return undefined;
  const { http_status, status_code } = statedCodes(text);
  const code = status_code ?? http_status ?? (/too many requests/i.test(text) ? '429' : undefined);
  if (code === undefined) return undefined;
  const words = BY_CODE[code] ?? (/^50[234]$|^52\d$/.test(code) ? GATEWAY : undefined);
  if (!words) return undefined;
  const title = words === GATEWAY ? `${code}: a gateway or an aggregated API did not answer` : words.title;
  return { pattern: /^/, ...words, title };
}
