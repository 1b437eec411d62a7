import { describe, expect, it } from 'vitest';
import { type LoopView, PacedClock } from '../../src/util/paced-clock.ts';

/** An event loop that the test turns by hand. */
class HandLoop implements LoopView {
  #real = 0;
  #idle = 0;
  #events = 0;
  #soon: (() => void)[] = [];
  #later: { at: number; run: () => void }[] = [];

  real() {
    return this.#real;
  }
  idle() {
    return this.#idle;
  }
  ioEvents() {
    return this.#events;
  }
  soon(run: () => void) {
    this.#soon.push(run);
  }
  after(ms: number, run: () => void) {
    const entry = { at: this.#real + ms, run };
    this.#later.push(entry);
    return () => {
      this.#later = this.#later.filter((one) => one !== entry);
    };
  }

  /** The program works for `ms`. */
  work(ms: number) {
    this.#real += ms;
  }

  /** One turn. `io`: sockets had something. Without anything to do it sleeps until the next timer of Node's is due. */
  turn({ io = 0, late = 0 } = {}) {
    this.#events += io;
    const now = this.#soon;
    this.#soon = [];
    if (now.length === 0 && this.#later.length > 0 && io === 0) {
      const at = Math.min(...this.#later.map((one) => one.at)) + late;
      if (at > this.#real) {
        this.#idle += at - this.#real;
        this.#real = at;
      }
    }
    const due = this.#later.filter((one) => one.at <= this.#real);
    this.#later = this.#later.filter((one) => one.at > this.#real);
    for (const { run } of due) run();
    for (const run of now) run();
  }
}

function setUp(speed = 100) {
  const loop = new HandLoop();
  const clock = new PacedClock(speed, 0, loop);
  const fired: string[] = [];
  const note = (name: string, ms: number) => clock.timer(ms, () => fired.push(`${name} ${Math.floor(clock.now())}`));
  return { loop, clock, fired, note };
}

describe('a clock that runs fast without outrunning the sockets', () => {
  it('runs at its speed while the process sleeps, and like real time while it works', () => {
    const { loop, clock, note } = setUp();
    note('far', 10_000);
    loop.work(20);
    expect(clock.now()).toBe(20);
    for (let turn = 0; turn < 4; turn++) loop.turn();
    // 99.8 ms of sleep were what was missing.
    expect(Math.floor(clock.now())).toBe(10_000);
    expect(loop.real()).toBeLessThan(130);
  });

  it('fires each timer at its own time, in order, though the loop woke late', () => {
    const { loop, fired, note } = setUp();
    note('b', 8);
    note('a', 4);
    note('c', 8);
    for (let turn = 0; turn < 10; turn++) loop.turn({ late: 1 });
    expect(fired).toEqual(['a 4', 'b 8', 'c 8']);
  });

  it('fires nothing before a turn without I/O', () => {
    const { loop, fired, note } = setUp();
    note('a', 100);
    loop.turn();
    for (let turn = 0; turn < 20; turn++) loop.turn({ io: 1 });
    expect(fired).toEqual([]);
    loop.turn();
    expect(fired).toEqual(['a 100']);
  });

  it('gives the sockets a turn between two timers', () => {
    const { loop, fired, note } = setUp();
    note('a', 100);
    note('b', 101);
    while (fired.length === 0) loop.turn({ late: 1 });
    loop.turn({ io: 3 });
    loop.turn({ io: 1 });
    expect(fired).toEqual(['a 100']);
    loop.turn();
    expect(fired).toEqual(['a 100', 'b 101']);
  });

  it('is not held up for ever by a client that never stops', () => {
    const { loop, fired, note } = setUp();
    note('a', 1);
    for (let turn = 0; turn < 300 && fired.length === 0; turn++) {
      loop.work(5);
      loop.turn({ io: 1 });
    }
    expect(fired).toEqual(['a 1']);
    expect(loop.real()).toBeGreaterThan(1000);
  });

  it('forgets the time that a busy machine has lost, instead of racing after it', () => {
    const { loop, clock, note } = setUp();
    note('a', 1);
    note('z', 100_000);
    loop.turn({ late: 500 });
    loop.turn();
    expect(Math.floor(clock.now())).toBe(1);
    for (let turn = 0; turn < 3; turn++) loop.turn();
    // 500 ms of real time were worth 50,000: what is left of it is 4 ms' worth.
    expect(loop.real()).toBeGreaterThan(1400);
  });

  it('never tells the same time twice', () => {
    const { loop, clock, note } = setUp();
    note('a', 10);
    loop.work(500);
    const told = Array.from({ length: 100 }, () => clock.now());
    expect(new Set(told).size).toBe(100);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBeLessThan(11);
  });

  it('cancels', () => {
    const { loop, fired, note } = setUp();
    const timer = note('a', 5);
    note('b', 6);
    timer.cancel();
    for (let turn = 0; turn < 10; turn++) loop.turn();
    expect(fired).toEqual(['b 6']);
  });

  it('never runs backwards on the real loop, and keeps the order of sleeps', async () => {
    const clock = new PacedClock(1000, 5000);
    const order: number[] = [];
    let last = 0;
    const sleep = async (ms: number) => {
      await clock.sleep(ms);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
      order.push(ms);
    };
    await Promise.all([sleep(3000), sleep(10), sleep(11), sleep(1200)]);
    expect(order).toEqual([10, 11, 1200, 3000]);
  });
});
