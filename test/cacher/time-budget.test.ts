import { describe, expect, it } from 'vitest';
import { TimeBudget } from '../../src/cacher/time-budget.ts';
import { FakeClock } from '../support/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  return { clock, budget: new TimeBudget(clock) };
}

describe('TimeBudget', () => {
  it('starts at nothing and gets 50 ms with each whole second', async () => {
    const { clock, budget } = setUp();
    expect(budget.takeAvailable()).toBe(0);
    await clock.advance(999);
    expect(budget.takeAvailable()).toBe(0);
    await clock.advance(1);
    expect(budget.takeAvailable()).toBe(50);
    expect(budget.takeAvailable()).toBe(0);
  });

  it('saves up 100 ms and no more', async () => {
    const { clock, budget } = setUp();
    await clock.advance(60_000);
    expect(budget.takeAvailable()).toBe(100);
  });

  it('does not forget the part of a second that has passed', async () => {
    const { clock, budget } = setUp();
    await clock.advance(1_700);
    expect(budget.takeAvailable()).toBe(50);
    await clock.advance(300);
    expect(budget.takeAvailable()).toBe(50);
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
