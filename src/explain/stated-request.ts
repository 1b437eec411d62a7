/** What the text says of the request itself: its URL's parameters, and how HTTP/2 ended it. */
export interface StatedRequest {
  requested_rv?: string;
  timeout_seconds?: string;
  stream_id?: string;
  last_stream_id?: string;
  h2_error?: string;
}

/** `0` and unset are no revisions: they ask for whatever the cache has. */
const URL_RV = /[?&]resourceVersion=([1-9]\d{0,19})\b/;
const URL_TIMEOUT = /[?&]timeoutSeconds=(\d{1,9})\b/;
/** The official Java client and KubeOps tell the RV in words; so does an Airflow that begins. */
const TOLD_RV =
  /\bResourceVersion (\d{1,20}) expired\b|\blatest offset (\d{1,20})\b|\bRetryWatcher at RV=\\{0,4}"?(\d{1,20})\b/;
const STREAM = /\bstream ID (\d{1,10}); ([A-Z_]{3,30})\b/;
const GOAWAY = /\bLastStreamID=(\d{1,10}), ErrCode=([A-Z_]{3,30})\b/;
const H2_ERROR =
  /\bHTTP\/2 error code '([A-Z_]{3,30})'|\bstream was reset: ([A-Z_]{3,30})\b|\bnot closed cleanly: ([A-Z_]{3,30})\b/;

/** Facts of the request that the text states. Ports, PIDs and line numbers are none of them. */
export function statedRequest(text: string): StatedRequest {
  const stream = STREAM.exec(text);
  const goaway = GOAWAY.exec(text);
  const told = TOLD_RV.exec(text);
  const reset = H2_ERROR.exec(text);
  const facts = {
    requested_rv: URL_RV.exec(text)?.[1] ?? told?.slice(1).find(Boolean),
    timeout_seconds: URL_TIMEOUT.exec(text)?.[1],
    stream_id: stream?.[1],
    last_stream_id: goaway?.[1],
    h2_error: stream?.[2] ?? goaway?.[2] ?? reset?.slice(1).find(Boolean),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
