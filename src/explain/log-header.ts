import { epoch, type LogTime, readTime } from './log-time.ts';

/**
 * How records of logs begin: klog, JSON (zap, logr, logrus, pino, zerolog, slog, python-json, logback), logfmt, dates first
 * (Python, Java, Rust tracing, Go's log, nginx), levels first, access logs. One look a line: this is asked of every line.
 */
const HEADER =
  /^(?:[IWEFD]\d{4} \d\d:|\{["\s]|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d[\s.,\]]|(?:time|ts|t|timestamp|level|lvl)=|[A-Z][a-z]{2} (?:[ \d]\d|\d{1,2}, \d{4}) \d{1,2}:\d\d:\d\d|\d{10}(?:\d{3})?(?:\.\d+)? |\d\.\d{3,}e\+09\s|<\d{1,3}>|[\da-f:.]+ \S+ \S+ \[\d\d\/|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b ?(?:[\s:[\]]|$)|HTTP\/\d)/;

/** Whether a record begins here: the line has a time, a level or another head of its own. */
export function startsRecord(text: string): boolean {
  return HEADER.test(text);
}

/** Keys under which programs write their time. */
const JSON_TIME =
  /"(?:ts|time|timestamp|@timestamp|asctime|datetime|@t|t|eventTime|requestReceivedTimestamp)"\s*:\s*(?:"([^"]{1,48})"|([\d.eE+]{9,32}))/;
const LOGFMT_TIME = /(?:^|\s)(?:time|ts|t|timestamp)=(?:"([^"]{1,48})"|(\S{1,48}))/;
/** A level, a priority or an address before the time, or the warning of glog's that came before flags were parsed. */
const BEFORE_TIME =
  /^(?:<\d{1,3}>\d? ?|ERROR: logging before flag\.Parse: |\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\s*\]?:?\s+|[\da-f:.]+ \S+ \S+ (?=\[\d\d\/))/;
/** Where the time of a record is looked for: a message may be long, and times in it are not the record's. */
const LOOK_INTO = 2_000;

/** The time that a record gives itself. */
export function headerTime(record: string): LogTime | undefined {
  const text = record.length > LOOK_INTO ? record.slice(0, LOOK_INTO) : record;
  if (text.startsWith('{')) return fieldTime(JSON_TIME.exec(record.length > 4 * LOOK_INTO ? text : record));
  const bare = text.slice(BEFORE_TIME.exec(text)?.[0].length ?? 0);
  return readTime(bare.startsWith('[') ? bare.slice(1) : bare) ?? fieldTime(LOGFMT_TIME.exec(text));
}

function fieldTime(found: RegExpExecArray | null): LogTime | undefined {
  const text = found?.[1] ?? found?.[2];
  return text === undefined ? undefined : (readTime(text) ?? epoch(text));
}
