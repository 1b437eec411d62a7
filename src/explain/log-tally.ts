import type { Harm, Recognised } from './explain.ts';
import { Episodes } from './log-episodes.ts';
import type { LogRecord } from './log-records.ts';
import { LogSpan, sameYear } from './log-span.ts';
import type { TimeScale } from './log-time.ts';
import { apiserverOf, listForm, watcherOf } from './log-watcher.ts';
import { WatcherTally } from './log-watcher-tally.ts';

/** Watchers that are told apart in one class. Later ones are counted together. */
const MAX_WATCHERS = 1_000;
const MAX_SERVERS = 50;
const MAX_SOURCES = 1_000;
/** Characters of a name that another file has found. */
const MAX_NAME = 200;
/** Names stand near the beginning of a record. */
const NAMED_WITHIN = 8 * 1024;
/** Characters of the example that are kept. */
const MAX_SAMPLE = 2_000;

const HARM_RANK: Record<Harm, number> = { 'harmless-once': 0, depends: 1, act: 2 };

export function worse(a: Harm, b: Harm): Harm {
  return HARM_RANK[b] > HARM_RANK[a] ? b : a;
}

/** All records of one class in a log: bounded, whatever the log's size. */
export class Tally {
  count = 0;
  readonly span = new LogSpan();
  readonly episodes = new Episodes();
  /** By source and name, so that two pods of one program are two. */
  readonly watchers = new Map<string, WatcherTally>();
  /** Names alone (contract: different `reflector` + type, resource or watcher). */
  readonly names = new Map<string, number>();
  readonly servers = new Set<string>();
  readonly sources = new Set<string>();
  readonly refusers = new Map<string, number>();
  /** There were more watchers than are told apart. */
  capped = false;
  /** The most harmful record, the first among equals; of a loop, where there is one. */
  worst: Recognised;
  sample: string;
  #lastMs = 0;
  #scale: TimeScale | undefined;
  /** The example is of a loop. */
  #looping = false;

  constructor(found: Recognised, record: LogRecord) {
    this.worst = kept(found);
    this.sample = flat(record.text.slice(0, MAX_SAMPLE));
  }

  take(record: LogRecord, found: Recognised): void {
    const time = record.when();
    const ms = time && (time.scale === 'yearless' ? sameYear(time.ms, this.#lastMs || time.ms) : time.ms);
    const text = record.text.slice(0, NAMED_WITHIN);
    const name = watcherOf(text) ?? found.facts.resource?.slice(0, MAX_NAME);
    const watcher = this.#watcher(record.source, name);
    this.span.take(time);
    // Of a server that has not come so far, it matters whether it moves at all.
    const rv = found.class === 'rv-too-large' ? found.facts.current_rv : found.facts.requested_rv;
    if (!watcher.take(ms, listForm(text), rv)) return;
    this.count += 1;
    // Of one scale alone: what two programs call half past four may be hours apart.
    this.#scale ??= time?.scale;
    if (ms !== undefined && time?.scale === this.#scale) {
      this.episodes.take(ms);
      this.#lastMs = ms;
    }
    this.#note(record, found, name, apiserverOf(text));
    if (watcher.loops && !this.#looping) {
      this.#looping = true;
      this.#example(record, found);
    }
  }

  #watcher(source: string, name: string | undefined): WatcherTally {
    let key = `${source}\n${name ?? ''}`;
    if (!this.watchers.has(key) && this.watchers.size >= MAX_WATCHERS) {
      this.capped = true;
      key = '';
    }
    let watcher = this.watchers.get(key);
    if (!watcher) {
      watcher = new WatcherTally();
      this.watchers.set(flat(key), watcher);
    }
    return watcher;
  }

  #note(record: LogRecord, found: Recognised, name: string | undefined, server: string | undefined): void {
    if (name !== undefined) {
      const known = this.names.get(name);
      if (known !== undefined) this.names.set(name, known + 1);
      else if (this.names.size < MAX_WATCHERS) this.names.set(flat(name), 1);
      else this.capped = true;
    }
    if (server !== undefined) remember(this.servers, server, MAX_SERVERS);
    if (record.source !== '') remember(this.sources, record.source, MAX_SOURCES);
    if (found.refusedBy !== null) this.refusers.set(found.refusedBy, (this.refusers.get(found.refusedBy) ?? 0) + 1);
    if (HARM_RANK[found.harm] > HARM_RANK[this.worst.harm]) this.#example(record, found);
  }

  #example(record: LogRecord, found: Recognised): void {
    this.worst = kept(found);
    this.sample = flat(record.text.slice(0, MAX_SAMPLE));
  }
}

function remember(known: Set<string>, name: string, most: number): void {
  if (!known.has(name) && known.size < most) known.add(flat(name));
}

/** A copy that does not hold on to the piece of the log that it was cut from. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

function kept(found: Recognised): Recognised {
  const facts = Object.fromEntries(Object.entries(found.facts).map(([name, value]) => [name, flat(value)]));
  return { ...found, facts };
}
