import { compareRv } from '../protocol/resource-version.ts';

/** Bookmarks remembered: four hours of them. Older ones make room; a later one covers what they did. */
const MAX_BOOKMARKS = 240;

/** What promised that everything up to `rv` had been sent. */
export interface CoveringRv {
  rv: string;
  by: 'bookmark' | 'event';
}

/**
 * Which changes a target's streams have promised to be whole for: from where its unbroken chain of streams began, up to the RVs
 * that were delivered. A bookmark at N says that nothing at or below N is still to come (facts/server §3.11), and so does an event,
 * since a watch keeps the order of revisions. A change inside that no event brought was lost by the server.
 */
export class Coverage {
  /** Changes above it must have been delivered. Undefined: not known, then nothing is promised. */
  #since: string | undefined;
  /** RV of the last event: compared only when it is asked for, since this is called for each. */
  #lastEvent: string | undefined;
  readonly #bookmarks: string[] = [];

  /** A list, or an initial state, shows everything up to `rv`; or a watch began there. */
  beginAt(rv: string | undefined): void {
    this.#since = rv;
    this.#lastEvent = undefined;
    this.#bookmarks.length = 0;
  }

  /** A watch begins at `rv`: it goes on with the chain, unless there is none. */
  continueAt(rv: string | undefined): void {
    if (this.#since === undefined) this.#since = rv;
  }

  /** Something came that could not be read: what it said is not known. */
  breakOff(): void {
    this.beginAt(undefined);
  }

  delivered(by: CoveringRv['by'], rv: string): void {
    if (this.#since === undefined) return;
    if (by === 'event') {
      this.#lastEvent = rv;
      return;
    }
    this.#bookmarks.push(rv);
    if (this.#bookmarks.length > MAX_BOOKMARKS) this.#bookmarks.shift();
  }

  get highest(): string | undefined {
    return this.#highestOf()?.rv;
  }

  /** What promised that a change at `rv` had been sent: the lowest bookmark that does, else the highest event. */
  of(rv: string): CoveringRv | undefined {
    const highest = this.#highestOf();
    if (this.#since === undefined || highest === undefined || compareRv(this.#since, rv) !== -1) return undefined;
    if ((compareRv(rv, highest.rv) ?? 1) > 0) return undefined;
    const bookmark = this.#bookmarks.reduce<string | undefined>(
      (lowest, one) =>
        (compareRv(rv, one) ?? 1) <= 0 && (lowest === undefined || compareRv(one, lowest) === -1) ? one : lowest,
      undefined,
    );
    return bookmark === undefined ? highest : { rv: bookmark, by: 'bookmark' };
  }

  #highestOf(): CoveringRv | undefined {
    const bookmark = this.#bookmarks.at(-1);
    const event = this.#lastEvent;
    if (bookmark === undefined || event === undefined) {
      if (bookmark !== undefined) return { rv: bookmark, by: 'bookmark' };
      return event === undefined ? undefined : { rv: event, by: 'event' };
    }
    return compareRv(event, bookmark) === 1 ? { rv: event, by: 'event' } : { rv: bookmark, by: 'bookmark' };
  }
}
