import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Watcher } from '../../src/store/resource-storage.ts';
import { Lab, PODS } from '../support/lab.ts';
import { Link } from '../support/store-link.ts';
import { broken, History, type Log, rvOf, text } from './guarantees.ts';

/** A client: one log over all its streams. It resumes from the last RV it saw, as a good client does. */
class Client implements Log {
  readonly app: string | undefined;
  readonly start: number;
  readonly initial: number;
  readonly events: Log['events'] = [];
  readonly reads: 'at once' | 'when told';
  watcher: Watcher | undefined;
  expired: string | undefined;

  constructor(app: string | undefined, reads: Client['reads'], start: number, initial: number) {
    this.app = app;
    this.reads = reads;
    this.start = start;
    this.initial = initial;
  }

  get lastRv(): number {
    return Math.max(this.start, ...this.events.slice(this.initial).map(rvOf));
  }

  open(watcher: Watcher): void {
    this.watcher = watcher;
    if (this.reads === 'at once') void this.#readOn(watcher);
  }

  /** Takes what is there now. */
  read(): void {
    for (let event = this.watcher?.poll(); event; event = this.watcher?.poll()) this.#saw(event);
  }

  async #readOn(watcher: Watcher): Promise<void> {
    for (let event = await watcher.next(); event; event = await watcher.next()) {
      // A stream that was left may still be handed something: nobody reads it.
      if (this.watcher !== watcher) return;
      this.#saw(event);
    }
    if (this.watcher === watcher) this.watcher = undefined;
  }

  #saw(event: NonNullable<Awaited<ReturnType<Watcher['next']>>>): void {
    if (event.type === 'ERROR') this.expired = `${event.status.code} ${event.status.message}`;
    else this.events.push(event);
  }
}

interface Model {
  history: History;
  clients: Client[];
}

interface Real {
  lab: Lab;
  link: Link;
}

type Command = fc.AsyncCommand<Model, Real>;

const always = () => true;
const NAMES = ['a', 'b', 'c'];

/** Writes an object with one of two labels, or deletes it. */
const write = (name: string, app: string | undefined): Command => ({
  check: always,
  run: async ({ history }, { lab }) => {
    const exists = history.labelsAt(name, Number.POSITIVE_INFINITY) !== undefined;
    if (app === undefined && !exists) return;
    const fields = { labels: { app: app ?? '' }, note: String(history.writes.length) };
    const rv = await (app === undefined
      ? lab.delete(name)
      : exists
        ? lab.update(name, fields)
        : lab.create(name, fields));
    history.writes.push({ rv, name, labels: app === undefined ? undefined : { app } });
  },
  toString: () => (app === undefined ? `delete ${name}` : `write ${name} app=${app}`),
});

/** Many writes at once: who does not read runs full, and while the dispatcher waits for him new watches begin. */
const burst = (name: string, count: number): Command => ({
  check: always,
  run: async (model, real) => {
    for (let i = 0; i < count; i += 1) await write(name, i % 3 ? 'x' : 'y').run(model, real);
  },
  toString: () => `burst of ${count} on ${name}`,
});

/** Opens a watch `back` revisions before the cache's, or with the present state. */
const watch = (back: number | 'state', app: string | undefined, reads: Client['reads']): Command => ({
  check: ({ clients }) => clients.length < 8,
  run: async ({ history, clients }, { lab }) => {
    if (!lab.cacher.ready) return;
    // With an empty store 1.30.3 may send events that are still under way: known, and not to be met here.
    if (back === 'state') await lab.clock.advance(500);
    const { resourceVersion, floor } = lab.cacher.state();
    if (!lab.cacher.ready || floor === undefined) return;
    const start = back === 'state' ? resourceVersion : Math.max(1, resourceVersion - back);
    const state = back === 'state' ? history.stateAt(start, app) : [];
    const client = new Client(app, reads, start, state.length);
    const asked = { bookmarks: true, ...(app && { labels: `app=${app}` }), timeoutMs: 100_000 };
    const opening = lab.cacher.watch(PODS, lab.params(back === 'state' ? 0 : start, asked));
    client.open(await opening);
    if (start < floor) {
      await lab.clock.turn();
      client.read();
      expect(client.expired).toBe(`410 too old resource version: ${start} (${floor})`);
      expect(client.events).toEqual([]);
      return;
    }
    clients.push(client);
    if (reads === 'when told') {
      for (let left = state.length; left > 0 && client.events.length < state.length; left -= 1) {
        await lab.clock.turn();
        client.read();
      }
    }
    await lab.clock.turn();
    expect(client.expired).toBeUndefined();
    expect(client.events.slice(0, state.length).map(text)).toEqual(state);
  },
  toString: () => `watch ${back === 'state' ? 'with the state' : `from head-${back}`} app=${app}, reads ${reads}`,
});

