/**
 * Lines that no program begins a record with: they go on with the one before. Stack frames of Java, Go, Node and Python, what comes
 * after an exception's first line, ends of JSON that spans lines, parts of an answer that a Python client prints.
 */
const CONTINUATION =
  /^(?:[ \t]|[}\])]|Caused by: |Suppressed: |at \S+[ (]|\.\.\. \d+ more|During handling of the above|The above exception was|Reason: |HTTP response (?:headers|body): |goroutine \d+ \[|created by |\[signal |--- End of|[\w./@*()·-]+\.[\w.()*·-]+(?:\([^()]{0,200}\)?)?$)/;
const TRACEBACK = /^(?:\+ Exception Group )?Traceback \(most recent call last\)/;
/** `builtins.ValueError: …`, `io.fabric8.kubernetes.client.WatcherException: …`, `kubernetes.client.exceptions.ApiException: (410)`. */
const EXCEPTION =
  /^(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Failure|Interrupt|Timeout|Warning|Exit)(?:\b[:(]|$)|^(?:[\w$]+\.){2,}[A-Z][\w$]*: /;
const HTTP_ANSWER = /^HTTP\/\d/;
const HTTP_FIELD = /^[\w-]{1,60}:[ \t]/;
/** Lines without a head of their own that one record takes at most, where nothing but their place says that they belong to it. */
const MAX_STRAY_LINES = 64;

/** How far a record has come, as far as it matters for the next line. */
export interface RecordShape {
  /** Its first line has a time, a level or another head. */
  headed: boolean;
  /** Python's: `open` until the exception's own line, `chained` where another one is announced. */
  trace: 'none' | 'open' | 'closed' | 'chained';
  /** An exception's line has been taken. */
  exception: boolean;
  /** An HTTP answer: before or after the blank line below its headers. */
  http: 'none' | 'headers' | 'body';
  strayLines: number;
}

export function beginShape(first: string, headed: boolean): RecordShape {
  return {
    headed,
    trace: TRACEBACK.test(first) ? 'open' : 'none',
    exception: EXCEPTION.test(first),
    http: HTTP_ANSWER.test(first) ? 'headers' : 'none',
    strayLines: 0,
  };
}

/**
 * Whether `line` belongs to the record of `shape` (which learns from it). `headed`: it has a head of its own. `alone`: it would be
 * explained by itself, and the record has something to tell already.
 */
export function continues(shape: RecordShape, line: string, headed: boolean, alone: () => boolean): boolean {
  if (headed) return shape.http === 'body' && line.startsWith('{');
  if (CONTINUATION.test(line)) return learn(shape, line);
  if (TRACEBACK.test(line)) return traceback(shape);
  if (EXCEPTION.test(line)) return exception(shape);
  if (shape.http === 'headers' && HTTP_FIELD.test(line)) return true;
  if (shape.http === 'body') return stray(shape);
  return shape.headed && stray(shape) && !alone();
}

/** A blank line below the headers of an HTTP answer begins its body; elsewhere it means nothing. */
export function takeBlank(shape: RecordShape): void {
  if (shape.http === 'headers') shape.http = 'body';
}

function learn(shape: RecordShape, line: string): true {
  if (/^(?:During handling|The above exception)/.test(line)) shape.trace = 'chained';
  return true;
}

function traceback(shape: RecordShape): boolean {
  const belongs = shape.trace === 'chained' || (shape.headed && shape.trace === 'none');
  if (belongs) shape.trace = 'open';
  return belongs;
}

function exception(shape: RecordShape): boolean {
  const belongs = shape.trace === 'open' || (shape.headed && !shape.exception);
  if (shape.trace === 'open') shape.trace = 'closed';
  shape.exception = true;
  return belongs;
}

function stray(shape: RecordShape): boolean {
  shape.strayLines += 1;
  return shape.strayLines <= MAX_STRAY_LINES;
}
