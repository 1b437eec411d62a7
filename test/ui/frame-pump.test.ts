import { describe, expect, it } from 'vitest';
import { FRAME_MS, FramePump } from '../../src/ui/frame-pump.ts';
import { FakeClock } from '../support/fake-clock.ts';

function pumpOf(clock: FakeClock, look: () => string) {
  const drawn: string[] = [];
  const pump = new FramePump({ clock, compute: look, same: (a, b) => a === b });
  pump.subscribe(() => drawn.push(pump.snapshot()));
  return { pump, drawn };
}

describe('FramePump', () => {
  it('draws at most ten frames a second, whatever comes', async () => {
    const clock = new FakeClock();
    let n = 0;
    const { pump, drawn } = pumpOf(clock, () => String(n));
    for (let ms = 0; ms < 1000; ms++) {
      n += 1;
      pump.touch();
      await clock.advance(1);
    }
    expect(drawn.length).toBeLessThanOrEqual(1000 / FRAME_MS + 1);
    expect(drawn.length).toBeGreaterThan(8);
    await clock.advance(FRAME_MS);
    expect(pump.snapshot()).toBe(String(n));
  });

  it('shows the first thing at once after a pause', async () => {
    const clock = new FakeClock();
    let text = 'before';
    const { pump, drawn } = pumpOf(clock, () => text);
    await clock.advance(10_500);
    text = 'after';
    pump.touch();
    await clock.advance(0);
    expect(drawn).toEqual(['after']);
  });

  it('draws nothing when nothing visible changed', async () => {
    const clock = new FakeClock();
    const { pump, drawn } = pumpOf(clock, () => 'same');
    for (let i = 0; i < 50; i++) {
      pump.touch();
      pump.drawNow();
      await clock.advance(500);
    }
    expect(drawn).toEqual([]);
  });

  it('looks once a second when nothing comes, for the ages', async () => {
    const clock = new FakeClock(0);
    const { drawn } = pumpOf(clock, () => `${Math.floor(clock.now() / 1000)} s`);
    await clock.advance(5_000);
    expect(drawn).toEqual(['1 s', '2 s', '3 s', '4 s', '5 s']);
  });

  it('draws a key’s effect at once', () => {
    const clock = new FakeClock();
    let text = 'a';
    const { pump, drawn } = pumpOf(clock, () => text);
    text = 'b';
    pump.drawNow();
    text = 'c';
    pump.drawNow();
    expect(drawn).toEqual(['b', 'c']);
  });

  it('is quiet once stopped, and leaves no timer', async () => {
    const clock = new FakeClock();
    let text = 'a';
    const { pump, drawn } = pumpOf(clock, () => text);
    pump.stop();
    text = 'b';
    pump.touch();
    pump.drawNow();
    await clock.advance(10_000);
    expect(drawn).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
