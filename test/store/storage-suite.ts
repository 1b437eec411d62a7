import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage, StoreEvent, WatchResponse } from '../../src/store/storage.ts';
import { prefixEnd, StoreError } from '../../src/store/storage.ts';

/** A store to be held to the contract, and what a test needs around it. */
export interface StorageUnderTest {
  storage: Storage;
  /** Lets one and a half progress-notify intervals pass. */
  passProgressInterval(): Promise<void>;
  close(): Promise<void>;
}

const utf8 = new TextEncoder();
const text = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value);

/** Reads one watch, event by event. */
class Reader {
  readonly #responses: AsyncIterator<WatchResponse>;
  readonly #queue: StoreEvent[] = [];
  progress: number[] = [];

  constructor(responses: AsyncIterable<WatchResponse>) {
    this.#responses = responses[Symbol.asyncIterator]();
  }

  /** The next event; progress on the way is noted. Undefined: the watch has ended. */
  async event(): Promise<StoreEvent | undefined> {
    while (this.#queue.length === 0) {
      const next = await this.#responses.next();
      if (next.done) return undefined;
      if (next.value.kind === 'progress') this.progress.push(next.value.revision);
      else this.#queue.push(...next.value.events);
    }
    return this.#queue.shift();
  }

  async events(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) seen.push(shown(await this.event()));
    return seen;
  }
}

/** `put a=2 (was 1)`: an event without its revision. */
function shown(event: StoreEvent | undefined): string {
  if (!event) return 'end';
  const key = event.key.split('/').at(-1);
  const was = event.prevCompacted ? 'compacted' : text(event.prevKv?.value);
  const now = event.type === 'put' ? `=${text(event.kv?.value)}` : '';
  return `${event.type} ${key}${now}${was === undefined ? '' : ` (was ${was})`}`;
}

