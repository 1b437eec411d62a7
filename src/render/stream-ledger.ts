import type { ProbeAnswer, StreamFacts, WatchTarget } from '../client/facts.ts';
import type { EventOutput, OpenOutput, Phase } from '../client/output.ts';
import { recogniseExpired } from '../protocol/expired-text.ts';
import { compareRv } from '../protocol/resource-version.ts';
import type { FeedItem } from './feed.ts';
import { targetLabel } from './row.ts';
import { sanitize } from './sanitize.ts';
import { WindowLog } from './window-log.ts';

/** How a kube-apiserver paces bookmarks per watcher: every 60 s or a little more (facts/server §3.11). */
export const BOOKMARK_EVERY_MS = 60_000;

/** Code of a 410's Status. */
const GONE = 410;

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
  /** That stream is open still. */
  open = false;
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
  /** When a second watch, or the cache itself, was last found to have no news either. */
  noNewsAt: number | undefined;
  /** How far back the watch cache reaches. */
  readonly window = new WindowLog();
  /** The stream began without an RV, so its first objects come in key order, not in RV order. */
  #initialState = false;

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

  #event({ at, fields, status }: EventOutput): void {
    this.freshAt = at;
    if (fields.type === 'ERROR') {
      const floor = status?.code === GONE ? recogniseExpired(status.message ?? '')?.floor : undefined;
      if (floor !== undefined) this.window.floor({ rv: floor, askedAt: this.openedAt ?? at, at });
    }
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
    this.open = true;
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
    if (facts.stream === this.stream) this.open = false;
    if (facts.lastRv !== undefined && facts.lastRvAt !== undefined && facts.lastRvOrigin !== undefined) {
      const { lastRvOrigin: origin } = facts;
      const from = origin === 'event' || origin === 'bookmark' || origin === 'list' ? origin : 'start';
      this.#resumeFrom(sanitize(facts.lastRv, 64), facts.lastRvAt, from);
    }
  }

  /** Also one that another target of the same resource asked: they have one watch cache. */
  #probe(answer: ProbeAnswer): void {
    const { outcome } = answer;
    if (outcome.kind === 'version') this.serverVersion = sanitize(outcome.gitVersion, 40);
    if (this.#isNoNews(answer)) this.noNewsAt = answer.askedAt;
    this.window.probe(answer);
  }

  /** A second watch from the same RV got nothing, or the cache has come no further than this stream. */
  #isNoNews({ outcome }: ProbeAnswer): boolean {
    if (outcome.kind !== 'side' && outcome.kind !== 'rv') return false;
    if (outcome.kind === 'side' && outcome.frames > 0) return false;
    const told = outcome.kind === 'side' ? outcome.lastRv : outcome.rv;
    return told === undefined || (this.resume !== undefined && (compareRv(told, this.resume.rv) ?? 1) <= 0);
  }

  #resumeFrom(rv: string, at: number, from: 'list' | 'event' | 'bookmark' | 'start'): void {
    this.resume = { rv, at, from };
    // What comes of the initial state says nothing about when it was written.
    this.window.resumeFrom(rv, at, from !== 'start' && !this.#initialState);
  }
}
