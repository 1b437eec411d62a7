import type { KubeObject } from '../protocol/object.ts';
import { encodeObject } from '../protocol/watch-encoder.ts';
import type { StoredObject } from './resource-storage.ts';

/** An object that is answered with but not (or no longer) stored: serialised as it is. */
export class SerialisedObject implements StoredObject {
  readonly object: KubeObject;
  readonly json: Uint8Array;
  readonly rv: number;

  constructor(object: KubeObject, rv: number) {
    this.object = object;
    this.json = encodeObject(object);
    this.rv = rv;
  }

  get content(): KubeObject {
    return this.object;
  }

  get jsonLength(): number {
    return this.json.length;
  }

  beginsWith(bytes: Uint8Array): boolean {
    return startsWith(this.json, bytes);
  }

  copyJson(into: Buffer, at: number, from = 0): number {
    into.set(from === 0 ? this.json : this.json.subarray(from), at);
    return at + this.json.length - from;
  }
}

/** Most prefixes are short: a loop is cheaper than a call out of JavaScript. */
export function startsWith(bytes: Uint8Array, prefix: Uint8Array, at = 0): boolean {
  for (let i = 0; i < prefix.length; i += 1) if (bytes[at + i] !== prefix[i]) return false;
  return true;
}
