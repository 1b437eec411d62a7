import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** What clients and programs outside of Go say of their own watches, where it is more than a broken connection. */
const GONE = {
  class: 'ambiguous-410',
  confidence: 'medium',
  refusedBy: 'unknown',
  harm: 'harmless-once',
  others: ['ring-buffer-expiry', 'upstream-compaction', 'cache-rebuilt'],
} as const;

/** A 410 that the program itself answers with a new list. */
export const RELIST_SENTENCES: readonly Sentence[] = [
  {
    ...GONE,
    pattern:
      /410 Gone encountered|Restarting the watch-stream for|#Watch expired, will re-list|ResourceVersion \d+ expired, will retry|Handling desync|getting 410 GONE responses/,
    title: '410: the history was gone, and this program lists again by itself',
    text: 'The program met a 410 (Gone, Expired) and does what is right: it drops its RV, lists again and watches from there (relist). It heals by itself; once, or now and then on a quiet resource, is normal and nobody has to act. The line does not say who refused, the watch cache or etcd; many of these in a row would mean that the new RV expires, too.',
    next: [
      'nothing is to be done for a single one; how often does it come? kwatch explain FILE counts it',
      'allowWatchBookmarks=true keeps the RV of a quiet watch young, where the client can ask for it',
    ],
  },
];

