/** Names under which some clients print a status instead of its number. */
const CODES: Readonly<Record<string, string>> = {
  BadRequest: '400',
  Unauthorized: '401',
  Forbidden: '403',
  NotFound: '404',
  MethodNotAllowed: '405',
  Gone: '410',
  UnprocessableEntity: '422',
  TooManyRequests: '429',
  InternalServerError: '500',
  BadGateway: '502',
  ServiceUnavailable: '503',
  GatewayTimeout: '504',
};

/** .NET prints the name of the code, Node an Error that has the reason phrase as its whole message. */
const NAMED =
  /invalid status code '(\w+)'|\b(?:Error|ApiException): (Unauthorized|Forbidden|Not Found|Gone|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)[ \t]*$/m;

/** How clients, proxies and pages print the status of an HTTP answer. Ordered: the surest first. */
const HTTP_STATUS: readonly RegExp[] = [
  /\bHTTP\/\d(?:\.\d)? (\d{3})\b/,
  /\bExpected HTTP 101 response but was '(\d{3})\b/,
  /\bExec Failure: HTTP (\d{3})\b/,
  /\bHTTP[- ](?:response |status )?[Cc]ode:? (\d{3})\b/,
  /\bstatus code:? (\d{3})\b/,
  /["']?statusCode["']?\s*:\s*(\d{3})\b/,
  /\bhttp_status=(\d{3})\b/,
  /\bindicate success: (\d{3})\b/,
  /\breturned HTTP (\d{3})\b/,
  /\brequested URL returned error: (\d{3})\b/,
  /\b[Rr]esponse code:? (\d{3})\b/,
  /\bHTTPError: \(?(\d{3})\b/,
  /"response_code": ?"?(\d{3})\b/,
  /\b(?:failed|[Ee]rror)(?: with)?: (\d{3}) [A-Z][a-z]/,
  /\bClientResponseError: (\d{3})\b/,
  /\bkubernetes api: Failure (\d{3})\b/,
  /<(?:title|h1)>[^<]{0,60}?\b([1-5]\d\d)\b/i,
  /\b[Ee]rror code:? (5[0-3]\d)\b/,
  /\bgetting (\d{3}) [A-Z]+ responses\b/,
  /\b(410) Gone encountered\b/,
  /\bstatus:? ([1-5]\d\d)\b/,
  /[?&]\w{1,60}=\S{0,300} (\d{3}) [A-Z][\w ]{2,30} in \d+ milliseconds/,
  /" (\d{3}) (?:[A-Z]{2,5}|-) [\w-]/,
  /"httpRequest":\{[^}]{0,600}"status":(\d{3})\b/,
];

/** How clients print the code inside a Status: JSON, Python, Rust, JavaScript, Java. */
const STATUS_CODE: readonly RegExp[] = [
  /\\{0,4}"code\\{0,4}"\s*:\s*(\d{3})\b/,
  /['"]code['"]\s*(?::|=>)\s*(\d{3})\b/,
  /(?:ErrorResponse|Status)\b[\s\S]{0,800}?\bcode[:=] ?(\d{3})\b/,
  /\bApiException(?: when calling kubernetes)?: \((\d{3})\)/,
  /\((\d{3})\)[^\S\n]*(?:\n[^\n]{0,40}?)?\bReason: /,
];

const RETRY_AFTER: readonly RegExp[] = [
  /\\{0,4}["']retryAfterSeconds\\{0,4}["']\s*:\s*(\d+)/,
  /^[ \t]*retry-after:[ \t]*(\d+)/im,
  /\bGot a Retry-After (\d{1,6})s response/,
  /["']Retry-After["']\s*:\s*["'](\d+)/i,
];

/** Codes that the text states, and what Retry-After asks for. */
export function statedCodes(text: string): { http_status?: string; status_code?: string; retry_after_s?: string } {
  const named = NAMED.exec(text)?.slice(1).find(Boolean)?.replaceAll(' ', '');
  const facts = {
    http_status: first(HTTP_STATUS, text) ?? (named === undefined ? undefined : CODES[named]),
    status_code: first(STATUS_CODE, text),
    retry_after_s: first(RETRY_AFTER, text),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function first(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