const read = (index: number): Command => ({
  check: ({ clients }) => clients.length > 0,
  run: async ({ clients }) => clients[index % clients.length]!.read(),
  toString: () => `client ${index} reads`,
});

/** A client leaves, or if it is away comes back with its last RV. */
const leaveOrResume = (index: number): Command => ({
  check: ({ clients }) => clients.length > 0,
  run: async ({ clients }, { lab }) => {
    const client = clients[index % clients.length]!;
    if (client.watcher) {
      client.watcher.stop();
      await lab.clock.turn();
      client.read();
      client.watcher = undefined;
      return;
    }
    const { floor } = lab.cacher.state();
    if (!lab.cacher.ready || client.expired || floor === undefined) return;
    const asked = { bookmarks: true, ...(client.app && { labels: `app=${client.app}` }), timeoutMs: 100_000 };
    const resumedFrom = client.lastRv;
    client.open(await lab.cacher.watch(PODS, lab.params(resumedFrom, asked)));
    await lab.clock.turn();
    if (client.reads === 'when told') client.read();
    const expected = resumedFrom < floor ? `410 too old resource version: ${resumedFrom} (${floor})` : undefined;
    expect(client.expired).toBe(expected);
  },
  toString: () => `client ${index} leaves or resumes`,
});

/** Compacts at the present revision: nobody who is connected may notice. */
const compact: Command = {
  check: always,
  run: async (_model, { lab }) => {
    const { revision, compactedRevision } = lab.store.state();
    if (revision > compactedRevision) await lab.store.compact(revision);
  },
  toString: () => 'compact',
};

/** The cache's own watch is lost to a compaction; a second later it is filled anew and all its watchers are gone. */
const relist: Command = {
  check: always,
  run: async ({ clients }, { lab, link }) => {
    if (!lab.cacher.ready) return;
    // A dispatcher that waits for slow clients holds up the reflector: first it gives them up.
    await lab.clock.advance(500);
    const { generation } = lab.cacher.state();
    link.compactedAway();
    await lab.clock.advance(1_000);
    expect(lab.cacher.state()).toMatchObject({ ready: true, generation: generation + 1, size: 0, watchers: [] });
    for (const client of clients) {
      client.read();
      client.watcher = undefined;
      expect(client.expired).not.toBe('in the middle of a stream');
    }
  },
  toString: () => 'relist',
};

const advance = (ms: number): Command => ({
  check: always,
  run: async (_model, { lab }) => lab.clock.advance(ms),
  toString: () => `${ms} ms pass`,
});

const name = fc.constantFrom(...NAMES);
const app = fc.constantFrom('x', 'y');
const index = fc.nat(7);
const writes = fc.tuple(
  name,
  fc.oneof({ weight: 4, arbitrary: app }, { weight: 1, arbitrary: fc.constant(undefined) }),
);
const watches = fc.tuple(
  fc.oneof(fc.integer({ min: 0, max: 25 }), fc.constant('state' as const)),
  fc.constantFrom(undefined, 'x'),
  fc.constantFrom('at once' as const, 'when told' as const),
);
const commands = fc.commands(
  [
    writes.map(([one, label]) => write(one, label)),
    writes.map(([one, label]) => write(one, label)),
    writes.map(([one, label]) => write(one, label)),
    fc.tuple(name, fc.integer({ min: 10, max: 50 })).map(([one, count]) => burst(one, count)),
    watches.map(([back, label, reads]) => watch(back, label, reads)),
    index.map(read),
    index.map(leaveOrResume),
    fc.constantFrom(500, 2_500, 62_000).map(advance),
    fc.constant(compact),
    fc.constant(relist),
  ],
  { maxCommands: 100, size: 'max' },
);

describe('what watchers see, against the history of writes', () => {
  it('is ordered, unique, reliable, filtered, bookmarkable and resumable', async () => {
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 3, max: 60 }), async (sequence, capacity) => {
        const lab = new Lab({ cacher: { capacity } });
        const link = new Link(lab.store);
        await lab.start();
        const model: Model = { history: new History(), clients: [] };
        await fc.asyncModelRun(() => ({ model, real: { lab, link } }), sequence);
        // Whoever is slow has been given up by then; the others must have everything.
        await lab.clock.advance(2_000);
        const head = lab.store.state().revision;
        for (const client of model.clients) {
          const complete = client.reads === 'at once' && client.watcher !== undefined && lab.cacher.ready;
          expect(broken(model.history, client, complete ? head : undefined)).toEqual([]);
        }
        lab.stop();
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
