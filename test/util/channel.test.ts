import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channel } from '../../src/util/channel.ts';

/** Lets every reaction that is decided run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Channel', () => {
  it('takes as many values as it has room for, and gives them back in order', async () => {
    const channel = new Channel<number>(2);
    expect([channel.trySend(1), channel.trySend(2), channel.trySend(3)]).toEqual([true, true, false]);
    expect(channel.length).toBe(2);
    expect([channel.tryReceive(), await channel.receive(), channel.tryReceive()]).toEqual([1, 2, undefined]);
  });

  it('lets a sender wait for room, in the order of sending', async () => {
    const channel = new Channel<number>(1);
    channel.trySend(1);
    const sent: number[] = [];
    for (const value of [2, 3]) void channel.send(value).then(() => sent.push(value));
    await settle();
    expect(sent).toEqual([]);
    expect(channel.tryReceive()).toBe(1);
    await settle();
    expect(sent).toEqual([2]);
    expect([channel.tryReceive(), channel.tryReceive(), channel.tryReceive()]).toEqual([2, 3, undefined]);
  });

  it('hands a value straight to who waits for it', async () => {
    const channel = new Channel<number>(0);
    expect(channel.trySend(1)).toBe(false);
    const waiting = channel.receive();
    expect(channel.trySend(2)).toBe(true);
    expect(await waiting).toBe(2);
  });

  it('of capacity 0 passes the value of a waiting sender', async () => {
    const channel = new Channel<number>(0);
    const sending = channel.send(1);
    expect(channel.length).toBe(0);
    expect(channel.tryReceive()).toBe(1);
    expect(await sending).toBe(true);
  });

  it('closed: what it holds can be received, then undefined; sends throw', async () => {
    const channel = new Channel<number>(2);
    channel.trySend(1);
    channel.close();
    channel.close();
    expect(channel.closed).toBe(true);
    expect(() => channel.trySend(2)).toThrow('send on closed channel');
    expect(await channel.receive()).toBe(1);
    expect(await channel.receive()).toBeUndefined();
  });

  it('close wakes all who wait', async () => {
    const full = new Channel<number>(1);
    full.trySend(1);
    const sending = full.send(2);
    const empty = new Channel<number>(1);
    const receiving = [empty.receive(), empty.receive()];
    full.close();
    empty.close();
    expect(await sending).toBe(false);
    expect(await Promise.all(receiving)).toEqual([undefined, undefined]);
    expect(full.tryReceive()).toBe(1);
    expect(full.tryReceive()).toBeUndefined();
  });

  it('a cancelled send has not been sent, and the channel goes on', async () => {
    const channel = new Channel<number>(1);
    channel.trySend(1);
    const sending = channel.send(2);
    channel.cancelSends();
    expect(await sending).toBe(false);
    expect(channel.tryReceive()).toBe(1);
    expect(channel.trySend(3)).toBe(true);
    expect(channel.tryReceive()).toBe(3);
  });

  it('a cancelled receive gets undefined, and the channel goes on', async () => {
    const channel = new Channel<number>(1);
    const waiting = channel.receive();
    channel.cancelReceives();
    expect(await waiting).toBeUndefined();
    expect(channel.trySend(1)).toBe(true);
    expect(await channel.receive()).toBe(1);
  });

  it('refuses a capacity that is no whole number', () => {
    expect(() => new Channel(-1)).toThrow(RangeError);
    expect(() => new Channel(1.5)).toThrow(RangeError);
  });

  it('delivers everything once and in order, whatever the interleaving and the capacity', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 5 }),
        fc.array(fc.constantFrom('send', 'trySend', 'receive', 'tryReceive', 'settle'), { maxLength: 80 }),
        async (capacity, steps) => {
          const channel = new Channel<number>(capacity);
          const received: (number | undefined)[] = [];
          const accepted: number[] = [];
          let next = 0;
          for (const step of steps) {
            if (step === 'send') {
              accepted.push(next);
              void channel.send(next);
            } else if (step === 'trySend' && channel.trySend(next)) accepted.push(next);
            else if (step === 'receive') void channel.receive().then((value) => received.push(value));
            else if (step === 'tryReceive') {
              const value = channel.tryReceive();
              if (value !== undefined) void Promise.resolve(value).then((one) => received.push(one));
            } else if (step === 'settle') await settle();
            if (step === 'send' || step === 'trySend') next += 1;
            expect(channel.length).toBeLessThanOrEqual(capacity);
          }
          for (let value = channel.tryReceive(); value !== undefined; value = channel.tryReceive()) {
            const one = value;
            void Promise.resolve().then(() => received.push(one));
          }
          await settle();
          channel.close();
          await settle();
          expect(received.filter((value) => value !== undefined)).toEqual(accepted);
        },
      ),
      { numRuns: 300 },
    );
  });
});
