import type { WatcherEvent } from '../../src/store/resource-storage.ts';

/** One write, as the store numbered it. */
export interface Write {
  rv: number;
  name: string;
  /** undefined: deleted. */
  labels: Record<string, string> | undefined;
}

/** What a client saw: `ADDED a@101`. */
type Seen = string;

/** All that was ever written: what a watch must show follows from it. */
export class History {
  readonly writes: Write[] = [];

  /** The labels of an object after all writes up to `rv`; undefined where it is not there. */
  labelsAt(name: string, rv: number): Write['labels'] {
    return this.writes.findLast((write) => write.name === name && write.rv <= rv)?.labels;
  }

  /** The selected objects at `rv` as initial events, in the order of keys. */
  stateAt(rv: number, app: string | undefined): Seen[] {
    const names = [...new Set(this.writes.map((write) => write.name))].sort();
    return names.flatMap((name) => {
      const last = this.writes.findLast((write) => write.name === name && write.rv <= rv);
      return last && selects(app, last.labels) ? [`ADDED ${name}@${last.rv}`] : [];
    });
  }

  /** Every event after `from` that a watch with this selector is owed, up to `to`. */
  eventsAfter(from: number, to: number, app: string | undefined): Seen[] {
    return this.writes.flatMap((write) => {
      if (write.rv <= from || write.rv > to) return [];
      const passes = selects(app, write.labels);
      const passed = selects(app, this.labelsAt(write.name, write.rv - 1));
      if (!passes && !passed) return [];
      const type = passes ? (passed ? 'MODIFIED' : 'ADDED') : 'DELETED';
      return [`${type} ${write.name}@${write.rv}`];
    });
  }
}

function selects(app: string | undefined, labels: Write['labels']): boolean {
  return labels !== undefined && (app === undefined || labels.app === app);
}

/** What one client saw over all its streams, resumes included. */
export interface Log {
  app: string | undefined;
  /** The RV it started from; for a start with the present state the RV which that state stands for. */
  start: number;
  /** How many of the events are initial state. */
  initial: number;
  events: Exclude<WatcherEvent, { type: 'ERROR' }>[];
}

/** The broken guarantees of a log, in words; empty where it kept them all. `upTo`: the log must reach this RV. */
export function broken(history: History, log: Log, upTo?: number): string[] {
  const seen = log.events.slice(log.initial);
  const data = seen.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [text(event)]));
  const last = upTo ?? Math.max(log.start, ...seen.map(rvOf));
  const owed = history.eventsAfter(log.start, last, log.app);
  return [...ordered(seen), ...unique(data), ...bookmarkable(history, log, seen), ...reliable(data, owed)];
}

/** ordered: RVs never go back. A bookmark may repeat the RV of what it follows. */
function ordered(seen: Log['events']): string[] {
  return seen.flatMap((event, i) => {
    const before = seen[i - 1];
    if (!before || rvOf(event) >= rvOf(before)) return [];
    return [`ordered: ${rvOf(event)} came after ${rvOf(before)}`];
  });
}

/** unique: no event twice. */
function unique(data: Seen[]): string[] {
  return data.filter((one, i) => data.indexOf(one) !== i).map((one) => `unique: ${one} came twice`);
}

/** bookmarkable: a bookmark at R says that everything up to R was sent, and nothing up to R follows. */
function bookmarkable(history: History, log: Log, seen: Log['events']): string[] {
  return seen.flatMap((event, i) => {
    if (event.type !== 'BOOKMARK') return [];
    const before = seen.slice(0, i).filter((one) => one.type !== 'BOOKMARK').length;
    const owed = history.eventsAfter(log.start, event.rv, log.app).length;
    return before === owed
      ? []
      : [`bookmarkable: ${owed} events were owed before the bookmark at ${event.rv}, not ${before}`];
  });
}

/** reliable and filtered: exactly what was owed, no gap, nothing else. */
function reliable(data: Seen[], owed: Seen[]): string[] {
  const at = owed.findIndex((one, i) => one !== data[i]);
  if (at >= 0) return [`reliable: ${owed[at]} was owed, ${data[at] ?? 'nothing'} came`];
  return data.length > owed.length ? [`filtered: ${data[owed.length]} was not owed`] : [];
}

export function rvOf(event: Log['events'][number]): number {
  return event.type === 'BOOKMARK' ? event.rv : event.object.rv;
}

export function text(event: Log['events'][number]): Seen {
  if (event.type === 'BOOKMARK') return `BOOKMARK @${event.rv}`;
  return `${event.type} ${event.object.object.metadata.name}@${event.object.rv}`;
}
