import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldBytes } from '../../src/protocol/held-bytes.ts';

describe('HeldBytes', () => {
  it('gives back what it was given', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, pieces, fc.nat(20_000), (first, second, usualMax) => {
        const held = new HeldBytes(usualMax);
        for (const given of [first, second]) {
          for (const piece of given) held.append(piece);
          const whole = Buffer.concat(given);
          expect(held.length).toBe(whole.length);
          expect(held.head(10)).toEqual(whole.subarray(0, 10));
          expect(held.take()).toEqual(whole);
          expect(held.length).toBe(0);
          expect(held.head(10).length).toBe(0);
        }
      }),
    );
  });

  it('hands its bytes over: a later piece does not write into them', () => {
    const held = new HeldBytes(100);
    held.append(Buffer.from('abc'));
    const taken = held.take();
    held.append(Buffer.from('xyz'));
    expect(taken.toString()).toBe('abc');
  });

  it('copies what it is given', () => {
    const held = new HeldBytes(100);
    const piece = Buffer.from('abc');
    held.append(piece);
    piece.fill('x');
    expect(held.take().toString()).toBe('abc');
  });

  it('doubles its block, up to what is usual', () => {
    const sizes: number[] = [];
    const held = new HeldBytes(10_000);
    for (let i = 0; i < 12; i++) {
      held.append(Buffer.alloc(1000));
      sizes.push(held.head(1).buffer.byteLength);
    }
    expect(sizes).toEqual([4096, 4096, 4096, 4096, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 11_000, 12_000]);
  });
});
