/**
 * What a line of a log says about its moment. `utc`: date and zone are known, ms since the epoch. `local`: the date, but no
 * zone. `yearless`: month, day and time (klog, syslog). `clock`: a time of day. Those three are ms on a scale of their own, and
 * are only compared with their like.
 */
export interface LogTime {
  ms: number;
  scale: TimeScale;
}

export type TimeScale = 'utc' | 'local' | 'yearless' | 'clock';

/** The year that times without one are counted in: any leap year, since the 29th of February has to exist. */
export const YEARLESS_YEAR = 2024;

const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** RFC 3339 and its relatives: `/` for `-` (Go's log, nginx), a space for `T`, `,` for `.` (Python, log4j), zone with or without `:`. */
const DATE_TIME =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ]\s?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\d* ?(Z|UTC|GMT|[+-]\d\d:?\d\d(?!\d))?/;
const KLOG = /^[IWEFD](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/;
const SYSLOG = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/;
const ACCESS_LOG = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})/;
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (GMT|UTC|[+-]\d{4})/;
const JAVA_UTIL = /^([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d\d):(\d\d) ([AP])M/;
/** Kibana, as it shows times and writes them into tables. */
const KIBANA = /^([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) @ (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?/;
const TIME_OF_DAY = /^(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?/;
/** Seconds (perhaps as zap's console prints them, 1.78e+09), ms, µs or ns since the epoch. */
const EPOCH = /^(\d{10}(?:\d{3}|\d{6}|\d{9})?(?:\.\d{1,9})?|\d\.\d{3,}e\+09)(?![\w.])/;

/** The time that `text` begins with, in any of the forms of logs. */
export function readTime(text: string): LogTime | undefined {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) {
    return dateTime(text) ?? accessLog(text) ?? timeOfDay(text) ?? epoch(EPOCH.exec(text)?.[1]);
  }
  return klog(text) ?? syslog(text) ?? httpDate(text) ?? javaUtil(text) ?? kibana(text);
}

/** A number since the epoch, by its size: seconds, ms, µs or ns. */
export function epoch(text: string | undefined): LogTime | undefined {
  const value = Number(text);
  if (text === undefined || !(value >= 1e8 && value < 1e20)) return undefined;
  const ms = value < 1e11 ? value * 1e3 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6;
  return { ms: Math.floor(ms), scale: 'utc' };
}

/** Which of two times says more: the one with date and zone before the one without. */
export function clearer(a: LogTime | undefined, b: LogTime | undefined): LogTime | undefined {
  if (!a || !b) return a ?? b;
  return RANK[b.scale] > RANK[a.scale] ? b : a;
}

const RANK: Record<TimeScale, number> = { utc: 3, local: 2, yearless: 1, clock: 0 };

function dateTime(text: string): LogTime | undefined {
  const found = DATE_TIME.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = found;
  return moment(Number(year), Number(month), Number(day), hour, minute, second, fraction, zone);
}

function klog(text: string): LogTime | undefined {
  const found = KLOG.exec(text);
  if (!found) return undefined;
  const [, month, day, hour, minute, second, fraction] = found;
  const time = moment(YEARLESS_YEAR, Number(month), Number(day), hour, minute, second, fraction, undefined);
  return time && { ...time, scale: 'yearless' };
}

function syslog(text: string): LogTime | undefined {
  const found = SYSLOG.exec(text);
  if (!found) return undefined;
  const [, month = '', day, hour, minute, second, fraction] = found;
  const time = moment(YEARLESS_YEAR, monthOf(month), Number(day), hour, minute, second, fraction, undefined);
  return time && { ...time, scale: 'yearless' };
}

function accessLog(text: string): LogTime | undefined {
  const found = ACCESS_LOG.exec(text);
  if (!found) return undefined;
  const [, day, month = '', year, hour, minute, second, zone] = found;
  return moment(Number(year), monthOf(month), Number(day), hour, minute, second, undefined, zone);
}

function httpDate(text: string): LogTime | undefined {
  const found = HTTP_DATE.exec(text);
  if (!found) return undefined;
  const [, day, month = '', year, hour, minute, second, zone] = found;
  return moment(Number(year), monthOf(month), Number(day), hour, minute, second, undefined, zone);
}

function javaUtil(text: string): LogTime | undefined {
  const found = JAVA_UTIL.exec(text);
  if (!found) return undefined;
  const [, month = '', day, year, hour, minute, second, half] = found;
  const hours = String((Number(hour) % 12) + (half === 'P' ? 12 : 0));
  return moment(Number(year), monthOf(month), Number(day), hours, minute, second, undefined, undefined);
}

function kibana(text: string): LogTime | undefined {
  const found = KIBANA.exec(text);
  if (!found) return undefined;
  const [, month = '', day, year, hour, minute, second, fraction] = found;
  return moment(Number(year), monthOf(month), Number(day), hour, minute, second, fraction, undefined);
}

function timeOfDay(text: string): LogTime | undefined {
  const found = TIME_OF_DAY.exec(text);
  if (!found) return undefined;
  const [, hour, minute, second, fraction] = found;
  const time = moment(1970, 1, 1, hour, minute, second, fraction, undefined);
  return time && { ...time, scale: 'clock' };
}

/** 0 for what is no month's name. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name) + 1;
}

function moment(
  year: number,
  month: number,
  day: number,
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
  zone: string | undefined,
): LogTime | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (month < 1 || month > 12 || day < 1 || day > 31 || h > 23 || m > 59 || s > 60) return undefined;
  const ofDay = (h * 60 + m) * 60_000 + s * 1000 + Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  const ms = daysOf(year, month, day) * DAY_MS + ofDay;
  return zone === undefined ? { ms, scale: 'local' } : { ms: ms - zoneMs(zone), scale: 'utc' };
}

function zoneMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (!found) return 0;
  const [, sign, hours, minutes] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Days from 1970-01-01 to a Gregorian date: years begin in March, so that a leap day is the last of its year. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}
