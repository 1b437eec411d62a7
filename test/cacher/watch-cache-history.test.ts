import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import { EVENT_FRESH_MS, UPPER_BOUND_CAPACITY, WatchCacheHistory } from '../../src/cacher/watch-cache-history.ts';
import { stored } from '../support/lab.ts';

const object = stored('a', 1);

/** A ring, and what it did. Events are numbered by their RV; `second` is when they were recorded. */
class Ring {
  readonly resizes: string[] = [];
  readonly history: WatchCacheHistory;
  #rv = 0;

  constructor(capacity: number | 'auto') {
    this.history = new WatchCacheHistory(capacity, (from, to) => this.resizes.push(`${from} → ${to}`));
  }

  add(count: number, second: number): this {
    for (let i = 0; i < count; i += 1) {
      this.#rv += 1;
      const recordTime = second * 1000;
      const event = { type: 'MODIFIED', object, prevObject: undefined, key: 'a', rv: this.#rv, recordTime } as const;
      this.history.append(new WatchCacheEvent(event));
    }
    return this;
  }

  get held(): string {
    return `${this.history.oldest?.rv ?? '-'}–${this.history.newest?.rv ?? '-'} of ${this.history.capacity}`;
  }
}

describe('the ring at upstream’s rule', () => {
  it('begins with 100 and takes 100 events without a change', () => {
    const ring = new Ring('auto').add(100, 0);
    expect(ring.held).toBe('1–100 of 100');
    expect(ring.history).toMatchObject({ pinned: false, size: 100, removedEventSinceRelist: false });
  });

  it('doubles with the event that finds it full of young ones, and loses nothing', () => {
    const ring = new Ring('auto').add(101, 0);
    expect(ring.held).toBe('1–101 of 200');
    expect(ring.history.removedEventSinceRelist).toBe(false);
  });

  it('grows to 12800 under a fast burst', () => {
    const ring = new Ring('auto').add(6_401, 1);
    expect(ring.resizes).toEqual([
      '100 → 200',
      '200 → 400',
      '400 → 800',
      '800 → 1600',
      '1600 → 3200',
      '3200 → 6400',
      '6400 → 12800',
    ]);
    expect(ring.held).toBe('1–6401 of 12800');
  });

  it('stops at 102400 and loses the oldest, young as they are', () => {
    const ring = new Ring('auto').add(UPPER_BOUND_CAPACITY + 5, 0);
    expect(ring.held).toBe('6–102405 of 102400');
    expect(ring.history.removedEventSinceRelist).toBe(true);
  });

  it('does not grow where the oldest is 75 s old to the millisecond: the comparison is strict', () => {
    expect(new Ring('auto').add(1, 0).add(100, 75).held).toBe('2–101 of 100');
    expect(new Ring('auto').add(1, 0).add(100, 74.999).held).toBe('1–101 of 200');
  });

  it('overwrites what is old: of 60 events 77 s old, 81 new ones take exactly the 41 oldest', () => {
    const ring = new Ring('auto').add(60, 0).add(81, 77);
    expect(ring.held).toBe('42–141 of 100');
    expect(ring.resizes).toEqual([]);
  });

  it('halves step by step where three quarters are older than 75 s: 400 → 200 → 100', () => {
    const ring = new Ring('auto').add(400, 0);
    expect(ring.history.capacity).toBe(400);
    ring.add(1, 76);
    expect(ring.held).toBe('202–401 of 200');
    expect(ring.history.removedEventSinceRelist).toBe(true);
    ring.add(1, 76);
    expect(ring.held).toBe('303–402 of 100');
    ring.add(1, 76);
    expect(ring.held).toBe('304–403 of 100');
    expect(ring.resizes.slice(2)).toEqual(['400 → 200', '200 → 100']);
  });

  it('does not halve where the newest quarter is younger, or 75 s old to the millisecond', () => {
    const young = new Ring('auto').add(100, 0).add(50, 74).add(50, 74);
    expect(young.history.capacity).toBe(200);
    expect(young.add(1, 100).held).toBe('2–201 of 200');
    const edge = new Ring('auto').add(150, 0).add(50, 25);
    expect(edge.add(1, 100).held).toBe('2–201 of 200');
  });

  it('never changes by time alone, nor while it is not full', () => {
    const ring = new Ring('auto').add(101, 0).add(99, 500);
    expect(ring.resizes).toEqual(['100 → 200']);
    expect(ring.held).toBe('1–200 of 200');
  });
});

describe('a pinned ring', () => {
  it('keeps its size, whatever the age of its events', () => {
    const ring = new Ring(3).add(5, 0).add(5, 1_000);
    expect(ring.resizes).toEqual([]);
    expect(ring.held).toBe('8–10 of 3');
    expect(ring.history.pinned).toBe(true);
  });

  it('may be as small as one, and no larger than upstream’s bound', () => {
    expect(new Ring(1).add(3, 0).held).toBe('3–3 of 1');
    expect(() => new Ring(0)).toThrow(RangeError);
    expect(() => new Ring(1.5)).toThrow(RangeError);
    expect(() => new Ring(UPPER_BOUND_CAPACITY + 1)).toThrow(RangeError);
  });
});

describe('a ring that is pinned anew', () => {
  it('keeps everything where it grows, and stays pinned at that size', () => {
    const ring = new Ring(4).add(10, 0);
    ring.history.setCapacity(8);
    expect(ring.held).toBe('7–10 of 8');
    expect(ring.add(6, 1).held).toBe('9–16 of 8');
    expect(ring.resizes).toEqual(['4 → 8']);
  });

  it('loses the oldest where it shrinks, remembers how old they were, and says that history has a gap', () => {
    const ring = new Ring(8).add(3, 10).add(3, 20);
    expect(ring.history.removedEventSinceRelist).toBe(false);
    ring.history.setCapacity(2);
    expect(ring.held).toBe('5–6 of 2');
    expect(ring.history.removedEventSinceRelist).toBe(true);
    expect(ring.history.lostAgeMs(1, 100_000)).toBe(90_000);
    expect(ring.add(1, 30).held).toBe('6–7 of 2');
  });

  it('loses nothing where what it holds still fits', () => {
    const ring = new Ring(8).add(3, 0);
    ring.history.setCapacity(4);
    expect(ring.held).toBe('1–3 of 4');
    expect(ring.history.removedEventSinceRelist).toBe(false);
  });

  it('pins a dynamic ring', () => {
    const ring = new Ring('auto').add(150, 0);
    ring.history.setCapacity(100);
    expect(ring.history.pinned).toBe(true);
    expect(ring.add(200, 1).held).toBe('251–350 of 100');
  });

  it('takes the same sizes as at its start, and says nothing where nothing changes', () => {
    const ring = new Ring(3).add(2, 0);
    for (const size of [0, 1.5, Number.NaN, UPPER_BOUND_CAPACITY + 1]) {
      expect(() => ring.history.setCapacity(size)).toThrow(RangeError);
    }
    ring.history.setCapacity(3);
    expect(ring.held).toBe('1–2 of 3');
    expect(ring.resizes).toEqual([]);
  });

  it('agrees with an array that is cut, through any resizes', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 40 })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(sizes, (steps) => {
        const ring = new Ring(5);
        let held: number[] = [];
        let written = 0;
        for (const [capacity, count] of steps) {
          ring.history.setCapacity(capacity);
          ring.add(count, 0);
          held = [...held.slice(-capacity), ...Array.from({ length: count }, (_, i) => written + i + 1)];
          held = held.slice(-capacity);
          written += count;
          const { history } = ring;
          expect(Array.from({ length: history.size }, (_, i) => history.at(history.startIndex + i).rv)).toEqual(held);
          expect(history.removedEventSinceRelist).toBe(history.size < written);
        }
      }),
    );
  });
});