/** Every behaviour of a Storage, stated once. Revisions are counted from where the store stands: it may be in use. */
export function describeStorage(name: string, make: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let under: StorageUnderTest;
    let store: Storage;
    let abort: AbortController;
    let prefix: string;
    let runs = 0;

    beforeEach(async () => {
      under = await make();
      store = under.storage;
      abort = new AbortController();
      runs += 1;
      prefix = `/registry/suite${runs}/`;
    });

    afterEach(async () => {
      abort.abort();
      await under.close();
    });

    const put = async (key: string, value: string, expected?: number) => {
      const result = await store.put(prefix + key, utf8.encode(value), expected);
      if (!result.ok) throw new Error(`put ${key} was refused`);
      return result.revision;
    };
    const del = async (key: string) => {
      const result = await store.delete(prefix + key);
      if (!result.ok) throw new Error(`delete ${key} was refused`);
      return result.revision;
    };
    const list = async (options: { revision?: number; limit?: number; start?: string } = {}) => {
      const start = prefix + (options.start ?? '');
      const range = await store.range({ ...options, start, end: prefixEnd(prefix) });
      return { ...range, shown: range.kvs.map((kv) => `${kv.key.slice(prefix.length)}=${text(kv.value)}`) };
    };
    const watch = (startRevision: number, options: { end?: string; start?: string; progressNotify?: boolean } = {}) =>
      new Reader(
        store.watch({
          start: options.start ?? prefix,
          end: options.end ?? prefixEnd(prefix),
          startRevision,
          signal: abort.signal,
          ...(options.progressNotify && { progressNotify: true }),
        }),
      );
    const refusal = async (promise: Promise<unknown>): Promise<StoreError> => {
      const outcome = await promise.then(
        () => 'no refusal',
        (error: unknown) => error,
      );
      expect(outcome).toBeInstanceOf(StoreError);
      return outcome as StoreError;
    };

    describe('writes', () => {
      it('gives every write the next revision, across keys', async () => {
        const first = await put('a', '1');
        expect(await put('b', '1')).toBe(first + 1);
        expect(await del('a')).toBe(first + 2);
        expect(await store.revision()).toBe(first + 2);
      });

      it('creates only where nothing is, with expect 0', async () => {
        const created = await put('a', '1', 0);
        const again = await store.put(`${prefix}a`, utf8.encode('2'), 0);
        expect(again).toMatchObject({ ok: false, revision: created, current: { modRevision: created } });
        expect((await list()).shown).toEqual(['a=1']);
      });

      it('writes only over the revision that is expected, and shows what is there instead', async () => {
        const first = await put('a', '1');
        const second = await put('a', '2', first);
        const stale = await store.put(`${prefix}a`, utf8.encode('3'), first);
        expect(stale).toMatchObject({ ok: false, current: { modRevision: second, createRevision: first } });
        expect(stale.ok || text(stale.current?.value)).toBe('2');
        expect(await store.delete(`${prefix}a`, first)).toMatchObject({ ok: false, current: { modRevision: second } });
        expect(await store.delete(`${prefix}a`, second)).toEqual({ ok: true, revision: second + 1 });
      });

      it('refuses to delete what is not there, without a revision', async () => {
        const before = await store.revision();
        expect(await store.delete(`${prefix}none`)).toEqual({ ok: false, current: undefined, revision: before });
        expect(await store.revision()).toBe(before);
      });

      it('begins a new life of a key after its delete', async () => {
        await put('a', '1');
        await del('a');
        const again = await put('a', '2', 0);
        const { kvs } = await list();
        expect(kvs).toMatchObject([{ createRevision: again, modRevision: again }]);
      });
    });

    describe('range', () => {
      it('lists in the order of keys, and only the range', async () => {
        for (const key of ['c', 'a', 'b']) await put(key, '1');
        await store.put(`/registry/suite${runs}0/x`, utf8.encode('not in the range'));
        expect((await list()).shown).toEqual(['a=1', 'b=1', 'c=1']);
        expect((await list({ start: 'b' })).shown).toEqual(['b=1', 'c=1']);
      });

      it('cuts at the limit, counts the whole range, and answers with the present revision', async () => {
        for (const key of ['a', 'b', 'c']) await put(key, '1');
        const revision = await store.revision();
        expect(await list({ limit: 2 })).toMatchObject({ shown: ['a=1', 'b=1'], more: true, count: 3, revision });
        expect(await list({ limit: 3 })).toMatchObject({ more: false, count: 3 });
        expect(await list({ limit: 2, start: 'b' })).toMatchObject({ shown: ['b=1', 'c=1'], more: false, count: 2 });
      });

      it('reads the state as it was at a revision', async () => {
        const r1 = await put('a', '1');
        const r2 = await put('b', '1');
        const r3 = await put('a', '2');
        const r4 = await del('b');
        const shownAt = async (revision: number) => (await list({ revision })).shown;
        expect(await shownAt(r1 - 1)).toEqual([]);
        expect(await shownAt(r1)).toEqual(['a=1']);
        expect(await shownAt(r2)).toEqual(['a=1', 'b=1']);
        expect(await shownAt(r3)).toEqual(['a=2', 'b=1']);
        expect(await shownAt(r4)).toEqual(['a=2']);
        expect((await list({ revision: r1 })).revision).toBe(r4);
      });

      it('refuses a revision that lies ahead', async () => {
        const now = await put('a', '1');
        const error = await refusal(list({ revision: now + 1 }));
        expect(error.code).toBe('future-revision');
        expect(error.message).toBe('etcdserver: mvcc: required revision is a future revision');
      });
    });

    describe('compaction at C', () => {
      it('keeps C readable and takes everything below', async () => {
        const r1 = await put('a', '1');
        const r2 = await put('a', '2');
        await put('a', '3');
        await store.compact(r2);
        expect((await list({ revision: r2 })).shown).toEqual(['a=2']);
        const error = await refusal(list({ revision: r1 }));
        expect(error).toMatchObject({ code: 'compacted', compactRevision: r2 });
        expect(error.message).toBe('etcdserver: mvcc: required revision has been compacted');
        expect((await list()).shown).toEqual(['a=3']);
      });

      it('keeps what was last written long before C', async () => {
        await put('old', '1');
        await put('gone', '1');
        await del('gone');
        const compacted = await put('new', '1');
        await store.compact(compacted);
        expect((await list({ revision: compacted })).shown).toEqual(['new=1', 'old=1']);
      });

      it('is refused at or below the last one, and ahead of the present', async () => {
        const now = await put('a', '1');
        await store.compact(now);
        expect(await refusal(store.compact(now))).toMatchObject({ code: 'compacted' });
        expect(await refusal(store.compact(now - 1))).toMatchObject({ code: 'compacted' });
        expect(await refusal(store.compact(now + 1))).toMatchObject({ code: 'future-revision' });
      });

      it('takes no revision', async () => {
        const now = await put('a', '1');
        await store.compact(now);
        expect(await store.revision()).toBe(now);
        expect(await put('a', '2')).toBe(now + 1);
      });
    });

    describe('watch', () => {
      it('catches up from a past revision, then follows, with the state before each change', async () => {
        const first = await put('a', '1');
        await put('a', '2');
        const reader = watch(first);
        expect(await reader.events(2)).toEqual(['put a=1', 'put a=2 (was 1)']);
        await put('b', '1');
        await del('a');
        expect(await reader.events(2)).toEqual(['put b=1', 'delete a (was 2)']);
      });

      it('begins exactly at its start revision', async () => {
        await put('a', '1');
        const second = await put('a', '2');
        const event = await watch(second).event();
        expect(event).toMatchObject({
          revision: second,
          kv: { modRevision: second },
          prevKv: { modRevision: second - 1 },
        });
      });

      it('with start 0 sees only what comes after', async () => {
        await put('a', '1');
        const reader = watch(0);
        await put('a', '2');
        expect(await reader.events(1)).toEqual(['put a=2 (was 1)']);
      });

      it('is silent up to a start that lies ahead', async () => {
        const now = await put('a', '1');
        const reader = watch(now + 3);
        await put('a', '2');
        await put('a', '3');
        await put('a', '4');
        expect(await reader.events(1)).toEqual(['put a=4 (was 3)']);
      });

      it('sees its range alone', async () => {
        const first = await put('a', '1');
        await put('b', '1');
        await put('c', '1');
        const reader = watch(first, { start: `${prefix}b`, end: `${prefix}b\0` });
        await put('bb', '1');
        await put('b', '2');
        expect(await reader.events(2)).toEqual(['put b=1', 'put b=2 (was 1)']);
      });

      it('gives each revision once and in order to every watcher', async () => {
        const first = await put('a', '0');
        const readers = [watch(first), watch(first + 1), watch(first)];
        for (let i = 1; i <= 20; i += 1) await put(i % 2 ? 'a' : 'b', String(i));
        const revisions = [];
        for (const reader of readers) {
          const seen = [];
          for (let i = 0; i < 20; i += 1) seen.push((await reader.event())?.revision);
          revisions.push(seen);
        }
        const from = (start: number) => Array.from({ length: 20 }, (_, i) => start + i);
        expect(revisions).toEqual([from(first), from(first + 1), from(first)]);
      });

      it('ends when its signal aborts', async () => {
        const reader = watch(0);
        const waiting = reader.event();
        abort.abort();
        expect(await waiting).toBeUndefined();
        expect(await reader.event()).toBeUndefined();
      });

      it('that starts below C is refused when it starts, with C', async () => {
        const first = await put('a', '1');
        const second = await put('a', '2');
        await store.compact(second);
        const reader = watch(first);
        expect(await refusal(reader.event())).toMatchObject({ code: 'compacted', compactRevision: second });
        expect(await reader.event()).toBeUndefined();
      });

      it('that starts at C opens, but the state before its first event is gone', async () => {
        await put('a', '1');
        const second = await put('a', '2');
        await put('a', '3');
        await store.compact(second);
        expect(await watch(second).events(2)).toEqual(['put a=2 (was compacted)', 'put a=3 (was 2)']);
      });

      it('that starts at C with a create has lost nothing', async () => {
        await put('a', '1');
        const created = await put('b', '1');
        await store.compact(created);
        expect(await watch(created).events(1)).toEqual(['put b=1']);
      });

      it('that starts at C + 1 knows the state before', async () => {
        await put('a', '1');
        const second = await put('a', '2');
        await store.compact(second);
        const reader = watch(second + 1);
        await put('a', '3');
        expect(await reader.events(1)).toEqual(['put a=3 (was 2)']);
      });

      it('that is open is not touched by a compaction, however far behind its reader is', async () => {
        const first = await put('a', '1');
        const reader = watch(first);
        expect(await reader.events(1)).toEqual(['put a=1']);
        await put('a', '2');
        await store.compact(await put('a', '3'));
        await put('a', '4');
        expect(await reader.events(3)).toEqual(['put a=2 (was 1)', 'put a=3 (was 2)', 'put a=4 (was 3)']);
      });

      it('tells the revision after an interval in which nothing happened to its keys, if asked', async () => {
        await put('a', '1');
        const notified = watch(0, { progressNotify: true });
        const silent = watch(0);
        await store.put(`/registry/suite${runs}0/elsewhere`, utf8.encode('1'));
        const revision = await store.revision();
        const [next, other] = [notified.event(), silent.event()];
        await under.passProgressInterval();
        await put('a', '2');
        await Promise.all([next, other]);
        expect(notified.progress).toContain(revision);
        expect(silent.progress).toEqual([]);
      });
    });
  });
}
