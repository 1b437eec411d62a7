import { KUBERNETES, KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import { HEALS, type Sentence } from './sentence.ts';

/** Refusals: of the apiserver, and of what stands in front of it. */
export const ANSWER_SENTENCES: readonly Sentence[] = [
  {
    // apiserver `genericapiserver.go`: the steps of an orderly end.
    pattern: /\[graceful-termination\]/,
    class: 'apiserver-shutdown',
    confidence: 'high',
    harm: 'harmless-once',
    ordinary: true,
    title: 'An apiserver ends in order, and notes the steps of it',
    text: 'The apiserver was told to stop (a rollout, a restart of its node): it takes no new requests any more, ends its watches or waits for them, and exits. Their clients connect to another apiserver, or to this one once it is back, and go on from their last RV. Nobody has to be woken if it was meant to stop.',
    next: [
      'was it meant? A rollout, a failed liveness probe, a node that went down',
      'does it come back? readyz?verbose',
    ],
  },
  {
    // Programs that ask beforehand what they may do (SelfSubjectAccessReview): k9s and the like.
    pattern:
      /\bwatch\b[^\n]{0,40}\baccess denied\b|\b(?:list|get) access denied for user on\b|\baccess denied\b[^\n]{0,40}\bwatch\b/i,
    beside: KUBERNETES_BY_NAME,
    class: 'forbidden',
    confidence: 'medium',
    harm: 'act',
    title: 'The program says that it may not list or watch the resource',
    text: 'It asked the apiserver beforehand whether this user may list and watch the resource, in that namespace or in all, and takes the answer for a no. Mostly a role lacks a verb, or the role is of one namespace and all were asked for. It stays so until a role is bound, or another namespace is chosen.',
    next: [
      'kubectl auth can-i watch RESOURCE -n NAMESPACE, and with --all-namespaces',
      'the namespace that the program has chosen: is it one that this user may see?',
    ],
  },
  {
    pattern: /apiserver not ready|before all known HTTP paths have been installed/,
    class: 'apiserver-shutdown',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['watch-cache-not-ready'],
    title: 'The apiserver had just started and was not ready to answer',
    text: 'An apiserver turns requests away while it starts, until all of its paths are there. That belongs to a restart or a roll-out, lasts some seconds, and clients ask again by themselves: nobody has to be woken. For minutes: it does not come up, mostly since etcd does not answer.',
    next: [
      'kubectl get --raw "/readyz?verbose": which check fails, if it lasts',
      'was an apiserver restarted at that time?',
    ],
  },
  {
    pattern: /\bunknown \(get \w|Watch failed\\{0,4}" err=\\{0,4}"unknown\\{0,4}"/,
    class: 'forbidden',
    confidence: 'low',
    harm: 'depends',
    others: ['gateway-error'],
    title: 'The watch was refused, and the reason is lost; most often the verb watch is missing',
    text: '"unknown" is what client-go writes when a watch is refused and the answer could not be read. Where the list works and this repeats, a Role or ClusterRole mostly grants get and list but not the verb watch; a proxy that refuses streams looks the same. The line alone does not tell.',
    next: [
      'kubectl auth can-i watch RESOURCE --as=system:serviceaccount:NAMESPACE:NAME',
      'kubectl get --raw PATH?watch=1 with the same credential: what does the Status say?',
    ],
  },
  {
    // client-go: credentials that come from a program (exec), a provider or an OAuth server.
    pattern:
      /getting credentials: |exec plugin(?: is|:)|[Nn]o Auth Provider found for name|oauth2: (?:cannot fetch token|token expired|\\{0,4}"invalid_)|acquiring a token for authorization header/,
    beside: KUBERNETES,
    named: /executable ([\w./-]{1,100})|Auth Provider found for name \\{0,4}"([\w.-]{1,60})/,
    class: 'auth-expired',
    confidence: 'medium',
    harm: 'act',
    others: ['unreachable'],
    title: 'The client has no credential: the program or service that gives it out failed',
    text: 'The kubeconfig says that a program (exec) or a login service gives out the credential, and that failed: it is not installed, its own login has expired, or its service cannot be reached. The request was never sent; the apiserver had no part in it. The client tries for ever, and no watch takes place until the program works again.',
    next: [
      'run the exec command of the kubeconfig by hand, as the same user: what does it say?',
      'is it installed in the image, and in PATH? Has its own session (SSO, cloud login) expired?',
    ],
  },
  {
    pattern: /the server does not allow this method on the requested resource/,
    class: 'not-a-watch',
    confidence: 'high',
    harm: 'act',
    title: '405: this resource cannot be watched (or listed) at all',
    text: 'The API serves the resource but not this verb: reviews (subjectaccessreviews, tokenreviews), metrics and the like can be created or listed, not watched. It stays so; the program has to leave the resource out, or to poll it.',
    next: ['kubectl api-resources -o wide: has the resource the verbs list and watch?'],
  },
  {
    // The third is of Kubernetes 1.6 to 1.11, the last of a 403 whose Status was not read.
    pattern:
      /\bis forbidden: User |cannot (?:list|watch|get) resource \\{0,4}"[\w.*/-]{1,253}\\{0,4}"|\bUser \\{0,4}"[^"\n]{1,300}" cannot (?:list|watch|get) |\bForbidden: \\{0,4}"\/|the server does not allow access to the requested resource/,
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
    // Envoy's filter for JSON Web Tokens (Istio's RequestAuthentication), Google's Identity-Aware Proxy.
    pattern:
      /Invalid IAP credentials|\bJwt (?:is expired|is missing|verification fails|issuer is not configured|header)/,
    class: 'auth-expired',
    confidence: 'medium',
    harm: 'act',
    others: ['gateway-error'],
    title: '401 of a gateway in front: its own check of the token failed',
    text: 'These are words of a gateway (Envoy or a mesh that checks JWTs, Google’s IAP), not of the apiserver: the request did not get past it. "expired" is what it says, "missing" and "Invalid IAP credentials" mean that it wants a token of another kind than the client sends. Nothing is watched until the client brings one that the gateway takes.',
    next: [
      'which token does the client send, by whom issued, until when? (exp in it)',
      'RequestAuthentication and AuthorizationPolicy, or IAP, of that gateway; the apiserver past it',
    ],
  },
  {
    pattern:
      /(?:[Ww]atch\w*|[Ll]ist)\b[^\n]{0,600}\bUnauthorized\b|"reason\\{0,4}"\s*:\s*\\{0,4}"Unauthorized"|Unauthorized! |You must be logged in to the server|has asked for the client to provide credentials|Unable to authenticate the request/,
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
      /the server has received too many requests and has asked us to try again later|[Tt]oo many requests, please try again later/,
    class: 'apf-rejected',
    confidence: 'medium',
    harm: 'depends',
    others: ['apiserver-shutdown', 'watch-cache-not-ready'],
    title: '429: the apiserver turned the request away, too many at once',
    text: `Priority and fairness (or max-inflight) rejected it with Retry-After. ${HEALS} client-go writes the same of an apiserver that is shutting down. If it goes on, a flow schema is starved: somebody lists too much.`,
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
      /the server is currently unable to handle the request|the server was unable to return a response in the time allotted|the server cannot complete the requested operation at this time/,
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
    pattern: /falling back to (?:the (?:standard|previous) LIST(?:\/WATCH)? semantics|regular list)/i,
    class: 'request-rejected',
    confidence: 'high',
    harm: 'harmless-once',
    title: 'A list was not streamed to its end: the client falls back to LIST and WATCH',
    text: 'The client asked for a streamed list (sendInitialEvents), and got an error: mostly the server refuses it, since its WatchList feature is off (the error behind these words says so). It lists and watches as before, by itself: harmless, nobody has to act. It only costs the server a plain list.',
    next: ['WatchListClient: turn it off in the client, or WatchList on at the server'],
  },
  {
    pattern:
      /ListOptions\S{0,100} \S{0,100} ?is invalid: |resourceVersion: Invalid value|sendInitialEvents is forbidden for watch/,
    named: /Invalid value: "([^"\n]{1,80})"/,
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
  {
    // client-go `errors.NewGenericServerResponse` for a 500 whose body was empty or no Status.
    pattern: /an error on the server \(\\{0,4}"(?:unknown)?\\{0,4}"\) has prevented the request from succeeding/,
    class: 'gateway-error',
    confidence: 'low',
    harm: 'depends',
    others: ['storage-error', 'conversion-webhook-failed'],
    title: '500 without a word: a proxy in front, or an apiserver that failed before it could say why',
    text: 'client-go writes so where the answer was a 500 and its body was empty or no Status. An apiserver says what failed in a Status: so it is more likely something between the two, or an apiserver that broke off. The line does not tell which.',
    next: [
      'kubectl get --raw with the same path: which headers has the answer (Audit-Id is the apiserver’s), which body?',
      'apiserver log at that time: a panic?',
    ],
  },
  {
    pattern:
      /field label not supported|is not a known field selector|unable to parse requirement|couldn't parse the selector string/,
    named: /field label not supported: ([\w./-]{1,80})/,
    class: 'request-rejected',
    confidence: 'high',
    harm: 'act',
    title: '400: the selector of the request is not accepted',
    text: 'A field selector works only on the few fields that the resource offers (metadata.name and metadata.namespace on all, spec.nodeName and status.phase on pods, those that a CRD lists as selectableFields), and a label selector has a grammar of its own. The list or watch is refused each time until the program asks otherwise.',
    next: [
      'the fieldSelector and labelSelector that the program sends',
      'select by labels instead, or filter in the program; CRD: selectableFields',
    ],
  },
];
