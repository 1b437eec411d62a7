import type { EventFields } from '../protocol/watch-event.ts';
import { parseObject } from './answer-body.ts';
import type { Clump } from './delivery-facts.ts';

/** Events that come within so long of each other came together, ms: what was held back is let go in one go. */
const TOGETHER_MS = 1_000;
/** Only behind a silence like this is looked when events were made, ms: it keeps a busy stream free of the work. */
const QUIET_MS = 5_000;
/** Events of one clump whose own time is read, and bytes of each: parsing is not free. */
const MAX_READ = 30;
const MAX_PARSED_BYTES = 256 * 1024;
/** Clocks differ by less than this; what lies further ahead is no time of a change, ms. */
const MAX_SKEW_MS = 86_400_000;
/** Made so far apart, and come together: not by chance, nor by the whole seconds in which these times are written, ms. */
const SPREAD_MS = 5_000;
/** A change cannot have waited longer than the silence before it, but for the clocks' differences, ms. */
const SLACK_MS = 10_000;
/** Clumps that are kept. */
const MAX_CLUMPS = 16;

/**
 * Sees whether events that were made at different times came at one: then their bytes were held back on the way. It compares the
 * events of one clump with each other only, so that no difference of clocks matters.
 */
export class ClumpLog {
  /** The latest clumps whose events were made `SPREAD_MS` apart or more. */
  readonly clumps: Clump[] = [];
  #present: Clump | undefined;
  #read = 0;
  #lastAt: number | undefined;
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  /** An event that is no part of an initial state. `quietMs`: no byte came for so long before it. */
  event(fields: EventFields, raw: Uint8Array, at: number, quietMs: number): void {
    const goesOn = this.#lastAt !== undefined && at - this.#lastAt <= TOGETHER_MS;
    this.#lastAt = at;
    if (!goesOn) this.#begin(at, quietMs);
    const present = this.#present;
    if (present === undefined || at - present.at > TOGETHER_MS) return;
    present.events += 1;
    if (this.#read >= MAX_READ || fields.type === 'DELETED' || raw.length > MAX_PARSED_BYTES) return;
    this.#read += 1;
    const made = changeTime(raw, fields.type === 'ADDED', at + MAX_SKEW_MS);
    if (made === undefined) return;
    this.#oldest = Math.min(this.#oldest, made);
    this.#newest = Math.max(this.#newest, made);
    present.spreadMs = this.#newest - this.#oldest;
    const kept = this.clumps.at(-1) === present;
    // Made before the silence began: its time is not that of this change.
    const possible = present.spreadMs <= present.quietMs + SLACK_MS;
    if (kept && !possible) this.clumps.pop();
    if (kept || !possible || present.spreadMs < SPREAD_MS) return;
    this.clumps.push(present);
    if (this.clumps.length > MAX_CLUMPS) this.clumps.shift();
  }

  #begin(at: number, quietMs: number): void {
    this.#present = quietMs >= QUIET_MS ? { at, quietMs, events: 0, spreadMs: 0 } : undefined;
    this.#read = 0;
    this.#oldest = Number.POSITIVE_INFINITY;
    this.#newest = Number.NEGATIVE_INFINITY;
  }
}

/** Members of a condition, and of a container's or node's state, that say when it was written. */
const CONDITION_TIMES = ['lastTransitionTime', 'lastHeartbeatTime', 'lastUpdateTime', 'lastProbeTime'] as const;

/**
 * When an object was written last by its own account, ms: the newest of managedFields, a Lease's renewTime, an Event's times. Where
 * there are none (a server or a proxy strips managedFields), its creation, where it is that, and its conditions: they are older than
 * the last change where that touched something else. What is being deleted tells nothing: the deletion leaves them as they are.
 */
function changeTime(raw: Uint8Array, created: boolean, latest: number): number | undefined {
  const object = asRecord(parseObject(new TextDecoder().decode(raw))?.object);
  const metadata = asRecord(object.metadata);
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const managed = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  const written = newest(
    [
      ...managed.map((one) => asRecord(one).time),
      asRecord(object.spec).renewTime,
      object.lastTimestamp,
      object.eventTime,
      asRecord(object.series).lastObservedTime,
    ],
    latest,
  );
  if (written !== undefined) return written;
  const { conditions } = asRecord(object.status);
  const told = (Array.isArray(conditions) ? conditions : []).map(asRecord);
  const times = told.flatMap((one) => CONDITION_TIMES.map((name) => one[name]));
  return newest(created ? [metadata.creationTimestamp, ...times] : times, latest);
}

/** Of texts that are times, not after `latest`, ms. */
function newest(texts: readonly unknown[], latest: number): number | undefined {
  const times = texts.flatMap((text) => {
    const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    return time <= latest ? [time] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
