import { describe, expect, it } from 'vitest';
import { TimeBudget } from '../../src/cacher/time-budget.ts';
import { FakeClock } from '../support/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  return { clock, budget: new TimeBudget(clock) };
}

describe('TimeBudget', () => {
  it('starts at nothing and grows by 50 ms a second, also within one', async () => {
    const { clock, budget } = setUp();
    expect(budget.takeAvailable()).toBe(0);
    await clock.advance(500);
    expect(budget.takeAvailable()).toBe(25);
    await clock.advance(1_000);
    expect(budget.takeAvailable()).toBe(50);
    expect(budget.takeAvailable()).toBe(0);
  });

  it('saves up 100 ms and no more', async () => {
    const { clock, budget } = setUp();
    await clock.advance(60_000);
    expect(budget.takeAvailable()).toBe(100);
  });

  it('takes back what was not used, within its bound; an overdrawn wait returns nothing', async () => {
    const { clock, budget } = setUp();
    await clock.advance(2_000);
    expect(budget.takeAvailable()).toBe(100);
    budget.returnUnused(70);
    budget.returnUnused(-40);
    expect(budget.takeAvailable()).toBe(70);
    budget.returnUnused(500);
    expect(budget.takeAvailable()).toBe(100);
  });
});
