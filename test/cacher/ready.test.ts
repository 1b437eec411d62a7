import { describe, expect, it } from 'vitest';
import { ReadyGate } from '../../src/cacher/ready.ts';

describe('ReadyGate', () => {
  it('counts a generation with each entry into ready', async () => {
    const gate = new ReadyGate();
    expect([gate.check(), gate.generation, gate.checkAndReadGeneration()]).toEqual([false, 0, undefined]);
    gate.set(true);
    gate.set(true);
    expect([gate.check(), gate.checkAndReadGeneration(), await gate.waitAndReadGeneration()]).toEqual([true, 1, 1]);
    gate.set(false);
    expect([gate.check(), gate.generation, gate.checkAndReadGeneration()]).toEqual([false, 1, undefined]);
    gate.set(true);
    expect(gate.checkAndReadGeneration()).toBe(2);
  });

  it('holds who comes while it is shut, until it opens', async () => {
    const gate = new ReadyGate();
    const waiting = [gate.waitAndReadGeneration(), gate.waitAndReadGeneration()];
    gate.set(true);
    expect(await Promise.all(waiting)).toEqual([1, 1]);
  });

  it('that opens and shuts at once lets nobody through: who waits looks again', async () => {
    const gate = new ReadyGate();
    const waiting = gate.waitAndReadGeneration();
    gate.set(true);
    gate.set(false);
    await new Promise((resolve) => setImmediate(resolve));
    gate.set(true);
    expect(await waiting).toBe(2);
  });

  it('lets go of who gives up', async () => {
    const gate = new ReadyGate();
    const abort = new AbortController();
    const waiting = gate.waitAndReadGeneration(abort.signal);
    abort.abort();
    expect(await waiting).toBe('aborted');
    expect(await gate.waitAndReadGeneration(abort.signal)).toBe('aborted');
    gate.set(true);
    expect(await gate.waitAndReadGeneration(abort.signal)).toBe(1);
  });

  it('stopped is for good', async () => {
    const gate = new ReadyGate();
    const waiting = gate.waitAndReadGeneration();
    gate.stop();
    gate.set(true);
    expect(await waiting).toBe('stopped');
    expect(await gate.waitAndReadGeneration()).toBe('stopped');
    expect([gate.check(), gate.checkAndReadGeneration()]).toEqual([false, undefined]);
  });
});