export const WATCHER_SENTENCES: readonly Sentence[] = [
  {
    pattern: /timed out waiting for events\. Restarting watch|#Read timeout retry list and watch/,
    class: 'self-inflicted',
    confidence: 'high',
    harm: 'harmless-once',
    others: ['silent-stall'],
    title: 'The client’s own read timeout ended a quiet watch, and it starts the next one',
    text: 'Nothing came for as long as the client waits for bytes (Airflow and the official Java client set such a timeout themselves): on a resource where little happens that is ordinary. It starts the next watch by itself, nothing is to be done. Only if changes are noticed late or never was the connection dead in that time.',
    next: ['nothing is to be done, unless changes are noticed late: then kwatch tail RESOURCE'],
  },
  {
    pattern: /Exhausted reconnects/,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'act',
    others: ['unreachable'],
    title: 'The watch has used up its reconnects and is closed for good',
    text: 'fabric8 tried as often as watchReconnectLimit allows and gives up: onClose is called with this exception, and nothing is watched any more unless the program opens a new watch (an informer too stops). Why the connections failed stands in the lines before.',
    next: [
      'the lines before: what was the cause of each failure?',
      'kubernetes.watch.reconnectLimit: -1 (no limit) is the default',
    ],
  },
  {
    pattern: /Expected HTTP 101 response but was '200|Expected HTTP 101 response but was '404/,
    class: 'not-a-watch',
    confidence: 'medium',
    harm: 'act',
    others: ['gateway-error', 'crd-changed'],
    title: 'The server did not open a WebSocket: no watch came about',
    text: 'fabric8 asks for its watches over WebSocket, and got an ordinary answer instead of 101. 200: something in front does not pass the upgrade on (a proxy without WebSocket support), or this API does not stream; 404: the resource is not served. It stays so until that is changed; newer fabric8 falls back to plain HTTP.',
    next: [
      'Upgrade and Connection headers through the proxy: does it pass WebSockets on?',
      'kubectl get --raw PATH?watch=1: does a plain watch work?',
    ],
  },
  {
    pattern: /WebSocket close received\. code: 100[01]\b/,
    class: 'server-timeout',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['apiserver-shutdown', 'ambiguous-end'],
    title: 'The server closed the WebSocket in order: the watch had come to its end',
    text: 'Code 1000 is a normal closure, as at the end of timeoutSeconds; 1001 says that the server goes away. The client opens the next watch: nothing is to be done. Only if it comes within a second of each start, and brings nothing, is something wrong (a stale RV on events looks so).',
    next: ['nothing is to be done, unless it comes again within seconds'],
  },
  {
    pattern: /Watch(?: connection)? error (?:received|recieved) \d+ times without progress/,
    beside: { test: (text) => !/Connect|refused|UnknownHost|SSL/.test(text) },
    named: /received (\d+ times)/,
    class: 'connection-lost',
    confidence: 'low',
    harm: 'depends',
    others: ['unreachable', 'gateway-error'],
    title: 'The watch fails again and again without an event in between',
    text: 'fabric8 counts the failures in a row of one watch: it has not got through since, so its program sees nothing new. It goes on trying by itself. The exception below the line names the cause.',
    next: ['the exception that follows: refused, reset, TLS, 503?', 'kwatch tail RESOURCE with the same credential'],
  },
  {
    pattern: /The last watch has yet to terminate as expected/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    title: 'fabric8 closed a watch, which did not end in time: it starts the next one anyhow',
    text: 'The client’s own bookkeeping: the old connection did not confirm that it was closed (a dead path, or a bug of its HTTP layer), and a new watch is opened in its place. Once is harmless.',
    next: ['often: update fabric8, or change its HTTP client (OkHttp, JDK, Vert.x)'],
  },
  {
    pattern: /Kubernetes client has been closed \(this is expected if the application is shutting down/,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['self-inflicted', 'ring-buffer-expiry', 'connection-lost'],
    title: 'Spark’s watch of its executors was closed',
    text: 'At the end of a job that is ordinary, as the line says itself. In a job that goes on, the watch was closed by an error (a 410, a cut), which stands below it: Spark then learns of its executors by polling only (every 30 s), or not at all in old versions.',
    next: [
      'is the application shutting down? Then nothing is to be done',
      'the exception that follows: too old resource version?',
    ],
  },
  {
    pattern: /Error while health checking kube watcher process|Unknown error in KubernetesJobWatcher/,
    beside: { test: (text) => !/ECONNRESET|ProtocolError|TimeoutError|ApiException|refused/.test(text) },
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['ring-buffer-expiry', 'connection-lost', 'self-inflicted'],
    title: 'Airflow’s watcher of pods died, and is started again',
    text: 'The scheduler noticed that its watcher process had ended, and starts a new one. Why stands before it in the log (a traceback: a 410, a cut connection). Once is harmless; in a loop, finished tasks are not noticed any more and pile up.',
    next: [
      'the traceback before it: ApiException (410), ProtocolError, ReadTimeoutError?',
      'does "my watch begins starting at resource_version" repeat with the same number? Then it loops',
    ],
  },
  {
    pattern: /Exception encountered parsing \w+ watch event/,
    class: 'connection-lost',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['ambiguous-end', 'server-timeout', 'malformed-stream'],
    title: 'fluentd’s metadata filter lost its watch and starts it again',
    text: 'The connection was closed while it read (the message says so itself), which also happens when a watch ends as planned. The filter waits some seconds and starts anew; after ten failures in a row fluentd ends, and its pod restarts.',
    next: [
      'often: age and silence of each end. A load balancer on the way?',
      'watch: false in the filter, where changed labels need not be seen',
    ],
  },
  {
    pattern: /Encountered '401 Unauthorized' exception in watch/,
    class: 'auth-expired',
    confidence: 'high',
    harm: 'harmless-once',
    title: '401: the token had expired, and the filter reads it again',
    text: 'The service account’s token was renewed on disk, and the old one was not accepted any more (Unauthorized). fluentd’s metadata filter makes a new client with the new token by itself: nothing is to be done, unless it comes again at once.',
    next: ['nothing is to be done for a single one'],
  },
  {
    pattern: /[Ww]atch\b.{0,60}\b(?:aborted|cancell?ed by (?:the )?(?:client|user))\b/,
    beside: { test: (text) => KUBERNETES.test(text) && !/(?<![=":])\b(?:[Ee]rror|failed)/.test(text) },
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    title: 'The client ended its watch itself',
    text: 'The program aborted its own request (a page was left, a selection changed, it is shutting down). Nothing was wrong with the stream.',
    next: ['does a new watch start after it? If not, the program no longer sees changes'],
  },
  {
    pattern:
      /Attempted to read past the end of the stream|does not contain any JSON tokens|This indicates that there are no instances of this resource/,
    beside: KUBERNETES,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['server-timeout', 'connection-lost'],
    title: 'The watch ended before it had brought a single event',
    text: 'The .NET client found the end of the answer where it looked for the first line: not a single event or bookmark had come. On a resource where nothing happens that is how a watch ends when its time is over (30 to 60 min if the client does not ask for less), and harmless; after a second or two something turns it away.',
    next: [
      'how old was the watch? Minutes: its planned end. Seconds: kwatch tail RESOURCE',
      'allowWatchBookmarks=true: then something comes each minute',
    ],
  },
  {
    pattern: /no metadata\.resourceVersion in watch result|\bNoResourceVersion\b/,
    class: 'rv-not-comparable',
    confidence: 'medium',
    harm: 'act',
    title: 'Objects without resourceVersion: this API cannot be watched as Kubernetes’ own',
    text: 'kube-rs got an object or a list that has no resourceVersion, so that it cannot tell where to go on: an aggregated API that does not support watches properly (metrics is one). It lists again each time, and never gets further.',
    next: [
      'kubectl get --raw PATH: is there a resourceVersion in metadata?',
      'poll this resource instead of watching it',
    ],
  },
  {
    pattern: /expected adjacently tagged enum WatchEvent|invalid type: string \\?"(?:kind|status|apiVersion)/,
    class: 'malformed-stream',
    confidence: 'medium',
    harm: 'depends',
    others: ['request-rejected', 'forbidden', 'gateway-error'],
    title: 'kube-rs read an error answer as if it were events',
    text: 'The server most likely refused the watch with a Status printed over several lines, and kube-rs took each line for an event: the real code and message are lost in this line (older versions of kube-rs do so). The stream itself is not broken.',
    next: [
      'kubectl get --raw with the same path, query and credential: what does the Status say?',
      'update kube-rs: newer versions look at the HTTP status first',
    ],
  },
  {
    pattern:
      /Watching API error proto: |proto: wrong wireType|unable to decode an event from the watch stream: invalid character (?!'<')|failed to decode watch event\b.{0,300}invalid character (?!'<')|Couldn't deserialize watch event|Received an error which is not a status|error decoding (?:watch )?event|HPE_INVALID|Parse Error: /,
    beside: KUBERNETES,
    class: 'malformed-stream',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost', 'gateway-error'],
    title: 'Something in the stream could not be read as an event',
    text: 'The client found bytes that are no whole event: a piece of one (the stream was cut or joined in the middle, as a proxy or tunnel on the way may do), an error page, or a type that this client is too old for. Most clients start again; if it comes again at once, what lies between damages the stream.',
    next: [
      'kubectl get --raw PATH?watch=1, directly and through the same way: is the line whole?',
      'update the client, if it is years older than the server',
    ],
  },
  {
    pattern:
      /JSONDecodeError: Expecting value: line 1 column 1|Unexpected token '?<|'<' is an invalid start of a value|Expected BEGIN_OBJECT but was STRING|Unexpected character \('<'|while parsing value: </,
    beside: KUBERNETES,
    class: 'gateway-error',
    confidence: 'low',
    harm: 'act',
    others: ['not-a-watch', 'malformed-stream'],
    title: 'What came was no JSON: most likely a web page',
    text: 'The client expected an event or a Status in JSON and got something else, with "<" an HTML page: of a login, a proxy, or an address that is no apiserver. No watch takes place until the request reaches the apiserver itself.',
    next: [
      'curl -i the same path with the same credential: who signs the page?',
      'an SSO, captive or forward proxy in between?',
    ],
  },
  {
    pattern: /#Failed to list-watch|Reflector loop failed unexpectedly/,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['unreachable', 'forbidden', 'connection-lost'],
    title: 'An informer of the Java client failed to list or to watch, and the line does not say why',
    text: 'The round of list and watch ended with an exception, and the informer begins the next one by itself after a second or so. The cause stands in the exception below the line (its HTTP response code: 401, 403, 404); without one it is lost. Once is harmless; again and again it fills no cache.',
    next: [
      'the exception that follows, with its HTTP response code',
      'kubectl auth can-i list RESOURCE, and watch, with the same credential',
    ],
  },
  {
    pattern:
      /Watching API error EOF|Watch \w[\w ]{0,40} unexpectedly closed: EOF|watch failed, kind: \w+, reason: ReadBodyError/,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['server-timeout', 'connection-lost', 'unreachable'],
    title: 'A watch ended, and the program does not say why',
    text: 'The program found its watch ended (EOF) and starts again. A watch that comes to its planned end looks so in this program, and so does one that was cut: the age of each would tell. Every 5 to 60 min and at different ages it is ordinary; at once after each start, or at a fixed age, it is not.',
    next: ['how far apart are they? kwatch explain FILE finds a rhythm', 'kwatch tail RESOURCE: what is the end?'],
  },
];
