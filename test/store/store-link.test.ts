import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { prefixEnd, type Storage, StoreError, type WatchResponse } from '../../src/store/storage.ts';
import { StoreLink } from '../../src/store/store-link.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { describeStorage } from './storage-suite.ts';

/** No jitter, and the middle of every range. */
const random = () => 0.5;

describeStorage('StoreLink, connected', async () => {
  const clock = new FakeClock();
  const link = new StoreLink({ store: new MvccStore({ clock, initialRevision: 432 }), clock, random });
  return { storage: link, passProgressInterval: () => clock.advance(7_500), close: async () => link.close() };
});

const PODS = '/registry/pods/';
const ALL = { start: PODS, end: prefixEnd(PODS) };
const bytes = new TextEncoder();

let clock: FakeClock;
let store: MvccStore;
let link: StoreLink;
let pods: Storage;
let over: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  store = new MvccStore({ clock, initialRevision: 100 });
  link = new StoreLink({ store, clock, random });
  pods = link.connection('pods');
  over = new AbortController();
});
afterEach(() => {
  over.abort();
  link.close();
  expect(clock.timers).toBe(0);
});

/** How a request ended, or that it waits. */
class Outcome {
  text = 'waits';

  constructor(work: Promise<unknown>) {
    work.then(
      () => (this.text = 'done'),
      (error: unknown) => (this.text = error instanceof StoreError ? `${error.code}: ${error.message}` : String(error)),
    );
  }
}

const write = (name = 'a') => store.put(`${PODS}${name}`, bytes.encode(String(clock.now())));
const read = (signal?: AbortSignal) => new Outcome(pods.range({ ...ALL, signal }));
const put = (name: string, signal?: AbortSignal) =>
  new Outcome(pods.put(`${PODS}${name}`, bytes.encode('x'), undefined, { signal }));

/** Revisions that a watch has told, and how it ended. */
class Seen {
  readonly revisions: number[] = [];
  progress: number[] = [];
  end = 'open';

  constructor(responses: AsyncIterable<WatchResponse>) {
    void this.#read(responses);
  }

  async #read(responses: AsyncIterable<WatchResponse>): Promise<void> {
    try {
      for await (const response of responses) {
        (response.kind === 'events' ? this.revisions : this.progress).push(response.revision);
      }
      this.end = 'ended';
    } catch (error) {
      this.end = error instanceof StoreError ? error.code : String(error);
    }
  }
}

const watch = (startRevision = 101, storage = pods) =>
  new Seen(storage.watch({ ...ALL, startRevision, progressNotify: true, signal: over.signal }));

const EOF_TEXT = 'unavailable: rpc error: code = Unavailable desc = error reading from server: EOF';
const KEEPALIVE_TEXT =
  'unavailable: rpc error: code = Unavailable desc = keepalive ping failed to receive ACK within timeout';

