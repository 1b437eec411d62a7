import { compareRv, type ResourceVersion } from '../protocol/resource-version.ts';
import type { Status } from '../protocol/status.ts';
import type { EventFields } from '../protocol/watch-event.ts';
import { parseGoDuration } from '../util/go-duration.ts';
import type { AnswerHead } from './answer-head.ts';
import { ClumpLog } from './clump-log.ts';
import type { TransportEnd } from './end-kind.ts';
import type { RvOrigin, StreamFacts, WatchTarget } from './facts.ts';
import type { ResumePoint, RvNote } from './rv-ledger.ts';
import { quotable } from './secret-text.ts';
import { SelectionExitLog } from './selection-exits.ts';
import { readQuery, type SentQuery, valueIn } from './sent-query.ts';

/** Arrival times of bookmarks that are kept: a quarter of an hour of them. */
const MAX_BOOKMARK_TIMES = 16;
/** Characters kept of a malformed frame, and of a half one. */
const MAX_TEXT = 200;
const SECOND_MS = 1000;

/** What a request is, before anything came back. */
export interface AskedStream {
  stream: number;
  target: WatchTarget;
  methodPath: string;
  askedAt: number;
  /** Where the RV in the request came from; undefined: none, or from outside. */
  from: ResumePoint | undefined;
}

/** Measures one stream as it goes. Its size is bounded whatever the stream brings. */
export class StreamRecorder {
  readonly facts: StreamFacts;
  #stallBegan: number | undefined;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #inSecond = 0;
  /** The last silence of more than a second, ms. */
  #quietMs = 0;
  /** The first malformed text, with what followed it at once, and how many frames had come before it. */
  #foreign: { text: string; frames: number } | undefined;
  readonly #exits = new SelectionExitLog();
  readonly #clumps = new ClumpLog();

  constructor(asked: AskedStream) {
    const mark = asked.methodPath.indexOf('?');
    const query = readQuery(mark < 0 ? '' : asked.methodPath.slice(mark + 1));
    const rv = valueIn(query, 'resourceVersion') || undefined;
    const timeout = wholeSeconds(valueIn(query, 'timeoutSeconds'));
    const clientTimeout = parseGoDuration(valueIn(query, 'timeout') ?? '');
    const sendInitialEvents = isTrue(valueIn(query, 'sendInitialEvents'));
    this.facts = {
      stream: asked.stream,
      target: asked.target,
      methodPath: asked.methodPath,
      ...(rv === undefined ? {} : { requestedRv: rv as ResourceVersion }),
      ...originOf(rv, asked.from),
      ...(rv === undefined || rv === '0' ? {} : startOf(rv as ResourceVersion, asked.from)),
      ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
      ...(clientTimeout ? { clientTimeoutMs: clientTimeout } : {}),
      allowWatchBookmarks: isTrue(valueIn(query, 'allowWatchBookmarks')),
      sendInitialEvents,
      ...(sendInitialEvents ? { initialEventsEndAt: null } : {}),
      hasSelector: Boolean(valueIn(query, 'labelSelector') || valueIn(query, 'fieldSelector')),
      ...(canLeave(query) ? { canLeaveSelection: true } : {}),
      askedAt: asked.askedAt,
      headers: {},
      framed: false,
      bytes: 0,
      events: 0,
      bookmarks: 0,
      malformed: 0,
      bookmarkTimes: [],
      peakPerSecond: 0,
      eventsInFirstSecond: 0,
      readStalledMs: 0,
      tailBytes: 0,
    };
  }

  /** The stream begins with the objects there are (facts/server §2.1). */
  get startsWithState(): boolean {
    const { requestedRv, sendInitialEvents } = this.facts;
    return requestedRv === undefined || requestedRv === '0' || sendInitialEvents;
  }

  answered(head: AnswerHead, writtenAt: number, at: number): void {
    const { facts } = this;
    facts.askedAt = writtenAt;
    facts.openedAt = at;
    facts.httpStatus = head.status;
    facts.httpVersion = head.httpVersion;
    facts.headers = head.headers;
    facts.framed = head.framed;
    facts.connection = head.connection;
  }

