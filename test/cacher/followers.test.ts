import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { EventBatch, EventSink, Watcher } from '../../src/store/resource-storage.ts';
import { Lab, line, PODS } from '../support/lab.ts';

let lab: Lab;
afterEach(() => lab.stop());

/** A handler with a socket: while that has room it follows, else it reads nothing. */
class Handler implements EventSink {
  readonly watcher: Watcher;
  readonly lines: string[] = [];
  readonly batches: EventBatch[] = [];
  ready = true;
  /** The socket takes one batch, and then no more until `open`. */
  closesAfterBatch = false;
  ended = false;
  #open: (() => void) | undefined;

  constructor(watcher: Watcher) {
    this.watcher = watcher;
    void this.#run();
  }

  deliver(batch: EventBatch): void {
    if (!this.ready) throw new Error('delivered to a full socket');
    this.batches.push(batch);
    this.lines.push(...batch.events.map(line));
    if (this.closesAfterBatch) this.ready = false;
  }

  /** The socket has room again. */
  open(): void {
    this.ready = true;
    this.#open?.();
    this.watcher.resume?.();
  }

  get names(): string[] {
    return this.lines.map((one) => one.split(' ')[1] as string);
  }

  async #run(): Promise<void> {
    for (;;) {
      const event = this.watcher.poll() ?? (await this.#next());
      if (!event) break;
      this.lines.push(line(event));
      await this.#room();
    }
    this.ended = true;
  }

  async #next() {
    await this.#room();
    const following = this.watcher.follow?.(this);
    if (!following) return this.watcher.next();
    await following;
    await this.#room();
    return this.watcher.poll() ?? this.watcher.next();
  }

  async #room(): Promise<void> {
    while (!this.ready) {
      await new Promise<void>((resolve) => {
        this.#open = resolve;
      });
    }
  }
}

/** A lab with pod a at 101. */
async function started(): Promise<void> {
  lab = await new Lab().start();
  await lab.create('a', { labels: { app: 'x' } });
  await lab.clock.turn();
}

async function handler(asked: Parameters<Lab['params']>[1] = {}): Promise<Handler> {
  const made = new Handler(await lab.cacher.watch(PODS, lab.params(101, asked)));
  await lab.clock.turn();
  return made;
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => `a@${first + i}`);
const rows = () => lab.cacher.state().watchers;

/** 22 updates: one more than an unread watcher holds. The dispatcher waits for it now. */
async function fill(count: number): Promise<void> {
  await lab.burst('a', count);
  await lab.clock.turn();
  await lab.clock.turn();
}

describe('watchers whose clients read along', () => {
  it('are handed what a turn brought in one batch, the same for all that select alike', async () => {
    await started();
    const [one, two, other] = [await handler(), await handler(), await handler({ labels: 'app=x' })];
    for (let n = 0; n < 3; n += 1) await lab.update('a', { note: `${n}`, labels: { app: 'x' } });
    await lab.clock.turn();
    await lab.clock.turn();
    expect(one.lines).toEqual(['MODIFIED a@102', 'MODIFIED a@103', 'MODIFIED a@104']);
    expect([two.lines, other.lines]).toEqual([one.lines, one.lines]);
    expect(one.batches).toHaveLength(1);
    expect(two.batches[0]).toBe(one.batches[0]);
    expect(rows()).toMatchObject([{ input: 0, result: 0, waitsFor: 'event', lastSentRv: 104 }, {}, {}]);
  });

  it('are not slow however much comes in a turn', async () => {
    await started();
    const reader = await handler();
    await lab.burst('a', 500);
    expect(reader.names).toEqual(from(102, 500));
    expect(reader.ended).toBe(false);
  });

  it('get a bookmark of their own after the events that were before it', async () => {
    await started();
    const reader = await handler({ bookmarks: true });
    await lab.update('a', { note: 'x' });
    await lab.clock.advance(61_000);
    await lab.update('a', { note: 'y' });
    await lab.clock.turn();
    await lab.clock.turn();
    expect(reader.lines).toEqual(['MODIFIED a@102', 'BOOKMARK @102', 'MODIFIED a@103']);
  });

  it('end with what was there', async () => {
    await started();
    const reader = await handler();
    await lab.update('a', { note: 'x' });
    lab.stop();
    await lab.clock.turn();
    expect([reader.names, reader.ended]).toEqual([from(102, 1), true]);
  });
});

