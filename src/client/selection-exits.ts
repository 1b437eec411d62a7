import type { EventFields } from '../protocol/watch-event.ts';
import { parseObject } from './answer-body.ts';
import type { SelectionExits } from './delivery-facts.ts';

/** Objects remembered, to see whether they come back. */
const MAX_OBJECTS = 100;
/** Names kept for people. */
const MAX_NAMES = 5;
/** An event larger than this is not parsed for its deletionTimestamp, bytes. */
const MAX_PARSED_BYTES = 1024 * 1024;

/**
 * DELETED under a selector says no more than that the object is selected no longer (facts/server §3.10). Where it was being
 * deleted it carries a deletionTimestamp; where it does not, it may still exist.
 */
export class SelectionExitLog {
  #facts: SelectionExits | undefined;
  /** uid → name, of those that left. */
  readonly #left = new Map<string, string>();

  /** Undefined while there is nothing to tell. */
  get facts(): SelectionExits | undefined {
    return this.#facts;
  }

  note(fields: EventFields, raw: Uint8Array, at: number): void {
    const left = fields.type === 'DELETED';
    if (fields.name === undefined || (!left && this.#left.size === 0)) return;
    const name = fields.namespace ? `${fields.namespace}/${fields.name}` : fields.name;
    const key = fields.uid ?? name;
    if (left) this.#deleted(fields, key, name, raw, at);
    else this.#seen(key, name, fields.rv);
  }

  #deleted({ kind, rv }: EventFields, key: string, name: string, raw: Uint8Array, at: number): void {
    if (raw.length > MAX_PARSED_BYTES || isBeingDeleted(raw)) return;
    this.#facts ??= { count: 0, names: [], first: { name, at, ...(kind ? { kind } : {}), ...(rv ? { rv } : {}) } };
    this.#facts.count += 1;
    if (this.#facts.names.length < MAX_NAMES) this.#facts.names.push(name);
    if (this.#left.size < MAX_OBJECTS) this.#left.set(key, name);
  }

  /** The same object came back: it had only left. Another one of its name: it had been deleted. */
  #seen(key: string, name: string, rv: string | undefined): void {
    const facts = this.#facts;
    if (facts === undefined) return;
    if (this.#left.delete(key)) {
      facts.cameBack ??= { name, ...(rv ? { rv } : {}) };
      return;
    }
    const before = [...this.#left].find(([, other]) => other === name)?.[0];
    if (before === undefined) return;
    this.#left.delete(before);
    facts.count -= 1;
    facts.names = facts.names.filter((other) => other !== name);
    if (facts.count === 0) this.#facts = undefined;
    else if (facts.first.name === name) facts.first = { ...facts.first, name: facts.names[0] ?? name };
  }
}

function isBeingDeleted(raw: Uint8Array): boolean {
  const object = parseObject(new TextDecoder().decode(raw))?.object as
    | { metadata?: { deletionTimestamp?: unknown } }
    | undefined;
  return object?.metadata?.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}
