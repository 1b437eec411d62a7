import { KUBERNETES } from './about-kubernetes.ts';
import { ADDRESS, type Sentence } from './sentence.ts';
import { NO_NAME, NO_ROUTE, REFUSED, SWALLOWED, UNREACHED_SOMEHOW } from './unreached.ts';

/**
 * Connections in the words of Node, Python, Java, Rust, .NET and Ruby. Ordered: names and certificates before connections that were
 * refused, own timers and dead paths before cuts, since those words wrap these.
 */
export const SOCKET_SENTENCES: readonly Sentence[] = [
  {
    pattern: /HttpClient\.Timeout of/,
    beside: KUBERNETES,
    named: /\b(HttpClient\.Timeout of [\d.]+ seconds)/,
    class: 'self-inflicted',
    confidence: 'high',
    harm: 'act',
    title: 'The client’s own timeout cut the watch: HttpClient.Timeout',
    text: 'HttpClient.Timeout of .NET bounds a whole request, the reading of a stream too: it cuts every watch at that age, however healthy and busy it is. The server did not time out. It stays so until the setting is taken away for watches.',
    next: [
      'HttpClient.Timeout: Timeout.InfiniteTimeSpan for the client that watches (KubernetesClientConfiguration.HttpClientTimeout)',
    ],
  },
  {
    pattern:
      /\bAbortError\b|user aborted a request|OperationCanceledException|operation was cancell?ed|: Operation canceled\b|I\/O operation has been aborted|Client Closed Request|canceled by remote|caused by: context canceled/,
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client itself cancelled the request',
    text: 'The program (or the client behind the proxy that writes this) ended its own request: it is shutting down, a token was cancelled, a page was left, or a timeout of its own was over. The server did not cut it.',
    next: [
      'is the program shutting down? Then nothing is to be done',
      'a timeout of the client: HttpClient.Timeout, AbortSignal.timeout?',
    ],
  },
  {
    pattern: /GOAWAY received|received GOAWAY/i,
    beside: KUBERNETES,
    class: 'apiserver-shutdown',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The server asked to move to another connection (GOAWAY)',
    text: 'A server or a proxy that goes away, or spreads its load, says GOAWAY on HTTP/2. Some clients (the JDK’s) fail the running requests by it; the next ones go out on a new connection. Once, and now and then, is harmless.',
    next: ['was an apiserver rolled at that time? (--goaway-chance sends some of these without any reason)'],
  },
  {
    ...NO_NAME,
    pattern:
      /ENOTFOUND|EAI_AGAIN|UnknownHostException|NameResolutionError|Name or service not known|[Nn]ame resolution|failed to lookup address|dns error|No such host is known|nodename nor servname/,
  },
  {
    pattern:
      /PKIX path building|CERTIFICATE_VERIFY_FAILED|certificate verify failed|unable to verify the first certificate|UNABLE_TO_VERIFY|self[- ]signed certificate|DEPTH_ZERO_SELF_SIGNED|CERT_HAS_EXPIRED|InvalidCertificate|invalid peer certificate|remote certificate is invalid|SSL connection could not be established|ERR_TLS_CERT_ALTNAME|\bCertificateError\b|SSLPeerUnverifiedException|does not match certificate's altnames/,
    beside: KUBERNETES,
    named: ADDRESS,
    class: 'unreachable',
    confidence: 'high',
    harm: 'act',
    others: ['auth-expired'],
    title: 'TLS: the client does not accept the certificate that it was shown',
    text: 'The certificate has expired, names another host, or its CA is not known to the client (the cluster’s own CA, or that of a proxy which opens TLS). No request gets through, and it stays so until the CA or the certificate is replaced.',
    next: [
      'openssl s_client -connect HOST:PORT: issuer, names, notAfter',
      'the CA that the client reads: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt, or certificate-authority in the kubeconfig',
    ],
  },
  {
    pattern: /sent ping but didn't receive pong/,
    class: 'silent-stall',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'The connection had gone dead: a WebSocket ping was not answered',
    text: 'OkHttp sends a ping every 30 s, and this one had no pong: something on the way dropped the connection without a word (load balancer, NAT, a node that froze). Earlier pings in the line were answered, so that it was alive before. Once is harmless; with a rhythm it is a timer on the way.',
    next: [
      'load balancers and NAT on the way: idle timeouts',
      'did other connections of the process end at the same moment?',
    ],
  },
  {
    pattern:
      /Error reading events stream[^\n]{0,400}\b(?:timed out|deadline)|timeout in poll|WatchFailed[^\n]{0,400}(?:TimedOut|timed out|deadline has elapsed)/,
    class: 'silent-stall',
    confidence: 'medium',
    harm: 'depends',
    others: ['self-inflicted', 'connection-lost'],
    title: 'Nothing came for longer than the watch was to live: the path is dead, or the server hangs',
    text: 'kube-rs asks for watches of 290 s and gives up reading after 295 s of silence: a live server would have ended it by then, or sent a bookmark. So the connection was dead on the way (load balancer, NAT), unless the program set a shorter read timeout itself.',
    next: [
      'load balancers and NAT on the way: idle timeouts below 290 s',
      'read_timeout of the client’s Config: is it set?',
    ],
  },
  {
    pattern: /read ETIMEDOUT|'ETIMEDOUT'|Connection timed out \(os error 110\)|\[Errno 110\]|code: 110, kind: TimedOut/,
    beside: {
      test: (text) =>
        KUBERNETES.test(text) &&
        !/connect ETIMEDOUT|syscall: 'connect'|[Ff]ailed to establish|tcp connect error/.test(text),
    },
    class: 'silent-stall',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'The connection had gone dead: TCP got no answer from the other side',
    text: 'ETIMEDOUT on an open connection: what was sent (or a keepalive) was not acknowledged for minutes. Something on the way forgot the connection, or the other host went away without a goodbye. For all that time the watch looked alive and brought nothing.',
    next: ['load balancers and NAT on the way: idle timeouts', 'TCP keepalive of the client: shorter than they are'],
  },
  {
    pattern: /UND_ERR_BODY_TIMEOUT|Body Timeout Error/,
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'high',
    harm: 'act',
    others: ['silent-stall'],
    title: 'undici’s own bodyTimeout cut the watch',
    text: 'undici (fetch of Node) ends an answer after 300 s without a byte unless told otherwise. A quiet watch is cut so each time, however healthy it is; bookmarks every minute would keep it alive. It stays so until the setting is changed.',
    next: ['bodyTimeout: 0 for watches (Agent of undici)', 'allowWatchBookmarks=true: a byte a minute'],
  },
  {
    ...REFUSED,
    pattern:
      /ECONNREFUSED|[Cc]onnection refused|ConnectionRefused|actively refused|did you specify the right host or port/,
  },
  { ...NO_ROUTE, pattern: /EHOSTUNREACH|ENETUNREACH|No route to host|Network is unreachable/ },
  {
    ...SWALLOWED,
    pattern:
      /connect ETIMEDOUT|ConnectTimeoutError|UND_ERR_CONNECT_TIMEOUT|(?:establish a new connection|tcp connect error)[^\n]{0,100}timed out/,
  },
  {
    ...UNREACHED_SOMEHOW,
    pattern:
      /ConnectException|[Ff]ailed to connect to|Connect call failed|Failed to establish a new connection|syscall: 'connect'|tcp connect error|error trying to connect|Watch get connect exception|upstream connection initialization error|Cannot connect to host \S{1,200} ssl:\S{1,100} \[(?!Connection reset)|Couldn't connect to server/,
  },
  {
    pattern:
      /HttpConnectTimeoutException|connect timed out|Timed out connecting|hyper::Error\(Connect|error trying to connect|before secure TLS connection was established|\bEPROTO\b|wrong version number|server gave HTTP response to HTTPS client|does not look like a TLS handshake|Unable to connect to the server: EOF|SSLHandshakeException(?!.{0,2000}PKIX)/,
    beside: KUBERNETES,
    named: ADDRESS,
    class: 'unreachable',
    confidence: 'high',
    harm: 'depends',
    title: 'No connection to the apiserver came about: TCP or TLS was not completed',
    text: 'The connection was not made in time, or broke off in the TLS handshake: an apiserver that is overloaded or restarting, a firewall or network policy that swallows packets, or (wrong version number) a port that speaks plain HTTP. No request was sent yet. Seconds are a restart; minutes need somebody.',
    next: [
      'openssl s_client -connect HOST:PORT from the same place',
      'HTTPS_PROXY, NO_PROXY: does it go through a proxy that it should not?',
      'how long did it last? kwatch explain FILE counts it',
    ],
  },
  {
    pattern:
      /ReadTimeoutError|Read timed out|read operation timed out|socket\.timeout|asyncio\.(?:exceptions\.)?TimeoutError|^TimeoutError\b|HttpTimeoutException|request timed out|network timeout at: |Idle timeout expired|Timeout on reading|Operation timed out after|ServerTimeoutError|ReadTimeout\b|timeout period of|SocketTimeoutException|ESOCKETTIMEDOUT|TimeoutError: The operation was aborted|timeout error accessing the Kube API/m,
    beside: KUBERNETES,
    named: /\b(read timeout=[\d.]+)/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'depends',
    others: ['silent-stall', 'unreachable'],
    title: 'The client’s own read timeout ended it: nothing came for that long',
    text: 'A timeout of the client (_request_timeout in Python, readTimeout of OkHttp; a socket timer) was over. On a quiet watch that is ordinary: without bookmarks it carries no byte. Only if events were due was the connection dead.',
    next: [
      'the read timeout for watches: none, or longer than timeoutSeconds; _request_timeout=(connect, read)',
      'timeoutSeconds below it: the server then ends each watch properly',
      'kwatch tail RESOURCE: do bookmarks or events come?',
    ],
  },
  {
    pattern:
      /ECONNRESET|\baborted\b|socket hang up|other side closed|Premature close|Connection reset|ConnectionReset\b|connection closed before message completed|IncompleteMessage|unexpected EOF during chunk|Remote end closed connection|RemoteDisconnected|ServerDisconnected|Server disconnected|Response payload is not completed|response ended prematurely|HTTP\/2 server reset the stream|stream error received|unexpected end of stream|StreamResetException|stream was reset|ClosedChannelException|HttpClosedException|Connection was closed|header parser received no bytes|SSLEOFError|EOF occurred in violation|end of file reached|[Rr]esponse ended prematurely|EOFException|SocketException|[Bb]roken pipe|EPIPE|Error reading events stream|IncompleteBody|transfer closed with outstanding|Empty reply from server|Recv failure|was not closed cleanly|peer closed connection without|incomplete chunked read|websocket: close 1006|\bcode:? 1006\b|\b1006\b.{0,20}abnormal closure|WebSocket close received\. code: 10(?:06|1[1-5])|kubernetes chunked stream error|Unable to read data from the transport/,
    beside: KUBERNETES,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['ambiguous-end', 'idle-cut-by-proxy', 'age-cut-by-proxy'],
    title: 'The connection broke in the middle: without a last chunk or a goodbye',
    text: 'The stream was cut without a last chunk: a load balancer or proxy with a timer, a server that was killed, or the network. The line does not tell which; whether it comes at the same age or after the same silence each time does. One that resumes from its last RV loses nothing, and once is harmless.',
    next: ['kwatch tail RESOURCE: age and silence before each end', 'does it happen past the proxy, too?'],
  },
  {
    pattern: /Connection broken: (?:InvalidChunkLength|IncompleteRead)|IncompleteRead\(\d+ bytes read/,
    beside: {
      test: (text) =>
        KUBERNETES.test(text) ||
        (/\burllib3\.exceptions\.ProtocolError/.test(text) && !/https?:|requests\./.test(text)),
    },
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost', 'server-timeout', 'idle-cut-by-proxy'],
    title: 'The answer ended without its last chunk',
    text: 'The Python client read on, and the connection was closed before the chunk that ends an answer: a cut on the way (a proxy or load balancer with an idle timeout, a server that was killed) looks so, and some servers end a watch like this when its time is over. The line does not tell which; the age of the watch would.',
    next: [
      'how old was the watch, and how long silent? The same each time is a timer',
      'kwatch tail RESOURCE: what is the end?',
    ],
  },
];
