import { startsRecord } from './log-header.ts';

/** A physical line without what collectors and viewers of logs put before it. */
export interface BareLine {
  text: string;
  /** The time that the collector gave it, as written. */
  time: string | undefined;
  /** Whose line it is (pod and container, host and unit, stream): lines of several are mixed. Empty: there is but one. */
  source: string;
  /** `kube-apiserver[1187]` of a syslog line. */
  program: string | undefined;
  /** The line goes on in the next one of the same source (CRI's `P`, a Docker line without its newline). */
  partial: boolean;
}

const CRI = /^(\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP])(?: |$)/;
/**
 * `kubectl logs --timestamps` (nine digits, always), logs of CI (seven), and any time before a line that brings its own, as cloud consoles
 * export it.
 */
const LINE_TIME =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{9}|\d{7})(?:Z|[+-]\d\d:\d\d)(?: |$)|(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) (?=[IWEFD]\d{4} |\{"|time=|ts=|level=)))/;
/** `journalctl -o short-iso`, rsyslog. */
const ISO_SYSLOG =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) ([\w.:-]{1,80}) ([\w./@()-]{1,80}(?:\[\d{1,10}\])?): /;
const SYSLOG =
  /^(?:<\d{1,3}>|\* )?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?) ([\w.:-]{1,80}) ([\w./@()-]{1,80}(?:\[\d{1,10}\])?): /;
const RFC5424 = /^<\d{1,3}>1 (\S{1,40}) (\S{1,255}) (\S{1,48}) \S{1,128} \S{1,32} (?:-|\[[^\]]{0,400}\]) \ufeff?/;
/** The first column of a table (CSV) that a web console has exported. */
const CSV_TIME =
  /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)|[A-Z][a-z]{2} \d{1,2}, \d{4} @ [\d:.]{8,12})",/;
/** `kubectl logs --prefix`. */
const POD_PREFIX = /^\[(pod\/[\w./-]{1,300})\] ?/;
/** kail. */
const KAIL = /^([\w.-]{1,253}\/[\w.-]{1,253}\[[\w.-]{1,63}\]): /;
/** Docker Desktop's own logs. */
const DESKTOP = /^\[(\d{4}-\d\d-\d\dT[\d:.]{8,20}Z)\]\[([\w.-]{1,60})\](?:\[\w\])? /;
/** The first of two lines that java.util.logging writes; level and message stand in the second. */
const JAVA_UTIL = /^[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d [AP]M \S{1,200}(?: \S{1,100})?$/;
/** docker compose. */
const COMPOSE = /^([\w.-]{1,100}) +\| /;
/** stern: pod and container; with all namespaces, the namespace before them. kubetail: the pod in brackets. */
const STERN = /^((?:[a-z0-9][a-z0-9.-]{0,252} )?[a-z0-9][a-z0-9.-]{2,252} [a-z0-9][a-z0-9-]{0,62}) /;
const KUBETAIL = /^(\[[a-z0-9][a-z0-9.-]{2,252}(?: [a-z0-9-]{1,63})?\]) /;

/** One collector's words in another's are at most so deep. */
const MAX_LAYERS = 3;
/** Sources of a mixed log that are known by their first words. */
const MAX_KNOWN = 1_000;

/**
 * Takes the words of collectors off. Those of stern look like any other two words: a pair counts once it has stood before the head of
 * a record, and from then on before anything.
 */
export class LinePrefixes {
  readonly #known = new Set<string>();

  bare(line: string): BareLine {
    const bare: BareLine = { text: line, time: undefined, source: '', program: undefined, partial: false };
    for (let layer = 0; layer < MAX_LAYERS && this.#peel(bare); layer++);
    return bare;
  }

  /** Whether a layer came off. */
  #peel(bare: BareLine): boolean {
    const { text } = bare;
    const first = text.charCodeAt(0);
    if (first === 0x7b) return unpack(bare);
    if (isDigit(first)) return digits(bare) || this.#stern(bare);
    if (first === 0x5b) return podPrefix(bare) || this.#words(bare, KUBETAIL) || desktop(bare);
    if (first === 0x22) return csv(bare);
    if (first === 0x3c) return rfc5424(bare) || syslog(bare, SYSLOG);
    if (first === 0x2a) return syslog(bare, SYSLOG);
    // klog, most often: a letter and digits.
    if (isCapital(first))
      return !isDigit(text.charCodeAt(1)) && (syslog(bare, SYSLOG) || javaUtil(bare) || named(bare, COMPOSE));
    return this.#stern(bare) || named(bare, COMPOSE) || named(bare, KAIL);
  }

  #stern(bare: BareLine): boolean {
    return this.#words(bare, STERN);
  }

  #words(bare: BareLine, form: RegExp): boolean {
    const longest = form.exec(bare.text)?.[1];
    if (longest === undefined) return false;
    // Pod and container first: what was taken for a third word may be a date.
    const last = longest.lastIndexOf(' ');
    const shorter = last > longest.indexOf(' ') ? longest.slice(0, last) : longest;
    return this.#take(bare, shorter) || (shorter !== longest && this.#take(bare, longest));
  }

  #take(bare: BareLine, words: string): boolean {
    const rest = bare.text.slice(words.length + 1);
    if (!this.#known.has(words) && !(/[-.]|\[/.test(words) && startsRecord(rest) && this.#learn(words))) return false;
    bare.source += `${words} `;
    bare.text = rest;
    return true;
  }

  #learn(words: string): boolean {
    if (this.#known.size < MAX_KNOWN) this.#known.add(Buffer.from(words).toString());
    return true;
  }
}

