/**
 * Pieces of the sentences of clients outside of Go, of proxies and their pages: without one of them, or of hints.ts', none of those sentences
 * is there. Case-sensitive pieces, as short as they can be without being in ordinary lines.
 */
export const OTHER_HINTS: readonly RegExp[] = [
  // Codes, as clients print them.
  /statusCode|Exec Failure|SocketExc|HTTP-Code|response code: [45]|status code|http_status=[45]|ApiException|Reason: |ErrorResponse|code=4|'code': [45]|410 G|invalid status code|ClientResponseError|Failure [45]/,
  // Sockets of Node, Python, Java, Rust, .NET and Ruby.
  /ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUN|ENETUN|ENOENT|EPIPE|UND_ERR|Body Timeout|socket hang|other side closed|aborted|imeoutE|ReadTimeout|ead timed out|ead timeout|SocketTimeout|ESOCKET|TimeoutError|HttpClient\.Timeout|timed out|onnection reset|ConnectionRe|onnection closed before|IncompleteM|IncompleteRead|Remote end|RemoteDis|erverDisc|erver disc|payload is not|ended prematurely|server reset|unexpected end|EOFExc|roken pipe|1006|101[1-5]|chunked stream err|transport connection|UnknownHost|NameRes|not known|ame resolution|lookup address|dns error|host is known|nodename|PKIX|CERTIFICATE_V|certificate|CERT_|InvalidCert|SSL connection|Connect[A-Z]\w+E|onnect call|ailed to connect|establish a new|onnectTimeout|tcp connect|trying to connect|connect exception|initialization error|Cannot connect|onnection broken|receive pong|events stream|in poll|WatchFailed|deadline/,
  // What programs say of their watches.
  /watch-stream for|re-list|expired, will|Handling desync|Exhausted rec|HTTP 101|WebSocket close|times without|yet to terminate|client has been closed|kube watcher|KubernetesJobW|watch event|exception in watch|past the end|no instances of|resourceVersion in watch|NoResourceV|tagged enum|wrong wireType|API error|error decoding|nexpected token|invalid start of|BEGIN_OBJECT|nexpected character|invalid character|Expecting value|nexpectedly closed|watch failed, kind|list-watch|loop failed|no longer reach|has failed/,
  // Proxies, their pages and logs, tunnels.
  /upstream|<html|<!|HTTP\/[12]|Endpoint request|error code: 5|access denied|haproxy\[|" [2-5]\d\d [A-Z]{2}|" 0 D|prematurely closed|closed connection|statusDetails|tunnel|ClusterUn|find Session|luster agent|emotedialer|No agent av|reach service|missing response|service unavailable|proxying request|proxy error|dialing backend/,
];
