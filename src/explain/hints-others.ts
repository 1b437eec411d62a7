/**
 * Pieces of the sentences of clients outside of Go, of proxies and their pages: without one of them, or of hints.ts', none of those sentences
 * is there. Rather long than short: each line of a log that has one is looked at closely, which costs a hundred times as much.
 */
export const OTHER_HINTS: readonly string[] = [
  // Codes, as clients print them.
  ...splitHints('statusCode|HTTP-Code|response code: 4|response code: 5|status code|http_status=4|http_status=5'),
  ...splitHints(
    "code: 40|code: 41|code: 42|code: 50|ApiException|(410)|ErrorResponse|code=4|'code': 4|'code': 5|410 Gone|410 GONE|HTTP 410",
  ),
  ...splitHints(
    'Reason: Forb|Reason: Gone|Reason: Too|Reason: Not|Reason: Bad|Reason: Serv|Reason: Gate|Reason: Inter',
  ),
  ...splitHints('Reason: Unpro|Reason: Meth|"code"=>| 502 - | 503 - | 504 - | 460 - | app/'),
  ...splitHints('invalid status|ClientResponseError|indicate success|esponse code: |HTTPError|response_flags'),
  ...splitHints('provide credentials|api: Failure|Unauthorized|must be logged in|Invalid IAP|Jwt '),
  // Names, connections and TLS: Node, Python, Java, Rust, .NET, Ruby.
  ...splitHints('ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|EPROTO|UnknownHost|NameResolution'),
  ...splitHints('service not known|ame resolution|lookup address|dns error|No such host|nodename nor|PKIX'),
  ...splitHints('CERTIFICATE_VERIFY|certificate verify|first certificate|UNABLE_TO_VERIFY|signed certificate'),
  ...splitHints(
    'SELF_SIGNED|CertificateError|SSLPeerUnver|not match cert|CERT_HAS|TLS_CERT|InvalidCert|peer certificate|remote certificate|SSL connection',
  ),
  ...splitHints('onnection refused|ConnectionRefused|ConnectException|onnect call failed|ailed to connect to'),
  ...splitHints('No route to|establish a new connection|ConnectTimeout|tcp connect|trying to connect'),
  ...splitHints('connect exception|connect timed|initialization error|Cannot connect to host|Timed out connecting'),
  ...splitHints('Error(Connect|before secure TLS|wrong version number|HandshakeExc|actively refused'),
  ...splitHints('right host or port|HTTP response to HTTPS|the server: EOF|no server available|is DOWN, reason'),
  ...splitHints("syscall: 'connect'"),
  // How streams end.
  ...splitHints(
    'IncompleteBody|outstanding read|Empty reply|Recv failure|not closed cleanly|timed out after|returned error: ',
  ),
  ...splitHints('UND_ERR|Body Timeout|ReadTimeout|ead timed out|ead timeout|SocketTimeout|ESOCKETTIMEDOUT'),
  ...splitHints('TimeoutError|HttpClient.Timeout|operation timed out|socket.timeout|HttpTimeoutExc|request timed out'),
  ...splitHints('etwork timeout at|Idle timeout expired|Timeout on reading|ServerTimeoutError|Gateway Timeout'),
  ...splitHints('Bad Gateway|Service Unavailable|timeout period of|error accessing the Kube|waiting for events'),
  ...splitHints('AbortError|user aborted|OperationCanceled|operation was cancel|Client Closed|context cancel|GOAWAY'),
  ...splitHints('socket hang up|other side closed|Premature close|onnection reset|ConnectionReset'),
  ...splitHints('closed before message|IncompleteMessage|IncompleteRead|EOF during chunk|Remote end closed'),
  ...splitHints('RemoteDisconnected|erverDisconnected|Server disconnected|payload is not|ended prematurely'),
  ...splitHints('server reset|stream error|unexpected end of|EOFException|SocketExc|roken pipe| aborted|close 1006'),
  ...splitHints('code 1006|code: 1006|closed connection without|chunked read|WebSocket close|chunked stream error'),
  ...splitHints('from the transport|StreamReset|stream was reset|ClosedException|ClosedChannel|onnection was closed'),
  ...splitHints('received no bytes|SSLEOF|EOF occurred|end of file reached|onnection broken|receive pong'),
  ...splitHints('events stream|timeout in poll|WatchFailed|os error 110|Errno 110|TimedOut'),
  // What programs say of their watches.
  ...splitHints(
    'status 40|status 41|status 42|status 50|ersion too old|ersion expired|(Gone)|(Expired)|oo many requests',
  ),
  ...splitHints('canceled by remote'),
  ...splitHints('watch-stream for|will re-list|expired, will|andling desync|Exhausted rec|HTTP 101'),
  ...splitHints('times without progress|yet to terminate|client has been closed|kube watcher|KubernetesJobWatcher'),
  ...splitHints('watch event|exception in watch|past the end of|no instances of|resourceVersion in watch'),
  ...splitHints('NoResourceVersion|tagged enum|invalid type: string|API error EOF|API error proto|wrong wireType'),
  ...splitHints('error decoding|invalid character|deserialize watch|not a status|HPE_INVALID|Parse Error'),
  ...splitHints('error parse: |nexpected token|invalid start of|BEGIN_OBJECT|nexpected character|parsing value: <'),
  ...splitHints('JSON tokens|Expecting value|nexpectedly closed|watch failed, kind|list-watch|loop failed'),
  // Proxies, their pages and logs; tunnels.
  ...splitHints('<html|<HTML|<!doctype|<!DOCTYPE|<TITLE>|&lt;html|HTTP/1.1 3|HTTP/1.1 4|HTTP/1.1 5|HTTP/1.0 3'),
  ...splitHints('HTTP/1.0 4|HTTP/1.0 5|HTTP/2 3|HTTP/2 4|HTTP/2 5|text/html|Proxy Auth|healthy upstream'),
  ...splitHints('upstream request|upstream connect|upstream timed|upstream prematurely|no live upstreams|to upstream'),
  ...splitHints('upstream response is|reading upstream|Endpoint request timed|error code: 5|error code: 1'),
  ...splitHints('RBAC: access|AH0|HTTPS server|prematurely closed|closed connection|closed keepalive|statusDetails'),
  ...splitHints('tunnel |ClusterUnavailable|find Session|luster agent|emotedialer|No agent available|reach service'),
  ...splitHints('missing response|service unavailable|proxying request|proxy error| sD| sH| sL| sC| cD| cH| cL| cC'),
  ...splitHints(' SD| SH| SC| SL| CD| CH| UT | UC | UF | UH | UR | NR | URX| LR | UO | NC | SI | UMSDR| DT | UPE| DC '),
  ...splitHints(' CC | CR | sR | SR | PH | PR | PC | CC-| CR-| sR-| SR-| PH-| PR-| PC-'),
  ...splitHints(' DPE| DR |UF,|UT,|UC,|UH,|UR,|has failed:'),
];

/** Pieces of a line, which have no bar themselves. */
export function splitHints(pieces: string): string[] {
  return pieces.split('|');
}
