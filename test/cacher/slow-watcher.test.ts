import { afterEach, describe, expect, it } from 'vitest';
import type { Watcher } from '../../src/store/resource-storage.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Lab, PODS } from '../support/lab.ts';

let lab: Lab;
afterEach(() => lab.stop());

/** What is handed to a client that reads on to the end (or as far as there is something now). */
function rvsOf(watcher: Watcher): number[] {
  const rvs: number[] = [];
  for (let event = watcher.poll(); event; event = watcher.poll()) {
    if (event.type === 'ERROR') throw new Error(event.status.message);
    rvs.push(event.type === 'BOOKMARK' ? event.rv : event.object.rv);
  }
  return rvs;
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/** 22 updates: one more than an unread watcher holds. The dispatcher waits for it now. */
async function fill(): Promise<void> {
  await lab.burst('a', 22);
  await lab.clock.turn();
}

/** A lab with pod a at 101, and a client that does not read. */
async function withSleeper(options: ConstructorParameters<typeof Lab>[0] = {}) {
  lab = await new Lab(options).start();
  await lab.create('a');
  await lab.clock.turn();
  const watcher = await lab.cacher.watch(PODS, lab.params(101));
  return watcher;
}

describe('a client that does not read', () => {
  it('is closed with the first event that finds no room while the budget is empty, and gets a consistent prefix', async () => {
    const sleeper = await withSleeper();
    await lab.burst('a', 21);
    expect(lab.cacher.state().watchers).toMatchObject([{ input: 10, result: 10 }]);
    await lab.burst('a', 1);
    await lab.clock.turn();
    expect(lab.cacher.state().watchers).toEqual([]);
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(1);
    expect(lab.trace).toContainEqual({ what: 'terminate', at: lab.clock.now(), resource: 'pods', watcher: 1 });
    expect(rvsOf(sleeper)).toEqual(from(102, 10));
    expect(await sleeper.next()).toBeUndefined();
  });

  it('can resume after its last event', async () => {
    const sleeper = await withSleeper();
    await lab.burst('a', 40);
    const last = rvsOf(sleeper).at(-1)!;
    expect((await lab.watch(last)).lines).toHaveLength(141 - last);
  });

  it('costs the others nothing but the wait', async () => {
    await withSleeper();
    const reader = await lab.watch(101);
    await lab.burst('a', 300);
    expect(reader.events.map((event) => (event.type === 'MODIFIED' ? event.object.rv : 0))).toEqual(from(102, 300));
    expect(reader.ended).toBe(false);
  });

  it('is waited for as long as the budget goes, 100 ms at most, and no longer', async () => {
    await withSleeper();
    await lab.clock.advance(10_000);
    await fill();
    await lab.clock.advance(99);
    expect(lab.cacher.state().watchers).toHaveLength(1);
    await lab.clock.advance(1);
    expect(lab.cacher.state().watchers).toEqual([]);
  });

  it('and wakes up within the budget lives on, with nothing lost', async () => {
    const sleeper = await withSleeper();
    await lab.clock.advance(10_000);
    await fill();
    await lab.clock.advance(50);
    const rvs = rvsOf(sleeper);
    rvs.push(...rvsOf(sleeper));
    await lab.clock.turn();
    rvs.push(...rvsOf(sleeper));
    expect(rvs).toEqual(from(102, 22));
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(0);
  });

  it('and wakes up leaves what it did not use of the budget to the next', async () => {
    const sleeper = await withSleeper();
    await lab.clock.advance(10_000);
    await fill();
    await lab.clock.advance(30);
    expect(rvsOf(sleeper)).not.toEqual([]);
    await fill();
    // The 70 ms that were left, and 1.5 ms that came in while it was waited for.
    await lab.clock.advance(71);
    expect(lab.cacher.state().watchers).toHaveLength(1);
    await lab.clock.advance(1);
    expect(lab.cacher.state().watchers).toEqual([]);
  });

  it('together with a second one has one patience for both', async () => {
    await withSleeper();
    await lab.cacher.watch(PODS, lab.params(101));
    await lab.clock.advance(10_000);
    await fill();
    await lab.clock.advance(100);
    expect(lab.cacher.state().watchers).toEqual([]);
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(2);
  });

  it('is judged in real time also where the server’s clock runs faster', async () => {
    const budgetClock = new FakeClock();
    await withSleeper({ cacher: { budgetClock } });
    await lab.clock.advance(10_000);
    await fill();
    expect(lab.cacher.state().watchers).toEqual([]);
    await lab.cacher.watch(PODS, lab.params(123));
    await budgetClock.advance(10_000);
    await fill();
    await lab.clock.advance(10_000);
    expect(lab.cacher.state().watchers).toHaveLength(1);
    await budgetClock.advance(100);
    expect(lab.cacher.state().watchers).toEqual([]);
  });

  it('that has left by itself is counted as upstream does, but nobody says that the server closed it', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.clock.turn();
    const abort = new AbortController();
    await lab.cacher.watch(PODS, lab.params(101, { signal: abort.signal }));
    await lab.clock.advance(10_000);
    await fill();
    await lab.clock.advance(50);
    abort.abort();
    await lab.clock.advance(50);
    expect(lab.trace.filter((event) => event.what === 'terminate')).toEqual([]);
    expect(lab.cacher.state().watchers).toEqual([]);
  });

  it('but is owed the end of its initial events gets its input drained first', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.clock.turn();
    const params = lab.params('0', { sendInitialEvents: true, bookmarks: true });
    const watcher = await lab.cacher.watch(PODS, params);
    await lab.burst('a', 10);
    await lab.clock.advance(1_000);
    await lab.burst('a', 20);
    await lab.clock.advance(100);
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(1);
    const seen: string[] = [];
    for (let event = await watcher.next(); event; event = await watcher.next()) seen.push(event.type);
    expect(seen).toContain('BOOKMARK');
    expect(seen.length).toBeGreaterThan(11);
  });
});

