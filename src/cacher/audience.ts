import type { EventBatch, Predicate, WatcherEvent } from '../store/resource-storage.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { Follower } from './follower.ts';
import { hasPathPrefix } from './path-prefix.ts';
import type { WatchCacheEvent } from './watch-cache-event.ts';

/**
 * Bytes of objects that are gathered for followers before they are handed over in the middle of a turn. One write of all that a
 * turn brought is far cheaper than several (a burst in three pieces takes half as long again); but clients that stall hold on
 * to the block they were given last, all those to one.
 */
const GATHERED_BYTES = 512 * 1024;

/** A follower's place in the log: what its handler has taken, counted in events and in those that its client is sent. */
export interface Cursor {
  event: number;
  match: number;
}

/**
 * Watchers that are offered the same events and shown them alike: filed alike, with the same selectors. An event is
 * matched once for all of them. Upstream has no such thing, since there every watcher has a goroutine that could do the
 * work in parallel.
 *
 * A member is *apart*, with its two queues filled one by one, or it *follows*: its client has read everything, so its
 * queues would be emptied as fast as they are filled, and all that is left of them is a place in one log which all
 * followers share. Where a follower's socket is full its place stays behind, and its queues are counted from that:
 *
 *     log       e1 e2 e3 e4 e5 e6 e7 e8 …      (those that match; queues of 2)
 *     place           ^ after e2               result: e3 e4   on the way between the queues: e5   input: e6 e7   full
 *
 * Full, due for a bookmark, or at its end, it goes apart with exactly these queues, and upstream's rules take over.
 * The log is as long as the largest queues of a follower that is behind, and empty where none is.
 */
export class Audience {
  readonly #predicate: Predicate;
  readonly #keyPrefix: string;
  readonly #onPending: (audience: Audience) => void;
  readonly #apart = new Set<CacheWatcher>();
  readonly #followers = new Set<Follower>();
  /** Events since `#start`, and what followers are sent of each. */
  #events: WatchCacheEvent[] = [];
  #start = 0;
  /** The events that match: their numbers, and what is sent. */
  #matchEvents: number[] = [];
  #matches: Exclude<WatcherEvent, { type: 'ERROR' | 'BOOKMARK' }>[] = [];
  #matchStart = 0;
  #pendingBytes = 0;
  #announced = false;
  /** Number of the event at which a follower that is behind may be full; Infinity where none is behind. */
  #fullAt = Number.POSITIVE_INFINITY;
  #lastBatch: { from: number; to: number; batch: EventBatch } | undefined;

  /** `onPending`: something waits for `flush`; called once until then. */
  constructor(predicate: Predicate, keyPrefix: string, onPending: (audience: Audience) => void) {
    this.#predicate = predicate;
    this.#keyPrefix = keyPrefix;
    this.#onPending = onPending;
  }

  /** Bytes of objects that wait for `flush`. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get empty(): boolean {
    return this.#apart.size === 0 && this.#followers.size === 0;
  }

  add(watcher: CacheWatcher): void {
    this.#apart.add(watcher);
  }

  /** Takes a member out that is apart. */
  delete(watcher: CacheWatcher): void {
    this.#apart.delete(watcher);
  }

