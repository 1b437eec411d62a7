import { compareRv } from '../protocol/resource-version.ts';
import type { EventFields } from '../protocol/watch-event.ts';
import { Coverage } from './coverage.ts';
import type { MissedEvents } from './delivery-facts.ts';
import type { GapProof } from './facts.ts';

/** Objects remembered for the gap proof. More, and there is no proof: it would be one of a part only. */
export const MAX_OBJECTS = 50_000;
/** Names listed of each kind of change (contract §1 `list`). */
const MAX_NAMES = 20;

/** What the proof needs of one object. */
export interface ListedObject {
  /** uid, or namespace/name where an object has none. */
  key: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  name: string;
  rv: string;
}

/**
 * What is known to exist, by uid: so that after a gap a LIST tells what changed unseen. It proves something only while it
 * is complete: filled by a whole LIST or a whole initial state, followed without a break, and within its bound.
 */
export class ObjectMap {
  #objects = new Map<string, ListedObject>();
  #complete = false;
  #overflown = false;
  /** What of the changes since then has been promised. */
  readonly coverage = new Coverage();

  get size(): number {
    return this.#objects.size;
  }

  get complete(): boolean {
    return this.#complete && !this.#overflown;
  }

  /** A LIST takes the place of everything known. `whole`: it was read to its end. */
  replace(objects: readonly ListedObject[], whole: boolean): void {
    this.#objects.clear();
    this.#overflown = false;
    for (const object of objects) this.#set({ ...object });
    this.#complete = whole;
  }

  /** An initial state begins: what was known before is replaced by what comes. */
  beginInitialState(): void {
    this.replace([], false);
    this.coverage.beginAt(undefined);
  }

  /** The initial state has come to its end; `highest` is the highest RV in it, which its snapshot lies at or above. */
  endInitialState(highest?: string): void {
    this.#complete = true;
    this.coverage.beginAt(highest);
  }

  /** Called for each event: an object that is known only takes its new RV. True where it is known at just this RV already. */
  note(fields: EventFields): boolean {
    if (fields.name === undefined) return false;
    const known = fields.uid === undefined ? undefined : this.#objects.get(fields.uid);
    if (known !== undefined && fields.type !== 'DELETED') {
      const same = known.rv === fields.rv;
      known.rv = fields.rv ?? '';
      return same;
    }
    const name = fields.namespace ? `${fields.namespace}/${fields.name}` : fields.name;
    const key = fields.uid ?? name;
    if (fields.type === 'DELETED') this.#objects.delete(key);
    else this.#set({ key, name, rv: fields.rv ?? '' });
    return false;
  }

  /** What `listed` shows that no event brought; undefined where either side is not complete. */
  gap(listed: readonly ListedObject[], whole: boolean): GapProof | undefined {
    if (!this.complete || !whole) return undefined;
    const proof: GapProof = { created: none(), changed: none(), deleted: none() };
    const seen = new Set<string>();
    for (const { key, name, rv } of listed) {
      seen.add(key);
      const before = this.#objects.get(key);
      if (before === undefined) add(proof.created, name);
      else if (before.rv !== rv) add(proof.changed, name);
    }
    for (const { key, name } of this.#objects.values()) if (!seen.has(key)) add(proof.deleted, name);
    return proof;
  }

  /**
   * Changes in `listed`, a list at `rv`, that had been promised and were not delivered; undefined: none that can be proved. A list
   * that is older than what was delivered shows objects that went since, and proves nothing.
   */
  missed(listed: readonly ListedObject[], rv: string | undefined): MissedEvents | undefined {
    const { highest } = this.coverage;
    if (this.#overflown || rv === undefined || highest === undefined || (compareRv(highest, rv) ?? 1) > 0)
      return undefined;
    let found: MissedEvents | undefined;
    for (const object of listed) {
      const known = this.#objects.get(object.key)?.rv;
      if (known === object.rv || (known !== undefined && compareRv(known, object.rv) !== -1)) continue;
      const coveredBy = this.coverage.of(object.rv);
      if (coveredBy === undefined) continue;
      const { name } = object;
      const older = found === undefined || compareRv(object.rv, found.rv) === -1;
      found = {
        count: (found?.count ?? 0) + 1,
        names: [...(found?.names ?? []), name].slice(0, MAX_NAMES),
        ...(found && !older
          ? { name: found.name, rv: found.rv, coveredBy: found.coveredBy }
          : { name, rv: object.rv, coveredBy }),
      };
    }
    return found;
  }

  #set(object: ListedObject): void {
    if (this.#objects.size >= MAX_OBJECTS && !this.#objects.has(object.key)) {
      // Half a memory would call old objects new: give up and free it.
      this.#overflown = true;
      this.#objects.clear();
      return;
    }
    if (!this.#overflown) this.#objects.set(object.key, object);
  }
}

type Changes = GapProof['created'];

function none(): Changes {
  return { count: 0, names: [] };
}

function add(changes: Changes, name: string): void {
  changes.count += 1;
  if (changes.names.length < MAX_NAMES) changes.names.push(name);
}