  received(bytes: number, at: number): void {
    const { facts } = this;
    const since = Math.max(facts.lastByteAt ?? facts.openedAt ?? at, facts.readStallEndedAt ?? 0);
    if (at - since > (facts.longestSilenceMs ?? 0)) facts.longestSilenceMs = at - since;
    if (at - since > SECOND_MS) this.#quietMs = at - since;
    facts.bytes += bytes;
    facts.lastByteAt = at;
    if (facts.pingUnansweredSince !== undefined) delete facts.pingUnansweredSince;
  }

  /** The connection answered a ping. */
  pong(at: number): void {
    this.facts.pongAt = at;
    delete this.facts.pingUnansweredSince;
  }

  /** The ping sent at `pingedAt` has had no answer; what came over the stream since is one as well. */
  noPong(pingedAt: number): void {
    if ((this.facts.lastByteAt ?? 0) < pingedAt) this.facts.pingUnansweredSince = pingedAt;
  }

  event(at: number): void {
    const { facts } = this;
    facts.events += 1;
    facts.firstEventAt ??= at;
    facts.lastEventAt = at;
    if (facts.openedAt !== undefined && at - facts.openedAt <= SECOND_MS) facts.eventsInFirstSecond += 1;
    if (at - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = at;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    if (this.#inSecond > facts.peakPerSecond) {
      facts.peakPerSecond = this.#inSecond;
      facts.peakAt = this.#secondBegan;
    }
  }

  bookmark(at: number, endsInitialEvents: boolean): void {
    const { facts } = this;
    facts.bookmarks += 1;
    facts.bookmarkTimes.push(at);
    if (facts.bookmarkTimes.length > MAX_BOOKMARK_TIMES) facts.bookmarkTimes.shift();
    if (endsInitialEvents && facts.initialEventsEndAt === null) facts.initialEventsEndAt = at;
  }

  error(status: Status, at: number): void {
    this.facts.errorStatus = status;
    this.facts.errorAt = at;
  }

  /** The RV that was asked for is refused: no resume will use it. */
  gone(): void {
    const { events, bookmarks, lastRv, lastRvAt } = this.facts;
    if (events + bookmarks > 0 && lastRv !== undefined && lastRvAt !== undefined) {
      this.facts.cameTo = { rv: lastRv, at: lastRvAt };
    }
    delete this.facts.lastRv;
    delete this.facts.lastRvAt;
    delete this.facts.lastRvOrigin;
  }

  malformed(text: string): void {
    const { facts } = this;
    facts.malformed += 1;
    const frames = facts.events + facts.bookmarks;
    // A page comes in many lines, and the first says nothing: what follows at once belongs to it.
    if (this.#foreign !== undefined && this.#foreign.frames !== frames) return;
    const before = this.#foreign ? `${this.#foreign.text}\n` : '';
    if (before.length > MAX_TEXT) return;
    this.#foreign = { text: (before + text).slice(0, MAX_TEXT), frames };
    facts.malformedText = quotable(this.#foreign.text, facts.target);
  }

  /**
   * An event of an object that is known at just this RV. It was told twice where the stream had come to that RV before, or where the
   * request excluded it: what lies above the RV that was asked for comes again when we went back ourselves.
   */
  again({ name = '', namespace, rv = '' }: EventFields, passed: boolean): void {
    const { facts } = this;
    const excluded = facts.requestedRv !== undefined && (compareRv(rv, facts.requestedRv) ?? 1) <= 0;
    if (rv === '0' || !(passed || excluded)) return;
    facts.toldAgain ??= { count: 0, name: namespace ? `${namespace}/${name}` : name, rv };
    facts.toldAgain.count += 1;
  }

  /** A change that is no part of an initial state. */
  change(fields: EventFields, raw: Uint8Array, at: number): void {
    const { facts } = this;
    if (facts.canLeaveSelection) {
      this.#exits.note(fields, raw, at);
      if (this.#exits.facts) facts.selectionExits = this.#exits.facts;
      else delete facts.selectionExits;
    }
    // What came late because we did not read was held back by nobody else.
    if (at - (facts.readStallEndedAt ?? Number.NEGATIVE_INFINITY) <= SECOND_MS) return;
    this.#clumps.event(fields, raw, at, this.#quietMs);
    if (this.#clumps.clumps.length > 0) facts.clumps = this.#clumps.clumps;
  }

  /** What the ledger says after a frame of that type. */
  rv(note: RvNote, resume: ResumePoint | undefined, at: number, type: EventFields['type']): void {
    const { facts } = this;
    if (note.odd !== undefined) facts.oddRv ??= note.odd;
    if (note.badBookmark) facts.badBookmark ??= note.badBookmark;
    if (note.wentBackwards) {
      facts.wentBackwards ??= note.wentBackwards;
      facts.lowFrames ??= { count: 0, events: 0, firstAt: at, lastAt: at };
      facts.lowFrames.count += 1;
      facts.lowFrames.lastAt = at;
      if (type !== 'BOOKMARK') facts.lowFrames.events += 1;
    }
    if (!resume) return;
    facts.lastRv = resume.rv;
    facts.lastRvAt = resume.at;
    facts.lastRvOrigin = resume.origin;
  }

  stallBegins(at: number): void {
    this.#stallBegan ??= at;
    this.facts.readPausedAt ??= at;
  }

  stallEnds(at: number): void {
    if (this.#stallBegan === undefined) return;
    this.facts.readStalledMs += at - this.#stallBegan;
    this.facts.readStallEndedAt = at;
    this.#stallBegan = undefined;
    delete this.facts.readPausedAt;
  }

  get stalling(): boolean {
    return this.#stallBegan !== undefined;
  }

  ended(end: TransportEnd, at: number, tail?: { tailBytes: number; tailText: string }): void {
    const { facts } = this;
    this.stallEnds(at);
    facts.endedAt = at;
    facts.end = end.end;
    if (end.detail !== '') facts.endDetail = end.detail;
    if (!tail || tail.tailBytes === 0) return;
    facts.tailBytes = tail.tailBytes;
    facts.tailText = quotable(tail.tailText.slice(0, MAX_TEXT), facts.target);
  }
}

/** Type of an event that carries an object. */
export function isData(type: EventFields['type']): boolean {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function originOf(
  rv: string | undefined,
  from: ResumePoint | undefined,
): { requestedRvOrigin: RvOrigin; requestedRvAt?: number } {
  if (rv === undefined) return { requestedRvOrigin: 'none' };
  if (!from || from.rv !== rv || from.origin === 'url') return { requestedRvOrigin: 'url' };
  return { requestedRvOrigin: from.origin, requestedRvAt: from.at };
}

/** Until a frame brings another one, a resume would use what the request used. */
function startOf(
  rv: ResourceVersion,
  from: ResumePoint | undefined,
): { lastRv: ResourceVersion; lastRvOrigin: RvOrigin; lastRvAt?: number } {
  if (!from || from.rv !== rv || from.origin === 'url') return { lastRv: rv, lastRvOrigin: 'url' };
  return { lastRv: rv, lastRvOrigin: from.origin, lastRvAt: from.at };
}

/** True for a selector on anything that may change: a name and a namespace cannot. */
function canLeave(query: SentQuery): boolean {
  if (valueIn(query, 'labelSelector')?.trim()) return true;
  const terms = (valueIn(query, 'fieldSelector') ?? '').split(',').filter((term) => term.trim() !== '');
  return terms.some((term) => !/^\s*metadata\.(?:name|namespace)\s*(?:=|!)/.test(term));
}

/** Go's ParseBool, as the apiserver decodes its booleans; anything else it refuses. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|t|T|true|TRUE|True)$/.test(text);
}

/** A positive number of seconds; 0, negative and unreadable ones are as good as absent (facts/server §1.2). */
function wholeSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
