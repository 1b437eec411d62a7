import { goJson } from '../protocol/go-json.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { SerialisedObject } from '../store/serialised-object.ts';
import { apiVersionOf, type Resource } from './resource.ts';

const OPEN = '{'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const CLOSING = Buffer.from(']}\n');
/** Bytes beside the items in their worst place: the comma before one, and the end of the list after it. */
const AROUND = 1 + CLOSING.length;

/**
 * A typed list as Go writes it, one line: its items do not repeat kind and apiVersion. Those stand at the beginning of the stored
 * bytes, so nothing is parsed; and it is never there as a whole, but block by block.
 */
export class ListBody {
  /** Bytes of the whole. */
  readonly length: number;
  readonly #opening: Uint8Array;
  readonly #repeated: Uint8Array;
  readonly #items: readonly StoredObject[];

  constructor(resource: Resource, metadata: object, items: readonly StoredObject[]) {
    const apiVersion = apiVersionOf(resource);
    const head = goJson({ kind: `${resource.kind}List`, apiVersion, metadata }).slice(0, -1);
    this.#opening = Buffer.from(`${head},"items":[`);
    this.#repeated = Buffer.from(`{"kind":"${resource.kind}","apiVersion":"${apiVersion}",`);
    this.#items = this.#usual(items);
    let length = this.#opening.length + CLOSING.length + Math.max(items.length - 1, 0);
    for (const item of this.#items) length += item.jsonLength - this.#repeated.length + 1;
    this.length = length;
  }

  /** All of it in one buffer, for who has to have it so. */
  bytes(): Buffer {
    const [whole] = this.pieces(Buffer.allocUnsafeSlow(this.length + AROUND));
    return whole as Buffer;
  }

  /** Piece by piece, each written over the one before: in `block`, but for single items that have no room there. */
  *pieces(block: Buffer): Generator<Uint8Array> {
    let at = 0;
    let separator = 0;
    if (this.#opening.length <= block.length) {
      block.set(this.#opening);
      at = this.#opening.length;
    } else yield this.#opening;
    for (const item of this.#items) {
      const length = item.jsonLength - this.#repeated.length + 1 + AROUND;
      if (at + length > block.length && at > 0) {
        yield block.subarray(0, at);
        at = 0;
      }
      if (length > block.length) yield this.#item(item, separator, Buffer.allocUnsafeSlow(length), 0);
      else at = this.#written(item, separator, block, at);
      separator = COMMA;
    }
    if (at + CLOSING.length > block.length) {
      if (at > 0) yield block.subarray(0, at);
      yield CLOSING;
      return;
    }
    block.set(CLOSING, at);
    yield block.subarray(0, at + CLOSING.length);
  }

  #item(item: StoredObject, separator: number, into: Buffer, at: number): Uint8Array {
    return into.subarray(at, this.#written(item, separator, into, at));
  }

  #written(item: StoredObject, separator: number, into: Buffer, from: number): number {
    let at = from;
    if (separator !== 0) into[at++] = separator;
    into[at++] = OPEN;
    return item.copyJson(into, at, this.#repeated.length);
  }

  /** All with kind and apiVersion where they nearly always are. */
  #usual(items: readonly StoredObject[]): readonly StoredObject[] {
    const repeated = this.#repeated;
    return items.every((item) => item.beginsWith(repeated)) ? items : items.map((item) => this.#made(item));
  }

  #made(item: StoredObject): StoredObject {
    if (item.beginsWith(this.#repeated)) return item;
    const { kind, apiVersion } = JSON.parse(`${Buffer.from(this.#repeated).toString().slice(0, -1)}}`);
    const { kind: _, apiVersion: __, ...rest } = item.object;
    return new SerialisedObject({ kind, apiVersion, ...rest }, item.rv);
  }
}