describe('a follower whose socket is full', () => {
  it('holds as many events as two queues and the way between them, and is closed with the next one', async () => {
    await started();
    const stalled = await handler();
    stalled.ready = false;
    await fill(21);
    expect(rows()).toMatchObject([{ input: 10, result: 10, waitsFor: 'client' }]);
    await fill(1);
    expect(rows()).toEqual([]);
    expect(lab.metric('apiserver_terminated_watchers_total')).toBe(1);
    stalled.open();
    await lab.clock.turn();
    expect([stalled.names, stalled.ended]).toEqual([from(102, 10), true]);
  });

  it('is waited for as long as the budget goes, and goes on where it was', async () => {
    await started();
    const stalled = await handler();
    await lab.clock.advance(10_000);
    stalled.ready = false;
    await fill(22);
    expect(rows()).toHaveLength(1);
    await lab.clock.advance(50);
    stalled.open();
    await lab.clock.turn();
    await lab.burst('a', 5);
    expect([stalled.names, stalled.ended]).toEqual([from(102, 27), false]);
  });

  it('costs the others nothing', async () => {
    await started();
    const [stalled, reader] = [await handler(), await handler()];
    stalled.ready = false;
    await lab.burst('a', 300);
    expect(reader.names).toEqual(from(102, 300));
    expect(rows()).toHaveLength(1);
  });

  it('has its place after the block that it was given last', async () => {
    await started();
    const reader = await handler();
    reader.closesAfterBatch = true;
    await lab.burst('a', 4);
    reader.closesAfterBatch = false;
    await lab.burst('a', 4);
    expect(reader.names).toEqual(from(102, 4));
    expect(rows()).toMatchObject([{ input: 0, result: 4 }]);
    reader.open();
    expect(reader.names).toEqual(from(102, 8));
  });
});

describe('the queues of a follower', () => {
  it('are counted as those of a watcher that has queues and reads nothing', async () => {
    const write = fc.record({ app: fc.constantFrom('x', 'x', 'y'), turn: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 60 }), fc.boolean(), async (writes, selects) => {
        await started();
        const asked = selects ? { labels: 'app=x' } : {};
        await lab.cacher.watch(PODS, lab.params(101, asked));
        const stalled = await handler(asked);
        stalled.ready = false;
        for (const [n, { app, turn }] of writes.entries()) {
          await lab.update('a', { note: `${n}`, labels: { app } });
          if (turn) for (let k = 0; k < 3; k += 1) await lab.clock.turn();
        }
        for (let k = 0; k < 4; k += 1) await lab.clock.turn();
        const [apart, following] = rows();
        expect([following?.input, following?.result]).toEqual([apart?.input, apart?.result]);
        lab.stop();
      }),
      { numRuns: 60 },
    );
  });

  it('lose nothing and mix nothing up, however sockets fill and empty', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('x', 'y') },
      { weight: 2, arbitrary: fc.constantFrom('full', 'room', 'turn') },
      { weight: 1, arbitrary: fc.constant('minute') },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.boolean(), async (steps, selects) => {
        await started();
        const asked = selects ? { labels: 'app=x' } : {};
        const log = await lab.watch(101, asked);
        const reader = await handler({ ...asked, bookmarks: true });
        for (const [n, one] of steps.entries()) {
          if (one === 'full') reader.ready = false;
          else if (one === 'room') reader.open();
          else if (one === 'turn') for (let k = 0; k < 3; k += 1) await lab.clock.turn();
          else if (one === 'minute') await lab.clock.advance(61_000);
          else await lab.update('a', { note: `${n}`, labels: { app: one } });
        }
        reader.open();
        for (let k = 0; k < 6; k += 1) await lab.clock.turn();
        const seen = reader.lines.filter((text) => !text.startsWith('BOOKMARK'));
        expect(seen).toEqual(reader.ended ? log.lines.slice(0, seen.length) : log.lines);
        lab.stop();
      }),
      { numRuns: 150 },
    );
  });
});
