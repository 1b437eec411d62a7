import { isDecimalRv, type ResourceVersion, revisionsApart, rv } from '../protocol/resource-version.ts';
import type { WatchEventType } from '../protocol/watch-event.ts';
import type { RvOrigin } from './facts.ts';

/** An RV, and when we received it (ms). */
export interface DatedRv {
  rv: ResourceVersion;
  at: number;
}

export interface ResumePoint extends DatedRv {
  origin: RvOrigin;
}

/** What one frame's RV told. */
export interface RvNote {
  /** From the RV before it in this stream. */
  step?: number;
  /** Missing or 0 (""), or no plain decimal. */
  odd?: string;
  /** The stream had come to it, or past it, before this frame. */
  passed?: true;
  /** It lies below one seen before in this stream. */
  wentBackwards?: { before: ResourceVersion; lower: ResourceVersion };
  /** It is a bookmark without an RV (or at 0), or below the last event of this stream. */
  badBookmark?: { rv: string; lastEvent?: string };
}

/** RVs up to so many digits are exact as numbers; longer ones take the slow path. */
const SAFE_DIGITS = 15;

/** The RV as an exact number, or NaN. Called for each event, hence no regular expression and no BigInt. */
function asNumber(text: string): number {
  if (text.length === 0 || text.length > SAFE_DIGITS) return Number.NaN;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Which RV this target has come to: of the last object, of the last bookmark, and the one a resume would use.
 *
 * The initial state (a watch from "" or "0", or with sendInitialEvents) comes in key order, each object with its own RV
 * (facts/server §2.1): until the first frame that is no ADDED the ledger keeps the highest and judges nothing.
 */
export class RvLedger {
  lastObject: DatedRv | undefined;
  lastBookmark: DatedRv | undefined;
  /** Undefined: the next watch starts without an RV. */
  resume: ResumePoint | undefined;
  /** A resume RV was refused, and no other has come since. */
  refused = false;
  /** Something was learnt or lost since the beginning: the RV that came from outside is not to be used again. */
  moved = false;
  #initial = false;
  /** Highest RV that was ever told as the present one: by a bookmark, or by an event that is no part of an initial state. */
  #mark: string | undefined;
  /** Highest RV of this stream, and the one before the present frame. */
  #highest: string | undefined;
  #previous: string | undefined;
  /** RV of this stream's last event that is no part of an initial state. */
  #lastEvent: string | undefined;

  /** Begins at an RV that came from outside. */
  begin(rv: ResourceVersion): void {
    this.resume = { rv, at: 0, origin: 'url' };
  }

  /** A LIST was read. Undefined: it had no RV. */
  listedAt(point: DatedRv | undefined): void {
    // A list below what was known is told by itself; what follows it is no second fall.
    this.#mark = point?.rv;
    this.resume = point && { ...point, origin: 'list' };
    this.refused = false;
    this.moved = true;
  }

  /** The server has refused the resume RV: it is never used again. */
  forget(): void {
    this.resume = undefined;
    this.refused = true;
    this.moved = true;
  }

  /**
   * A stream was opened, at `from`. `initialState`: it begins with the objects there are. What lies above `from` comes again where
   * we went back ourselves (--pin-query): only what is below it went backwards.
   */
  beginStream(initialState: boolean, from: ResourceVersion | undefined = this.resume?.rv): void {
    this.#initial = initialState;
    this.#highest = initialState ? undefined : from;
    this.#previous = undefined;
    this.#lastEvent = undefined;
  }

  /** True while the objects that existed before the stream may still be coming. */
  get inInitialState(): boolean {
    return this.#initial;
  }

  /** A whole frame with this RV arrived (undefined: it has none). ERROR frames are not for the ledger. */
  note(type: WatchEventType, text: string | undefined, at: number): RvNote {
    if (type !== 'ADDED' && this.#initial) this.#endInitialState();
    // 0 stands for no RV in particular (facts/server §2.1): nothing is at it, and nothing has fallen to it.
    if (text === undefined || text === '' || text === '0')
      return type === 'BOOKMARK' ? { badBookmark: { rv: '' } } : { odd: '' };
    const value = rv(text);
    if (type === 'BOOKMARK') this.lastBookmark = { rv: value, at };
    else this.lastObject = { rv: value, at };
    const note: RvNote = {};
    if (Number.isNaN(asNumber(text)) && !isDecimalRv(text)) note.odd = text;
    if (this.#initial) this.#noteInitial(value, at);
    else this.#noteLive(type, value, at, note);
    this.#previous = text;
    return note;
  }

  /** What is told from now on is the present state, and cannot lie below a present state of before. */
  #endInitialState(): void {
    this.#initial = false;
    if (this.#mark !== undefined && (this.#highest === undefined || isBelow(this.#highest, this.#mark))) {
      this.#highest = this.#mark;
    }
  }

  #noteInitial(value: ResourceVersion, at: number): void {
    if (this.#highest !== undefined && isBelow(value, this.#highest)) return;
    this.#highest = value;
    this.#moveTo({ rv: value, at, origin: 'event' });
  }

  #noteLive(type: WatchEventType, value: ResourceVersion, at: number, note: RvNote): void {
    if (this.#previous !== undefined) {
      const step = distance(this.#previous, value);
      if (step !== undefined) note.step = step;
    }
    if (type !== 'BOOKMARK') this.#lastEvent = value;
    else if (this.#lastEvent !== undefined && isBelow(value, this.#lastEvent)) {
      note.badBookmark = { rv: value, lastEvent: this.#lastEvent };
    }
    const below = this.#highest !== undefined && isBelow(value, this.#highest);
    if (below || value === this.#highest) note.passed = true;
    if (this.#highest !== undefined && below) {
      note.wentBackwards = { before: rv(this.#highest), lower: value };
    } else {
      this.#highest = value;
      if (this.#mark === undefined || isBelow(this.#mark, value)) this.#mark = value;
    }
    this.#moveTo({ rv: value, at, origin: type === 'BOOKMARK' ? 'bookmark' : 'event' });
  }

  #moveTo(point: ResumePoint): void {
    this.resume = point;
    this.refused = false;
    this.moved = true;
  }
}

function distance(from: string, to: string): number | undefined {
  const apart = asNumber(to) - asNumber(from);
  return Number.isNaN(apart) ? revisionsApart(from, to) : apart;
}

function isBelow(a: string, b: string): boolean {
  const apart = distance(b, a);
  return apart !== undefined && apart < 0;
}
