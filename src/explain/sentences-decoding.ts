import { KUBERNETES, KUBERNETES_SURELY } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** Objects that came whole and do not fit into the types of a program, and what a watched server says of broken-off answers. */
export const DECODING_SENTENCES: readonly Sentence[] = [
  {
    pattern:
      /cannot unmarshal \w+ into Go|ReadString: expects|ReadObject|ReadArray|readObjectStart: expect|no kind \\{0,4}"[^"\n]{1,100}" is registered for version|unable to decode watch event: (?!EOF|.{0,40}unexpected EOF)/,
    beside: {
      test: (text) => /\bwatch|\b[Ff]ailed to list\b|\breflector\b/.test(text) && KUBERNETES_SURELY.test(text),
    },
    named: /no kind \\{0,4}"([^"\\\n]{1,100})|Go (?:struct field|value of type) ([\w.]{1,120})/,
    class: 'malformed-stream',
    confidence: 'medium',
    harm: 'act',
    others: ['conversion-webhook-failed'],
    title: 'An object does not fit into the types of the program that watches it',
    text: 'The answer arrived, but the program could not read an object in it: a field has another type than the program knows (a CRD without a strict schema, or another version of it), or the kind is not registered in the program. Nothing was wrong with connection or server. It fails at such an object each time that it lists or watches the type, and may then see none of its objects.',
    next: [
      'the field or kind that the line names: which object has it so? kubectl get RESOURCE -A -o yaml',
      'version of the program against version of its CRDs; a schema in the CRD that forbids such values',
    ],
  },
  {
    pattern: /from the watch stream: got short buffer/,
    class: 'malformed-stream',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'The program could not read a whole event from the stream',
    text: 'The reader of frames in client-go found its buffer too short for the piece at hand, so that an event was not read whole. Old versions do so with large objects. The program lists and watches again; if it comes at once each time, it sees no changes.',
    next: ['update the program (client-go)', 'how large are the objects? kubectl get RESOURCE -A -o json | wc -c'],
  },
  {
    // apiserver `filters/wrap.go: withPanicRecovery`, `handlers/watch.go`.
    pattern: /[Tt]imeout or abort while handling.{0,1500}[?&]watch=(?:true|1)\b|unable to encode watch object/,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost', 'ambiguous-end'],
    title: 'The apiserver notes that a watch was broken off while it was served',
    text: 'The apiserver gave up the handling of a watch, mostly since the client had gone away (it stopped, was interrupted, or its connection was cut); behind an aggregated API also since the backend broke off. It is a note of the server and no fault of it. Many of one client, or of one aggregated API at fixed distances, are a timer on the way.',
    next: [
      'the log of the client (user agent in the audit log, by the audit ID)',
      'of an aggregated API (kubectl get apiservices): was its backend restarted?',
    ],
  },
  {
    pattern: /malformed HTTP (?:response|status code|version)/,
    beside: KUBERNETES,
    named: /(malformed HTTP (?:response|status code|version) \\{0,4}"[^"\n]{1,60})/,
    class: 'gateway-error',
    confidence: 'low',
    harm: 'act',
    others: ['unreachable', 'malformed-stream'],
    title: 'What answered does not speak HTTP as the client expects it',
    text: 'The first line of the answer is no HTTP/1 status line. Unreadable bytes in it mean that the port speaks TLS or HTTP/2 and was asked in plain HTTP/1; words of a page, that something in between wrote its answer carelessly. It stays so until address, scheme or proxy are corrected.',
    next: [
      'https:// or http:// in the server address, and the port: curl -v the same address',
      'HTTPS_PROXY, NO_PROXY: does it go through a proxy that it should not?',
    ],
  },
  {
    pattern: /RejectedExecutionException/,
    beside: { test: (text) => /\bio\.fabric8\.|\bi\.f\.k\.c\.|WatchConnectionManager|AbstractWatchManager/.test(text) },
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'fabric8 could not plan its reconnect: the client had been closed already',
    text: 'The watch wanted to reconnect, and the threads of its client no longer take work: somebody has closed the client, or the program stops. In a program that stops that is ordinary; in one that goes on nothing is watched any more by this client, until a new one is made.',
    next: [
      'is the program shutting down? Then nothing is to be done',
      'who closes the client? One per program, open as long as its watches',
    ],
  },
  {
    // Argo CD's gitops-engine and client-go's RetryWatcher, which need a list with an RV to begin from.
    pattern: /initial RV \\{0,4}".{0,40}" is not supported due to issues with underlying WATCH/,
    class: 'rv-not-comparable',
    confidence: 'high',
    harm: 'act',
    title: 'The list of this API has no resourceVersion: it cannot be watched from there',
    text: 'client-go’s RetryWatcher needs an RV to begin with, and the list had none (empty, or 0): an aggregated or virtual API that does not keep RVs. It is the same each time, and the program tries for ever, which costs memory and requests.',
    next: [
      'kubectl get --raw PATH: is metadata.resourceVersion empty?',
      'leave this resource out of what the program watches (Argo CD: resource.exclusions)',
    ],
  },
];
