import type { KubeObject } from '../protocol/object.ts';
import { isOrdered, ordered } from './go-order.ts';
import { type WrittenObject, writeObject } from './object-writer.ts';
import type { KeyValue } from './storage.ts';
import { StoredState } from './stored-state.ts';

/**
 * Written objects that are remembered by their bytes, in the whole process. A write comes back through the cacher's watch within
 * moments, with the very bytes: then nothing is parsed again, and all who show that state share one, also the caches of
 * several apiservers over one store. Older ones are not worth their memory.
 */
const REMEMBERED = 1024;
interface RememberedWrite {
  object: KubeObject;
  written: WrittenObject;
  state?: StoredState;
}
type RememberedWrites = Map<Uint8Array, RememberedWrite>;
const WRITES_OF_THIS_PROCESS: RememberedWrites = new Map();

/**
 * Between objects and the bytes in the store. Stored is JSON without resourceVersion, since that is the revision; members
 * stand in the order in which Go encodes a built-in type, so what is sent looks as clients know it.
 */
export class ObjectCodec {
  readonly #remembered: RememberedWrites;

  /** `remembered`: written objects by their bytes; by default shared by all codecs of the process. */
  constructor(remembered: RememberedWrites = WRITES_OF_THIS_PROCESS) {
    this.#remembered = remembered;
  }

  /** The bytes to store. `object` must not be changed afterwards. `previous`: the bytes of the state that it was made from. */
  encode(object: KubeObject, previous?: Uint8Array): Uint8Array {
    const before = previous && this.#remembered.get(previous)?.written;
    const written = writeObject(isOrdered(object) ? object : ordered(object, undefined), before);
    this.#remembered.set(written.value, { object, written });
    if (this.#remembered.size > REMEMBERED) this.#forgetOldest();
    return written.value;
  }

  /**
   * The state that a key had; `rv`: the revision it is shown with, where that is not its own (a DELETED event). Throws DecodeError,
   * or its content does where only its beginning is that of an object.
   */
  decode(kv: Pick<KeyValue, 'value' | 'modRevision'>, rv: number = kv.modRevision): StoredState {
    const known = this.#remembered.get(kv.value);
    if (known?.state?.rv === rv) return known.state;
    const state = new StoredState(known?.object, kv.value, rv);
    if (known && rv === kv.modRevision) known.state = state;
    return state;
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}
