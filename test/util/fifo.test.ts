import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo } from '../../src/util/fifo.ts';

describe('Fifo', () => {
  it('is an array that is pushed and shifted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 5 }), { maxLength: 400 }), (steps) => {
        const fifo = new Fifo<number>();
        const array: number[] = [];
        for (const [i, step] of steps.entries()) {
          for (let n = 0; n < step; n += 1) {
            fifo.push(i);
            array.push(i);
          }
          for (let n = 0; n > step; n -= 1) expect(fifo.shift()).toBe(array.shift());
          expect(fifo.length).toBe(array.length);
          expect([fifo.peek(), fifo.at(1), fifo.at(-1)]).toEqual([array[0], array[1], undefined]);
          expect(fifo.slice(2)).toEqual(array.slice(2));
        }
      }),
    );
  });

  it('keeps order over many moves of its content', () => {
    const fifo = new Fifo<number>();
    let expected = 0;
    for (let i = 0; i < 20_000; i += 1) {
      fifo.push(i);
      if (i % 3) expect(fifo.shift()).toBe(expected++);
    }
    while (fifo.length > 0) expect(fifo.shift()).toBe(expected++);
    expect(expected).toBe(20_000);
    fifo.push(1);
    fifo.clear();
    expect([fifo.length, fifo.shift()]).toEqual([0, undefined]);
  });
});
