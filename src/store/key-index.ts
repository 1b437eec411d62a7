import { OrderedMap } from './ordered-map.ts';
import type { KeyValue, Revision } from './storage.ts';

/** A key's state from a delete on. */
interface Tombstone {
  key: string;
  modRevision: Revision;
  value: undefined;
}

type Version = KeyValue | Tombstone;

/** Bytes counted for a version beside its key and value: etcd's revision key and the record around it, roughly. */
const VERSION_OVERHEAD = 64;

/**
 * Every key with the versions that can still be read, ordered by key.
 *
 * Worked example, one key, written at 2 and 5, deleted at 7, written again at 9:
 *
 *     versions             2  5  7†  9      read at 4 → 2, at 6 → 5, at 8 → nothing, at 9 → 9
 *     after compact(4)     2  5  7†  9      2 is what a read at 4 sees, so it stays
 *     after compact(5)        5  7†  9
 *     after compact(7)               9      a tombstone that is the newest at the boundary says nothing: it goes too
 *     after compact(9)               9
 */
export class KeyIndex {
  readonly #keys = new OrderedMap<Version[]>();
  #bytes = 0;
  #liveBytes = 0;

  /** Bytes of all versions that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the newest version of each key that exists: what no compaction can give back. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** The present state of `key`. */
  current(key: string): KeyValue | undefined {
    return asKeyValue(this.#keys.get(key)?.at(-1));
  }

  /** Adds the newest version of a key. Revisions only grow. */
  put(kv: KeyValue): void {
    this.#append(kv);
    this.#liveBytes += sizeOf(kv);
  }

  /** Ends a key that exists. */
  tombstone(key: string, revision: Revision): void {
    this.#append({ key, modRevision: revision, value: undefined });
  }

  /**
   * Calls `visit` for each key in [start, end) that existed at `revision`, in key order. The caller has checked that
   * the revision is neither compacted nor ahead.
   */
  forRange(start: string, end: string, revision: Revision, visit: (kv: KeyValue) => void): void {
    this.#keys.forRange(start, end, (versions) => {
      const kv = asKeyValue(versions[newestAt(versions, revision)]);
      if (kv) visit(kv);
    });
  }

  /** Drops the versions of `key` that no read at or after `revision` can see. */
  compact(key: string, revision: Revision): void {
    const versions = this.#keys.get(key);
    if (!versions) return;
    const newest = newestAt(versions, revision);
    if (newest < 0) return;
    const keepFrom = versions[newest]!.value === undefined ? newest + 1 : newest;
    for (let i = 0; i < keepFrom; i += 1) this.#bytes -= sizeOf(versions[i]!);
    if (keepFrom === versions.length) this.#keys.delete(key);
    else if (keepFrom > 0) versions.splice(0, keepFrom);
  }

  #append(version: Version): void {
    const versions = this.#keys.get(version.key);
    if (versions) {
      const previous = asKeyValue(versions.at(-1));
      if (previous) this.#liveBytes -= sizeOf(previous);
      versions.push(version);
    } else {
      this.#keys.set(version.key, [version]);
    }
    this.#bytes += sizeOf(version);
  }
}

/** Bytes that a version counts against the quota. */
export function sizeOf(version: { key: string; value: Uint8Array | undefined }): number {
  return version.key.length + (version.value?.byteLength ?? 0) + VERSION_OVERHEAD;
}

function asKeyValue(version: Version | undefined): KeyValue | undefined {
  return version?.value === undefined ? undefined : version;
}

/** Index of the newest version at or before `revision`, -1 where there is none. Most reads want the last one. */
function newestAt(versions: readonly Version[], revision: Revision): number {
  let high = versions.length - 1;
  if (high < 0 || versions[high]!.modRevision <= revision) return high;
  let low = -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (versions[middle]!.modRevision <= revision) low = middle;
    else high = middle;
  }
  return low;
}
