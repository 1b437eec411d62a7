import type { FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import { SEVERITY } from '../diagnosis/severity.ts';
import type { Harm, Recognised } from './explain.ts';
import { groupWords } from './log-group-words.ts';
import { groupHarm } from './log-harm.ts';
import { maskTokens } from './log-mask.ts';
import { type LogRecord, RecordAssembler } from './log-records.ts';
import { relations } from './log-relations.ts';
import { LogSpan } from './log-span.ts';
import { Tally } from './log-tally.ts';
import type { LogTime } from './log-time.ts';

/** One class of a log (contract §6). */
export interface LogGroup {
  class: FindingClass;
  count: number;
  first: LogTime | undefined;
  last: LogTime | undefined;
  distinctReflectors: number;
  /** The names of those with most records, at most five. */
  reflectors: { name: string; count: number }[];
  /** There were more than are told apart. */
  capped: boolean;
  servers: number;
  refusedBy: RefusedBy | null;
  harm: Harm;
  title: string;
  text: string;
  next: string[];
  /** Of the record that is told as the example. */
  facts: Record<string, string>;
  /** That record, without tokens; it may hold control characters. */
  sample: string;
}

export interface LogReport {
  /** Records in groups. */
  matched: number;
  /** Most serious first. */
  groups: LogGroup[];
  from: LogTime | undefined;
  to: LogTime | undefined;
  /** The worst of all groups; undefined where there is none. */
  harm: Harm | undefined;
}

/** How a text is explained; `mayTell` is the cheap question before it. */
export interface Recogniser {
  mayTell(text: string): boolean;
  recognise(text: string): Recognised;
}

/** Characters of a record that are looked at: causes stand at its beginning and at its end. */
const LOOK_AT = 16 * 1024;
const SHOWN_REFLECTORS = 5;
const HARM_ORDER: readonly Harm[] = ['act', 'depends', 'harmless-once'];
const SEVERITY_ORDER = ['error', 'warning', 'note', 'info'];

/** A whole log, read as it comes: counted by class over time. Memory does not grow with it. */
export class LogSurvey {
  readonly #recogniser: Recogniser;
  readonly #tallies = new Map<FindingClass, Tally>();
  readonly #assembler: RecordAssembler;

  constructor(recogniser: Recogniser) {
    this.#recogniser = recogniser;
    this.#assembler = new RecordAssembler({
      mayTell: (text) => recogniser.mayTell(text),
      tells: (text) => recogniser.mayTell(text) && classOf(recogniser.recognise(text)) !== undefined,
      onRecord: (record) => this.#take(record),
    });
  }

  line(line: string): void {
    this.#assembler.line(plain(line));
  }

  /** Kinds so far. */
  get kinds(): number {
    return this.#tallies.size;
  }

  /** Ends the log and says what was in it. */
  end(): LogReport {
    this.#assembler.end();
    const beside = relations(this.#tallies);
    const groups = [...this.#tallies].map(([name, tally]) => groupOf(name, tally, beside.get(name) ?? []));
    groups.sort(bySeriousness);
    return {
      matched: groups.reduce((sum, { count }) => sum + count, 0),
      groups,
      ...this.#span(),
      harm: groups[0]?.harm,
    };
  }

  #take(record: LogRecord): void {
    const { text } = record;
    const looked = text.length <= LOOK_AT ? text : `${text.slice(0, LOOK_AT / 2)}\n${text.slice(-LOOK_AT / 2)}`;
    const found = this.#recogniser.recognise(looked);
    const name = classOf(found);
    if (name === undefined) return;
    let tally = this.#tallies.get(name);
    if (!tally) {
      tally = new Tally(found, record);
      this.#tallies.set(name, tally);
    }
    tally.take(record, found);
  }

  /** Heads at the two ends of the log, and what the groups know. */
  #span(): { from: LogTime | undefined; to: LogTime | undefined } {
    const span = new LogSpan();
    const heads = this.#assembler.span();
    for (const time of [heads.from, heads.to]) span.take(time);
    for (const tally of this.#tallies.values()) {
      const ends = tally.span.ends();
      if (ends?.first.scale === heads.from?.scale || !heads.from)
        for (const time of [ends?.first, ends?.last]) span.take(time);
    }
    const ends = span.ends();
    return { from: ends?.first, to: ends?.last };
  }
}

/** Undefined: ordinary work, another system's, or nothing that is known. */
function classOf(found: Recognised): FindingClass | undefined {
  return found.ordinary || found.class === 'unknown' ? undefined : found.class;
}

function groupOf(name: FindingClass, tally: Tally, beside: readonly string[]): LogGroup {
  const judged = groupHarm(name, tally);
  const ends = tally.span.ends();
  const most = [...tally.names].sort(([, a], [, b]) => b - a).slice(0, SHOWN_REFLECTORS);
  const refuser = [...tally.refusers].sort(([, a], [, b]) => b - a)[0]?.[0];
  return {
    class: name,
    count: tally.count,
    first: ends?.first,
    last: ends?.last,
    distinctReflectors: tally.names.size,
    reflectors: most.map(([reflector, count]) => ({ name: reflector, count })),
    capped: tally.capped,
    servers: tally.servers.size,
    refusedBy: (refuser as RefusedBy | undefined) ?? null,
    harm: judged.harm,
    ...groupWords(name, tally, judged, beside),
    facts: tally.worst.facts,
    sample: maskTokens(tally.sample),
  };
}

function bySeriousness(a: LogGroup, b: LogGroup): number {
  const rank = (group: LogGroup) => HARM_ORDER.indexOf(group.harm) * 10 + SEVERITY_ORDER.indexOf(SEVERITY[group.class]);
  return rank(a) - rank(b) || b.count - a.count;
}

/** Colours stand in the middle of words; NULs are left of files that were cut while they were written. */
function plain(line: string): string {
  if (!line.includes('\u001b') && !line.includes('\0')) return line;
  return line.replace(CSI, '').replaceAll('\0', '');
}

const CSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