  /** From now on a member follows. Its place is the end of the log. */
  follow(follower: Follower): Cursor {
    this.#apart.delete(follower.watcher);
    this.#followers.add(follower);
    return { event: this.#end, match: this.#matchEnd };
  }

  /** A follower goes apart: the events that it has not taken, in order. Without the last where that is not its own. */
  part(follower: Follower, withoutLast: boolean): WatchCacheEvent[] {
    this.#followers.delete(follower);
    this.#apart.add(follower.watcher);
    return this.#events.slice(follower.cursor.event - this.#start, withoutLast ? -1 : undefined);
  }

  /** Offers an event to all members. Who has no room is added to `blocked`. */
  offer(event: WatchCacheEvent, blocked: CacheWatcher[]): void {
    for (const watcher of this.#apart) if (!watcher.nonblockingAdd(event)) blocked.push(watcher);
    if (this.#followers.size === 0) return;
    if (this.#end >= this.#fullAt) this.#findFull(blocked);
    this.#append(event);
    if (this.#pendingBytes >= GATHERED_BYTES) this.flush();
  }

  /** Lengths of a follower's two queues; one event more may be on its way between them. */
  queued({ match }: Cursor, channelSize: number): { input: number; result: number } {
    const matches = this.#matchEnd - match;
    if (matches <= channelSize) return { input: 0, result: matches };
    const onTheWay = this.#matchEvents[match - this.#matchStart + channelSize]!;
    return { input: this.#end - 1 - onTheWay, result: channelSize };
  }

  /** Number of the event that a follower who takes nothing from now on has no room for; never too high. */
  fullAt({ match }: Cursor, channelSize: number): number {
    const missing = channelSize + 1 - (this.#matchEnd - match);
    if (missing > 0) return this.#end + missing + channelSize;
    return this.#matchEvents[match - this.#matchStart + channelSize]! + 1 + channelSize;
  }

  /** True where a follower was not offered the newest event, since it had no room for it. */
  missesLast(cursor: Cursor, channelSize: number): boolean {
    return cursor.event < this.#end && this.fullAt(cursor, channelSize) < this.#end;
  }

  /** Hands what waits to every follower whose socket has room. How many there were. */
  flush(): number {
    this.#announced = false;
    this.#pendingBytes = 0;
    this.#fullAt = Number.POSITIVE_INFINITY;
    for (const { watcher } of this.#followers) {
      this.#fullAt = Math.min(this.#fullAt, watcher.takeShared());
    }
    this.#trim();
    return this.#followers.size;
  }

  /** All from `cursor` on, which moves to the end; undefined where no event of it matches. */
  take(cursor: Cursor): EventBatch | undefined {
    const from = cursor.match;
    const to = this.#matchEnd;
    cursor.event = this.#end;
    cursor.match = to;
    if (from === to) return undefined;
    const last = this.#lastBatch;
    if (last?.from === from && last.to === to) return last.batch;
    const batch = { events: this.#matches.slice(from - this.#matchStart), encoded: undefined };
    this.#lastBatch = { from, to, batch };
    return batch;
  }

  get #end(): number {
    return this.#start + this.#events.length;
  }

  get #matchEnd(): number {
    return this.#matchStart + this.#matches.length;
  }

  #append(event: WatchCacheEvent): void {
    const delivery = hasPathPrefix(event.key, this.#keyPrefix) ? event.deliveryFor(this.#predicate) : undefined;
    if (delivery) {
      this.#matchEvents.push(this.#end);
      this.#matches.push(delivery);
      this.#pendingBytes += delivery.object.jsonLength;
    }
    this.#events.push(event);
    if (this.#announced) return;
    this.#announced = true;
    this.#onPending(this);
  }

  #findFull(blocked: CacheWatcher[]): void {
    this.#fullAt = Number.POSITIVE_INFINITY;
    for (const follower of this.#followers) {
      const fullAt = follower.fullAt();
      if (fullAt > this.#end) this.#fullAt = Math.min(this.#fullAt, fullAt);
      else blocked.push(follower.watcher);
    }
  }

  /** Forgets what every follower has taken. */
  #trim(): void {
    let event = this.#end;
    let match = this.#matchEnd;
    for (const { cursor } of this.#followers) {
      event = Math.min(event, cursor.event);
      match = Math.min(match, cursor.match);
    }
    this.#events.splice(0, event - this.#start);
    this.#matches.splice(0, match - this.#matchStart);
    this.#matchEvents.splice(0, match - this.#matchStart);
    this.#start = event;
    this.#matchStart = match;
  }
}
