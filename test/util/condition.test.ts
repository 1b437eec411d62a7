import { describe, expect, it } from 'vitest';
import { Condition } from '../../src/util/condition.ts';

describe('Condition', () => {
  it('wakes all who wait, once', async () => {
    const condition = new Condition();
    const woken: string[] = [];
    const waits = ['a', 'b'].map((name) => condition.wait(undefined).then(() => woken.push(name)));
    expect(condition.size).toBe(2);
    condition.broadcast();
    expect(condition.size).toBe(0);
    await Promise.all(waits);
    condition.broadcast();
    expect(woken).toEqual(['a', 'b']);
  });

  it('lets go of one whose signal aborts, and leaves no listener to one who was woken', async () => {
    const condition = new Condition();
    const over = new AbortController();
    const aborted = condition.wait(over.signal);
    const other = condition.wait(undefined);
    over.abort();
    await aborted;
    expect(condition.size).toBe(1);
    condition.broadcast();
    await other;
    expect(condition.size).toBe(0);
  });

  it('who waits again while being woken waits for the next time', async () => {
    const condition = new Condition();
    let again: Promise<void> | undefined;
    const first = condition.wait(undefined).then(() => {
      again = condition.wait(undefined);
    });
    condition.broadcast();
    await first;
    expect(condition.size).toBe(1);
    condition.broadcast();
    await again;
    expect(condition.size).toBe(0);
  });
});