describe('cut as a whole', () => {
  it('lets requests wait until it is back, at the next attempt', async () => {
    link.cut();
    const waiting = [read(), put('b'), new Outcome(pods.revision()), new Outcome(link.revision())];
    await clock.advance(2_000);
    link.restore();
    await clock.advance(500);
    expect(waiting.map(({ text }) => text)).toEqual(['waits', 'waits', 'waits', 'waits']);
    // Attempts at 0, 1 s and 2.6 s after the loss.
    await clock.advance(100);
    expect(waiting.map(({ text }) => text)).toEqual(['done', 'done', 'done', 'done']);
    expect(store.state().revision).toBe(101);
  });

  it('does not do what was given up meanwhile', async () => {
    link.cut();
    const gone = new AbortController();
    const outcome = put('late', gone.signal);
    await clock.advance(10);
    gone.abort();
    await clock.advance(10);
    expect(outcome.text).toBe('unavailable: context canceled');
    link.restore();
    await clock.advance(5_000);
    expect(store.state().revision).toBe(100);
  });

  it('takes its watches up again without a word, and without a loss', async () => {
    const seen = watch();
    await write();
    await clock.advance(0);
    link.cut();
    for (let i = 0; i < 5; i++) await write();
    await clock.advance(900);
    expect(seen.revisions).toEqual([101]);
    link.restore();
    await clock.advance(100);
    expect(seen.revisions).toEqual([101, 102, 103, 104, 105, 106]);
    expect(seen.end).toBe('open');
  });

  it('delivers what had arrived before the cut, also to a reader that is behind', async () => {
    const responses = pods.watch({ ...ALL, startRevision: 101, signal: over.signal })[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await write();
    await clock.advance(0);
    link.cut();
    await store.compact(103);
    for (let revision = 101; revision <= 103; revision++) {
      expect((await responses.next()).value).toMatchObject({ revision });
    }
  });

  it('ends a watch whose next revision was compacted meanwhile, an idle one too', async () => {
    const busy = watch();
    const idle = watch(101, link.connection('secrets'));
    link.cut();
    await write();
    await write();
    await store.compact(102);
    link.restore();
    await clock.advance(1_000);
    expect([busy.end, idle.end]).toEqual(['compacted', 'compacted']);
    expect(busy.revisions).toEqual([]);
  });

  it('keeps a watch that has been told by a progress notify that it missed nothing', async () => {
    const idle = watch();
    await store.put('/registry/secrets/s', bytes.encode('x'));
    await clock.advance(10_000);
    expect(idle.progress.at(-1)).toBe(101);
    link.cut();
    await store.put('/registry/secrets/s', bytes.encode('y'));
    await store.compact(102);
    link.restore();
    await clock.advance(1_000);
    expect(idle.end).toBe('open');
    await write();
    await clock.advance(0);
    expect(idle.revisions).toEqual([103]);
  });

  it('is stronger than the state of one resource, and a restore of the whole is one of everything', () => {
    link.blackhole('pods');
    link.cut();
    expect([link.state(), link.state('pods')]).toEqual(['cut', 'cut']);
    link.restore('secrets');
    expect(link.state()).toBe('cut');
    link.restore();
    expect([link.state(), link.state('pods'), link.exceptions().size]).toEqual(['connected', 'connected', 0]);
  });

  it('begins its attempts anew with a new process', async () => {
    link.cut();
    const waiting = read();
    await clock.advance(100_000);
    link.restore();
    link.renew();
    await clock.advance(0);
    expect(waiting.text).toBe('done');
  });

  it('holds a bounded number of requests', async () => {
    link.cut();
    for (let i = 0; i < 10_000; i++) void pods.range(ALL).catch(() => undefined);
    const outcome = read();
    await clock.advance(0);
    expect(outcome.text).toBe('unavailable: too many requests wait for the store');
  });
});

describe('one resource cut', () => {
  it('fails its requests at once, and no other’s', async () => {
    link.cut('pods');
    const outcomes = [
      read(),
      put('b'),
      new Outcome(pods.revision()),
      new Outcome(link.connection('secrets').range(ALL)),
    ];
    await clock.advance(0);
    expect(outcomes.map(({ text }) => text)).toEqual([EOF_TEXT, EOF_TEXT, EOF_TEXT, 'done']);
    expect([link.state(), link.state('pods'), link.state('secrets')]).toEqual(['connected', 'cut', 'connected']);
  });

  it('is there again at once when it is restored', async () => {
    const seen = watch();
    link.cut('pods');
    await write();
    await clock.advance(60_000);
    link.restore('pods');
    await clock.advance(100);
    expect(seen.revisions).toEqual([101]);
  });

  it('stays cut in a new process', async () => {
    link.cut('pods');
    link.renew();
    const outcome = read();
    await clock.advance(0);
    expect(outcome.text).toBe(EOF_TEXT);
  });

  it('counts for clients that come later', async () => {
    link.cut('secrets');
    const outcome = new Outcome(link.connection('secrets').range(ALL));
    await clock.advance(0);
    expect(outcome.text).toBe(EOF_TEXT);
  });
});

describe('blackholed', () => {
  it('holds everything without a sign, and passes it on when it is restored', async () => {
    const seen = watch();
    await clock.advance(0);
    link.blackhole();
    const waiting = [read(), put('b')];
    await write();
    await clock.advance(30_000);
    expect([...waiting.map(({ text }) => text), seen.revisions.length]).toEqual(['waits', 'waits', 0]);
    link.restore();
    await clock.advance(0);
    expect(waiting.map(({ text }) => text)).toEqual(['done', 'done']);
    expect(seen.revisions).toEqual([101, 102]);
  });

  it('loses nothing to a compaction as long as the connection is believed in: it had been sent already', async () => {
    const seen = watch();
    await clock.advance(0);
    link.blackhole();
    await write();
    await write();
    await store.compact(102);
    await clock.advance(30_000);
    link.restore();
    await clock.advance(0);
    expect(seen.revisions).toEqual([101, 102]);
    expect(seen.end).toBe('open');
  });

  it('is given up after 37.5 s: what was on the connection fails, what comes later waits', async () => {
    link.blackhole();
    const early = read();
    await clock.advance(37_499);
    expect(early.text).toBe('waits');
    await clock.advance(1);
    expect(early.text).toBe(KEEPALIVE_TEXT);
    const late = read();
    await clock.advance(60_000);
    expect(late.text).toBe('waits');
    link.restore();
    await clock.advance(100);
    expect(late.text).toBe('done');
  });

  it('does what a cut does once it is given up', async () => {
    const seen = watch();
    await clock.advance(0);
    link.blackhole();
    await clock.advance(40_000);
    await write();
    await write();
    await store.compact(102);
    link.restore();
    await clock.advance(100);
    expect(seen.end).toBe('compacted');
  });
});

describe('closed', () => {
  it('lets nobody wait', async () => {
    link.cut();
    const outcome = read();
    await clock.advance(0);
    link.close();
    await clock.advance(0);
    expect(outcome.text).toBe('unavailable: context canceled');
  });
});