describe('reading the ring', () => {
  it('finds the first event after an RV', () => {
    const { history } = new Ring(4).add(10, 0);
    expect([0, 6, 7, 8, 9, 10, 99].map((rv) => history.firstAfter(rv))).toEqual([6, 6, 7, 8, 9, 10, 10]);
    expect(history.at(history.firstAfter(8)).rv).toBe(9);
  });

  it('is empty after a relist; indices go on', () => {
    const { history } = new Ring(4).add(10, 0);
    history.reset();
    expect(history).toMatchObject({
      size: 0,
      startIndex: 10,
      endIndex: 10,
      capacity: 4,
      removedEventSinceRelist: false,
    });
    expect([history.oldest, history.newest, history.firstAfter(0)]).toEqual([undefined, undefined, 10]);
  });

  it('knows how old what it lost was', () => {
    const { history } = new Ring(2).add(1, 10).add(1, 20).add(4, 30);
    expect([0, 1, 2, 3, 4].map((rv) => history.lostAgeMs(rv, 100_000))).toEqual([
      90_000,
      80_000,
      70_000,
      70_000,
      undefined,
    ]);
    history.reset();
    expect(history.lostAgeMs(0, 100_000)).toBeUndefined();
  });

  it('agrees with an array that is cut: same events, found by the same search', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 40 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(
        fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 20 })),
        steps,
        (capacity, bursts) => {
          const ring = new Ring(capacity);
          let second = 0;
          let written = 0;
          for (const [count, pause] of bursts) {
            second += pause;
            ring.add(count, second);
            written += count;
            const { history } = ring;
            const held = Array.from({ length: history.size }, (_, i) => history.at(history.startIndex + i).rv);
            expect(held).toEqual(Array.from({ length: history.size }, (_, i) => written - history.size + 1 + i));
            expect(history.removedEventSinceRelist).toBe(history.size < written);
            expect(history.size).toBeLessThanOrEqual(history.capacity);
          }
        },
      ),
    );
  });

  it('at upstream’s rule never loses an event younger than 75 s below the upper bound', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 50 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (bursts) => {
        const ring = new Ring('auto');
        const recorded: number[] = [];
        let second = 0;
        for (const [count, pause] of bursts) {
          second += pause;
          for (let i = 0; i < count; i += 1) {
            ring.add(1, second);
            recorded.push(second);
            const lost = recorded.length - ring.history.size;
            if (lost > 0) expect(second - recorded[lost - 1]!).toBeGreaterThanOrEqual(EVENT_FRESH_MS / 1000);
          }
        }
      }),
    );
  });
});
