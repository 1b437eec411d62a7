import type { AnswerHeaders } from '../client/facts.ts';
import type { Phase } from '../client/output.ts';
import type { FeedItem } from '../render/feed.ts';
import type { TraceEvent } from '../store/trace.ts';

/** Who a watcher of the lab is. */
export interface RoomRole {
  name: string;
  role: string;
  resource: string;
  /** Index of the apiserver that it asks; absent: 0. */
  server?: number;
}

/** Who comes back sooner than this, ms, was never away: it asked for something else. */
const AT_ONCE_MS = 100;

/** States of a session as the words of the watcher table. */
const STATE_WORD: Record<Phase['state'], string> = {
  listing: 'LISTING',
  connecting: 'CONNECTING',
  streaming: 'LIVE',
  'no-answer': 'NO ANSWER',
  backoff: 'BACKOFF',
  away: 'AWAY',
  stopped: 'ENDED',
};

/**
 * What is known of one watcher of the lab: what its client told last, and what the server did to the watch that it
 * still believes to have. Times in its story count from `since`, as those of the rows do.
 */
export class RoomWatcher {
  readonly role: RoomRole;
  readonly #since: number;
  /** Index of the apiserver that served it last. */
  server: number;
  /** As its client sees it. */
  state = 'STARTING';
  /** What the server did to its stream, which the client has not seen yet. */
  serverSays: 'TERMINATED' | 'CLOSED' | undefined;
  /** The RV that it would resume from. */
  holdsRv: number | undefined;
  /** Of the request whose stream it has open. */
  auditId: string | undefined;
  /** What happened to it, in a few words. */
  story = '';
  /** It leaves its socket unread. */
  stalled = false;
  #leftAt: number | undefined;
  /** The RV of its last request. */
  #asked: string | undefined;

  constructor(role: RoomRole, since: number) {
    this.role = role;
    this.server = role.server ?? 0;
    this.#since = since;
  }

  /** Takes what its client told, or what the lab did with it. */
  take(item: FeedItem): void {
    switch (item.kind) {
      case 'phase':
        this.#phase(item.phase);
        return;
      case 'open':
        if (item.verb === 'watch' && item.httpStatus === 200) this.#opened(item.headers, item.requestedRv);
        return;
      case 'event':
        if (item.fields.type === 'ERROR') this.#refused(item.status?.code);
        else this.#holds(item.fields.rv);
        return;
      case 'list':
        if (item.facts.rv !== undefined) this.#holds(item.facts.rv, true);
        return;
      case 'end':
        this.#ended(item.facts.end === 'rejected' ? item.facts.httpStatus : undefined);
        return;
      case 'trace':
        this.#told(item.what, item.at);
        return;
      default:
        return;
    }
  }

  /** Takes what an apiserver did, where it was done to this watcher's stream. */
  takeTrace(event: TraceEvent, server: number): void {
    if (this.auditId === undefined) return;
    if (event.what === 'reinit' && event.resource === this.role.resource && server === this.server) {
      this.story = `closed at ${this.#time(event.at)} by a rebuild`;
    }
    if (event.what === 'terminate' && event.auditId === this.auditId) {
      this.serverSays = 'TERMINATED';
      this.story = `closed at ${this.#time(event.at)}, too slow`;
    }
  }

  /** Its request is open at this apiserver; negative: at none. It may have come back to another one. */
  isServedBy(server: number): void {
    if (server >= 0) this.server = server;
  }

  /** The server's caches know no watch of this Audit-Id any more, and the client has not been told. */
  notServed(): void {
    this.serverSays ??= 'CLOSED';
  }

  /** Its request that has no headers yet, so that its Audit-Id is not known. */
  isWaitingFor({ groupResource, requestedRv }: { groupResource: string; requestedRv: string }): boolean {
    const waits = this.state === STATE_WORD.connecting || this.state === STATE_WORD['no-answer'];
    return waits && groupResource === this.role.resource && requestedRv === (this.#asked ?? '');
  }

  #phase(phase: Phase): void {
    this.state = STATE_WORD[phase.state];
    if (phase.state === 'connecting') this.#asked = phase.rv;
  }

  #opened(headers: AnswerHeaders, requestedRv: string | undefined): void {
    this.auditId = headers['audit-id'];
    this.#asked = requestedRv;
    this.serverSays = undefined;
  }

  #ended(status: number | undefined): void {
    this.auditId = undefined;
    this.serverSays = undefined;
    if (status !== undefined) this.#refused(status);
  }

  #refused(code: number | undefined): void {
    if (code !== 410 || this.#asked === undefined) return;
    const lost = `lost ${this.#asked}`;
    if (this.story.endsWith(lost)) return;
    this.story =
      this.story === '' ? lost : `${this.story.replace(/, too slow| by a rebuild|, lost \d+$/, '')}, ${lost}`;
  }

  #told(what: string, at: number): void {
    if (what === 'away') {
      this.state = 'AWAY';
      this.#leftAt = at;
      this.story = `left at ${this.#time(at)}`;
    } else if (what === 'back') {
      this.state = 'RETURNING';
      const away = this.#leftAt === undefined ? 0 : at - this.#leftAt;
      this.story = away < AT_ONCE_MS ? `came back at ${this.#time(at)}` : `was away ${seconds(away)}`;
      this.#leftAt = undefined;
    }
  }

  #holds(rv: string | undefined, anew = false): void {
    const number = Number(rv);
    if (!Number.isSafeInteger(number) || number < 0) return;
    this.holdsRv = anew ? number : Math.max(this.holdsRv ?? 0, number);
  }

  #time(at: number): string {
    return seconds(at - this.#since);
  }
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}
