import type { FeedItem, FindingItem } from './feed.ts';
import { type Row, toRow } from './row.ts';

/** Entries that are kept: an hour of a busy list. What is older is dropped and counted. */
export const MAX_ENTRIES = 10_000;

/** Bytes of raw frames kept for the detail pane; a frame of 12 KiB leaves 2,700 of them. */
export const MAX_RAW_BYTES = 32 * 1024 * 1024;

/** Lanes (watcher and target) whose last time is remembered for the Δ column. */
const MAX_LANES = 256;

/** A row or a finding, at its place in the order of arrival. */
export type TimelineEntry = RowEntry | FindingEntry;

interface RowEntry {
  kind: 'row';
  seq: number;
  row: Row;
  /** Since the row before it of the same watcher and target. */
  deltaMs?: number;
  /** What it was made of, for the detail pane. An event's `raw` is empty once its bytes were dropped. */
  item: FeedItem;
}

export interface FindingEntry {
  kind: 'finding';
  seq: number;
  item: FindingItem & { watcher?: string };
}

/**
 * Everything that a screen can scroll through: bounded, in order of arrival, cheap to add to. A later revision of a
 * finding takes the place of the earlier one, so that it stays where it happened. Nothing is drawn here.
 */
export class Timeline {
  readonly #slots: (TimelineEntry | undefined)[] = [];
  readonly #findings = new Map<string, number>();
  readonly #lastAt = new Map<string, number>();
  #next = 0;
  #rawBytes = 0;
  /** Entries below this have had their raw bytes dropped. */
  #rawFrom = 0;

  /** Sequence number that the next entry will get. */
  get next(): number {
    return this.#next;
  }

  /** The oldest sequence number that is still kept; as many were dropped. */
  get first(): number {
    return Math.max(0, this.#next - MAX_ENTRIES);
  }

  /** Adds what `item` shows; false where it has no row (a phase, a probe that feeds the header). */
  push(item: FeedItem): boolean {
    if (item.kind === 'finding') {
      this.#pushFinding(item);
      return true;
    }
    const row = toRow(item);
    if (!row) return false;
    const entry: RowEntry = { kind: 'row', seq: this.#next, row, item: this.#keep(item) };
    const since = this.#sinceLast(row);
    if (since !== undefined) entry.deltaMs = since;
    this.#append(entry);
    this.#boundRaw();
    return true;
  }

  at(seq: number): TimelineEntry | undefined {
    return seq >= this.first && seq < this.#next ? this.#slots[seq % MAX_ENTRIES] : undefined;
  }

  /** Entries from `from` backwards to the oldest, newest first. */
  *backwards(from = this.#next - 1): Generator<TimelineEntry> {
    for (let seq = Math.min(from, this.#next - 1); seq >= this.first; seq--) {
      const entry = this.at(seq);
      if (entry) yield entry;
    }
  }

  /** Entries from `from` on, oldest first. */
  *forwards(from: number): Generator<TimelineEntry> {
    for (let seq = Math.max(from, this.first); seq < this.#next; seq++) {
      const entry = this.at(seq);
      if (entry) yield entry;
    }
  }

  /** Findings that are still kept, in the order in which they happened. */
  findings(): FindingEntry[] {
    const kept: FindingEntry[] = [];
    for (const seq of [...this.#findings.values()].sort((a, b) => a - b)) {
      const entry = this.at(seq);
      if (entry?.kind === 'finding') kept.push(entry);
    }
    return kept;
  }

  #pushFinding(item: FindingItem & { watcher?: string }): void {
    const id = `${item.watcher ?? ''}/${item.finding.id}`;
    const seq = this.#findings.get(id);
    const earlier = seq === undefined ? undefined : this.at(seq);
    if (earlier?.kind !== 'finding') {
      this.#findings.set(id, this.#next);
      this.#append({ kind: 'finding', seq: this.#next, item });
      return;
    }
    if (item.finding.rev < earlier.item.finding.rev) return;
    // The server's word on it may have come with an earlier revision.
    const agrees = item.agrees ?? earlier.item.agrees;
    this.#slots[earlier.seq % MAX_ENTRIES] = { ...earlier, item: agrees ? { ...item, agrees } : item };
  }

  #append(entry: TimelineEntry): void {
    const leaving = this.at(this.#next - MAX_ENTRIES);
    if (leaving) this.#forget(leaving);
    this.#slots[this.#next % MAX_ENTRIES] = entry;
    this.#next += 1;
  }

  #forget(entry: TimelineEntry): void {
    if (entry.kind === 'finding') {
      this.#findings.delete(`${entry.item.watcher ?? ''}/${entry.item.finding.id}`);
      return;
    }
    this.#rawBytes -= rawLength(entry.item);
    this.#rawFrom = Math.max(this.#rawFrom, entry.seq + 1);
  }

  /** A frame may be a window on memory that the reader uses again: what is kept is copied. */
  #keep(item: FeedItem): FeedItem {
    if (item.kind !== 'event') return item;
    this.#rawBytes += item.raw.byteLength;
    return { ...item, raw: new Uint8Array(item.raw) };
  }

  #boundRaw(): void {
    for (; this.#rawBytes > MAX_RAW_BYTES && this.#rawFrom < this.#next; this.#rawFrom++) {
      const entry = this.at(this.#rawFrom);
      if (entry?.kind !== 'row' || entry.item.kind !== 'event') continue;
      this.#rawBytes -= entry.item.raw.byteLength;
      entry.item = { ...entry.item, raw: new Uint8Array(0) };
    }
  }

  #sinceLast(row: Row): number | undefined {
    const lane = `${row.watcher ?? ''}/${row.target ?? ''}`;
    const last = this.#lastAt.get(lane);
    if (this.#lastAt.size >= MAX_LANES && last === undefined) this.#lastAt.clear();
    this.#lastAt.set(lane, row.at);
    return last === undefined || !row.isEvent || row.letter === 'E' ? undefined : row.at - last;
  }
}

function rawLength(item: FeedItem): number {
  return item.kind === 'event' ? item.raw.byteLength : 0;
}
