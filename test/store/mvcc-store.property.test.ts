import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { prefixEnd, StoreError, type WatchResponse } from '../../src/store/storage.ts';
import { FakeClock } from '../support/fake-clock.ts';

const PREFIX = '/registry/m/';
const range = { start: PREFIX, end: prefixEnd(PREFIX) };
const KEYS = ['a', 'b', 'c'];

interface Write {
  revision: number;
  key: string;
  /** undefined: deleted. */
  value: string | undefined;
}

/** A store as a list of writes: what every answer must agree with. */
class Model {
  readonly first: number;
  writes: Write[] = [];
  compacted = 0;
  opened: { reader: Reader; expected: string[]; start: number }[] = [];

  constructor(first: number) {
    this.first = first;
  }

  get revision(): number {
    return this.writes.at(-1)?.revision ?? this.first;
  }

  /** The newest write of a key up to a revision. */
  last(key: string, revision: number): Write | undefined {
    return this.writes.findLast((write) => write.key === key && write.revision <= revision);
  }

  stateAt(revision: number): string[] {
    return KEYS.flatMap((key) => {
      const value = this.last(key, revision)?.value;
      return value === undefined ? [] : [`${key}=${value}`];
    });
  }

  /** One event as text. At the compacted revision itself the state before is lost. */
  event(write: Write): string {
    const before = this.last(write.key, write.revision - 1)?.value;
    const lost = write.revision === this.compacted && before !== undefined;
    return `${write.revision} ${write.key}=${write.value} was ${lost ? 'lost' : before}`;
  }

  write(key: string, value: string | undefined): void {
    this.writes.push({ revision: this.revision + 1, key, value });
    const write = this.writes.at(-1)!;
    for (const watch of this.opened) if (write.revision >= watch.start) watch.expected.push(this.event(write));
  }
}

/** Reads a watch in the background into texts, and how it ended. */
class Reader {
  seen: string[] = [];
  failure: unknown;

  constructor(responses: AsyncIterable<WatchResponse>) {
    void this.#read(responses);
  }

  async #read(responses: AsyncIterable<WatchResponse>): Promise<void> {
    try {
      for await (const response of responses) {
        if (response.kind === 'events') for (const event of response.events) this.seen.push(shown(event));
      }
    } catch (error) {
      this.failure = error;
    }
  }
}

type Event = Extract<WatchResponse, { kind: 'events' }>['events'][number];

function shown(event: Event): string {
  const decode = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();
  const before = event.prevCompacted ? 'lost' : decode(event.prevKv?.value);
  return `${event.revision} ${event.key.slice(PREFIX.length)}=${decode(event.kv?.value)} was ${before}`;
}

interface Real {
  store: MvccStore;
  clock: FakeClock;
  signal: AbortSignal;
}

type Command = fc.AsyncCommand<Model, Real>;

class Put implements Command {
  readonly key: string;
  readonly value: string;
  constructor(key: string, value: string) {
    this.key = key;
    this.value = value;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    const result = await store.put(PREFIX + this.key, Buffer.from(this.value));
    model.write(this.key, this.value);
    expect(result).toEqual({ ok: true, revision: model.revision });
  }
  toString = () => `put ${this.key}=${this.value}`;
}

class Delete implements Command {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    const exists = model.last(this.key, model.revision)?.value !== undefined;
    const result = await store.delete(PREFIX + this.key);
    if (exists) model.write(this.key, undefined);
    expect(result).toMatchObject({ ok: exists, revision: model.revision });
  }
  toString = () => `delete ${this.key}`;
}

/** Compacts `back` revisions below the present one. */
class Compact implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = (model: Readonly<Model>) => model.revision - this.back > 0;
  async run(model: Model, { store }: Real): Promise<void> {
    const revision = model.revision - this.back;
    if (revision <= model.compacted) {
      await expect(store.compact(revision)).rejects.toMatchObject({ code: 'compacted' });
      return;
    }
    await store.compact(revision);
    model.compacted = revision;
  }
  toString = () => `compact head-${this.back}`;
}

class RangeAt implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = (model: Readonly<Model>) => model.revision - this.back > 0;
  async run(model: Model, { store }: Real): Promise<void> {
    const revision = model.revision - this.back;
    const answer = store.range({ ...range, revision });
    if (revision > model.revision) {
      await expect(answer).rejects.toMatchObject({ code: 'future-revision' });
    } else if (revision < model.compacted) {
      await expect(answer).rejects.toMatchObject({ code: 'compacted', compactRevision: model.compacted });
    } else {
      const { kvs, count } = await answer;
      const state = kvs.map((kv) => `${kv.key.slice(PREFIX.length)}=${Buffer.from(kv.value)}`);
      expect(state).toEqual(model.stateAt(revision));
      expect(count).toBe(state.length);
    }
  }
  toString = () => `range at head-${this.back}`;
}

class WatchFrom implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = (model: Readonly<Model>) => model.revision - this.back > 0;
  async run(model: Model, { store, clock, signal }: Real): Promise<void> {
    const start = model.revision - this.back;
    const reader = new Reader(store.watch({ ...range, startRevision: start, signal: AbortSignal.any([signal]) }));
    if (start < model.compacted) {
      await clock.turn();
      expect(reader.failure).toBeInstanceOf(StoreError);
      expect(reader.failure).toMatchObject({ code: 'compacted', compactRevision: model.compacted });
      expect(reader.seen).toEqual([]);
      return;
    }
    const past = model.writes.filter((write) => write.revision >= start);
    model.opened.push({ reader, expected: past.map((write) => model.event(write)), start });
  }
  toString = () => `watch from head-${this.back}`;
}

const key = fc.constantFrom(...KEYS);
const back = fc.integer({ min: -2, max: 9 });
const commands = fc.commands(
  [
    fc.tuple(key, fc.string({ maxLength: 3 })).map(([name, value]) => new Put(name, value)),
    key.map((name) => new Delete(name)),
    fc.integer({ min: 0, max: 6 }).map((n) => new Compact(n)),
    back.map((n) => new RangeAt(n)),
    back.map((n) => new WatchFrom(n)),
  ],
  { maxCommands: 80, size: 'max' },
);

describe('MvccStore against a list of writes', () => {
  it('reads, watches and compacts as the model says', async () => {
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 1, max: 500 }), async (sequence, first) => {
        const clock = new FakeClock();
        const abort = new AbortController();
        const store = new MvccStore({ clock, initialRevision: first });
        const model = new Model(first);
        await fc.asyncModelRun(() => ({ model, real: { store, clock, signal: abort.signal } }), sequence);
        await clock.turn();
        for (const { reader, expected } of model.opened) {
          expect(reader.failure).toBeUndefined();
          expect(reader.seen).toEqual(expected);
        }
        abort.abort();
      }),
      { numRuns: 300 },
    );
  });
});
