import type { ProbeAnswer, StreamFacts, WatchTarget } from '../client/facts.ts';
import type { EventOutput, OpenOutput, Phase } from '../client/output.ts';
import { compareRv, revisionsApart } from '../protocol/resource-version.ts';
import type { FeedItem } from './feed.ts';
import { targetLabel } from './row.ts';
import { sanitize } from './sanitize.ts';

/** How a kube-apiserver paces bookmarks per watcher: every 60 s or a little more (facts/server §3.11). */
export const BOOKMARK_EVERY_MS = 60_000;

/** Pairs of (RV, arrival) that are remembered to tell how old the window's floor is. Thinned out when full. */
const MAX_MARKS = 256;

/** Where an RV stood when it passed by. */
interface Mark {
  rv: string;
  at: number;
}

export interface RvAt {
  rv: string;
  at: number;
}

/**
 * What the header knows of one target, gathered from the feed alone: phase, freshness, the RV ledger (last object RV,
 * last bookmark RV, the RV a resume would use) and the window's floor. It decides nothing; it remembers the last of
 * each.
 */
export class StreamLedger {
  readonly target: WatchTarget;
  phase: Phase | undefined;
  stream: number | undefined;
  /** Streams that were opened so far: the first connection is CONNECTING, later ones RECONNECTING. */
  opened = 0;
  openedAt: number | undefined;
  /** Arrival of the last whole frame, or of the headers. */
  freshAt: number | undefined;
  httpVersion: string | undefined;
  serverVersion: string | undefined;
  resume: (RvAt & { from: 'list' | 'event' | 'bookmark' | 'start' }) | undefined;
  object: RvAt | undefined;
  bookmark: RvAt | undefined;
  /** The running stream's query asks for bookmarks. */
  bookmarksAsked = false;
  /** Lowest RV that a watch may start from; two values where answers of different connections disagree. */
  floor: { low: string; high: string; at: number } | undefined;
  #lastFloor: (RvAt & { connection: number | undefined }) | undefined;
  /** The stream began without an RV, so its first objects come in key order, not in RV order. */
  #initialState = false;
  readonly #marks: Mark[] = [];

  constructor(target: WatchTarget) {
    this.target = target;
  }

  get label(): string {
    return targetLabel(this.target);
  }

  /** Takes what concerns this target; the caller has looked at whose item it is. */
  take(item: FeedItem): void {
    if (item.kind === 'event') this.#event(item);
    else if (item.kind === 'open') this.#open(item);
    else if (item.kind === 'end') this.#end(item.facts);
    else if (item.kind === 'phase') this.phase = item.phase;
    else if (item.kind === 'probe') this.#probe(item.answer);
    else if (item.kind === 'list' && item.facts.rv !== undefined) {
      this.#resumeFrom(item.facts.rv, item.at, 'list');
    }
  }

  /**
   * When the window's floor went by in our own stream: not before `earliest` (undefined: before we began to look) and
   * not after `latest` (undefined: it has not yet). What lies that far back is about to be lost.
   */
  floorPassed(): { earliest: number | undefined; latest: number | undefined } | undefined {
    if (!this.floor) return undefined;
    let earliest: number | undefined;
    for (const { rv, at } of this.#marks) {
      const order = compareRv(rv, this.floor.high);
      if (order === undefined) return undefined;
      if (order > 0) return { earliest, latest: at };
      earliest = at;
    }
    return { earliest, latest: undefined };
  }

  /** Revisions from the floor up to the resume RV; negative: a resume would be refused. */
  slackRevisions(): number | undefined {
    return this.floor && this.resume ? revisionsApart(this.floor.high, this.resume.rv) : undefined;
  }

  #event({ at, fields }: EventOutput): void {
    this.freshAt = at;
    if (fields.rv === undefined || fields.type === 'ERROR') return;
    const rv = sanitize(fields.rv, 64);
    if (fields.type === 'BOOKMARK') {
      this.bookmark = { rv, at };
      this.#initialState = false;
      this.#resumeFrom(rv, at, 'bookmark');
      return;
    }
    this.object = { rv, at };
    if (this.#initialState && this.resume && compareRv(rv, this.resume.rv) !== 1) return;
    this.#resumeFrom(rv, at, 'event');
  }

  #open(open: OpenOutput): void {
    this.httpVersion = open.httpVersion;
    if (open.verb !== 'watch' || open.httpStatus !== 200) return;
    this.opened += 1;
    this.stream = open.stream;
    this.openedAt = open.at;
    this.freshAt = open.at;
    this.bookmarksAsked = /[?&]allowWatchBookmarks=(?:true|1|t)(?:&|$)/i.test(open.methodPath);
    const { requestedRv } = open;
    this.#initialState = requestedRv === undefined || requestedRv === '' || requestedRv === '0';
    if (!this.#initialState && !this.resume && requestedRv !== undefined) {
      this.#resumeFrom(sanitize(requestedRv, 64), open.at, 'start');
    }
  }

  #end(facts: StreamFacts): void {
    if (facts.lastRv !== undefined && facts.lastRvAt !== undefined && facts.lastRvOrigin !== undefined) {
      const { lastRvOrigin: origin } = facts;
      const from = origin === 'event' || origin === 'bookmark' || origin === 'list' ? origin : 'start';
      this.#resumeFrom(sanitize(facts.lastRv, 64), facts.lastRvAt, from);
    }
  }

  #probe({ outcome, answeredAt, connection }: ProbeAnswer): void {
    if (outcome.kind === 'version') this.serverVersion = sanitize(outcome.gitVersion, 40);
    if (outcome.kind !== 'floor') return;
    const floor = sanitize(outcome.floor, 64);
    const last = this.#lastFloor;
    // A floor only creeps up. One that is lower than before, on another connection, is another replica's.
    const fell = last && last.connection !== connection && compareRv(floor, last.rv) === -1;
    this.floor = { low: floor, high: fell ? last.rv : floor, at: answeredAt };
    this.#lastFloor = { rv: floor, at: answeredAt, connection };
  }

  #resumeFrom(rv: string, at: number, from: 'list' | 'event' | 'bookmark' | 'start'): void {
    this.resume = { rv, at, from };
    // What comes of the initial state says nothing about when it was written.
    if (from === 'start' || this.#initialState) return;
    this.#marks.push({ rv, at });
    if (this.#marks.length <= MAX_MARKS) return;
    // Every second of the older half goes: recent history stays fine, old history gets coarse, none is lost.
    for (let i = MAX_MARKS / 2 - 1; i > 0; i -= 2) this.#marks.splice(i, 1);
  }
}