describe('a client that reads slowly, but in time', () => {
  it('gets everything: it is judged only after its turn of the event loop', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.clock.turn();
    const watcher = await lab.cacher.watch(PODS, lab.params(101));
    const rvs: number[] = [];
    // Takes what is there once a turn of the event loop, as a socket that becomes writable does.
    const reading = (async () => {
      while (rvs.length < 500) {
        await lab.clock.turn();
        rvs.push(...rvsOf(watcher));
      }
    })();
    for (let i = 0; i < 500; i += 1) await lab.update('a', { note: String(i) });
    await reading;
    expect(rvs).toEqual(from(102, 500));
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(0);
  });

  it('and nobody blocked costs no turn of the event loop', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    const logs = await Promise.all([lab.watch(100), lab.watch(100), lab.watch(100)]);
    let turns = 0;
    const { turn } = lab.clock;
    lab.clock.turn = () => {
      turns += 1;
      return turn.call(lab.clock);
    };
    for (let i = 0; i < 200; i += 1) await lab.update('a', { note: String(i) });
    await turn.call(lab.clock);
    expect(turns).toBe(0);
    expect(logs.map((log) => log.events.length)).toEqual([201, 201, 201]);
  });
});

describe('what is counted', () => {
  it('ring changes, events in and out: out come progress, and behind every event its RV once more', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.burst('a', 120);
    await lab.clock.advance(10_000);
    expect(lab.metric('watch_cache_capacity')).toBe(200);
    expect(lab.metric('watch_cache_capacity_increase_total')).toBe(1);
    expect(lab.metric('watch_cache_capacity_decrease_total')).toBe(0);
    expect(lab.metric('apiserver_watch_cache_events_received_total')).toBe(121);
    expect(lab.metric('apiserver_watch_cache_events_dispatched_total')).toBe(121 * 2 + 1);
    expect(lab.trace).toContainEqual({ what: 'resize', at: expect.any(Number), resource: 'pods', from: 100, to: 200 });
  });
});