/** CRI, a time of its own before each line, syslog with an ISO date. */
function digits(bare: BareLine): boolean {
  // A date, before three expressions are tried: most lines that begin with a digit begin with one.
  if (bare.text.charCodeAt(4) !== 0x2d || bare.text.charCodeAt(10) !== 0x54) return false;
  const cri = CRI.exec(bare.text);
  if (cri) {
    bare.partial = cri[3] === 'P';
    return take(bare, cri[0], cri[1], `${cri[2]} `);
  }
  const stamped = LINE_TIME.exec(bare.text);
  if (stamped) return take(bare, stamped[0], stamped[0].trim(), '');
  return syslog(bare, ISO_SYSLOG);
}

function syslog(bare: BareLine, form: RegExp): boolean {
  const found = form.exec(bare.text);
  if (!found) return false;
  bare.program = found[3];
  return take(bare, found[0], found[1], `${found[2]} ${found[3]} `);
}

function rfc5424(bare: BareLine): boolean {
  const found = RFC5424.exec(bare.text);
  if (!found) return false;
  bare.program = found[3];
  return take(bare, found[0], found[1], `${found[2]} ${found[3]} `);
}

function podPrefix(bare: BareLine): boolean {
  return named(bare, POD_PREFIX);
}

/** A name and nothing else. */
function named(bare: BareLine, form: RegExp): boolean {
  const found = form.exec(bare.text);
  return found ? take(bare, found[0], undefined, `${found[1]} `) : false;
}

function desktop(bare: BareLine): boolean {
  const found = DESKTOP.exec(bare.text);
  return found ? take(bare, found[0], found[1], `${found[2]} `) : false;
}

function csv(bare: BareLine): boolean {
  const found = CSV_TIME.exec(bare.text);
  return found ? take(bare, found[0], found[1], '') : false;
}

/** Its second line goes on with it. */
function javaUtil(bare: BareLine): boolean {
  if (!JAVA_UTIL.test(bare.text)) return false;
  bare.text += ' ';
  bare.partial = true;
  return true;
}

function take(bare: BareLine, prefix: string, time: string | undefined, source: string): true {
  bare.text = bare.text.slice(prefix.length);
  bare.time ??= time;
  bare.source += source;
  return true;
}

/**
 * JSON in which a collector keeps a line whole: Docker and fluentd (`log`), journald (`MESSAGE`, a list of bytes where it is not all text),
 * Google's (`textPayload`), Loki's (`line`, beside `labels`).
 */
function unpack(bare: BareLine): boolean {
  const { text } = bare;
  const key = KEYS.find((name) => text.includes(`"${name}":`));
  const outer = key === undefined ? undefined : parsed(text);
  const line = key === undefined ? undefined : lineOf(outer?.[key]);
  if (outer === undefined || line === undefined || (key === 'line' && typeof outer.labels !== 'object')) return false;
  bare.text = line.replace(/\r?\n$/, '');
  bare.partial = key === 'log' && 'stream' in outer && !line.endsWith('\n') && line.length >= DOCKER_PIECE;
  bare.time ??= stringOf(outer.time ?? outer.timestamp ?? outer.__REALTIME_TIMESTAMP ?? outer['@timestamp']);
  bare.program = stringOf(outer.SYSLOG_IDENTIFIER);
  const { namespace, pod, container } = (outer.labels ?? {}) as Record<string, unknown>;
  const names = [outer.stream, outer._HOSTNAME, outer.SYSLOG_IDENTIFIER, namespace, pod, container];
  bare.source += `${names.filter((each) => typeof each === 'string').join(' ')} `;
  return true;
}

const KEYS = ['log', 'textPayload', 'MESSAGE', 'line'] as const;

function lineOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  // Whatever is no byte becomes one: it is only read.
  return Array.isArray(value) && typeof value[0] === 'number' ? Buffer.from(value as number[]).toString() : undefined;
}

/** Docker splits lines longer than this; a shorter one without its newline is another collector's. */
const DOCKER_PIECE = 16 * 1024;

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Cut off, or no JSON after all: it is read as it stands.
    return undefined;
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}
