import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ringGauge, ringMarks, sparkline, windowGauge } from '../../src/render/ring-gauge.ts';
import { textWidth } from '../../src/render/width.ts';
import { WriteRate } from '../../src/render/write-rate.ts';

describe('gauges', () => {
  it.each([
    [0, 100, '▕          ▏'],
    [50, 100, '▕█████     ▏'],
    [53, 100, '▕█████▎    ▏'],
    [100, 100, '▕██████████▏'],
    [5, 0, '▕          ▏'],
    [200, 100, '▕██████████▏'],
  ])('%i of %i is %s', (used, capacity, gauge) => {
    expect(ringGauge(used, capacity, 12)).toBe(gauge);
  });

  it.each([
    [0, '▕▊███████▏'],
    [0.5, '▕····▊███▏'],
    [1, '▕·······▊▏'],
    [-3, '▕▊███████▏'],
    [9, '▕·······▊▏'],
    [Number.NaN, '▕·······▊▏'],
  ])('place %f is %s', (place, gauge) => {
    expect(windowGauge(place, 10)).toBe(gauge);
  });

  it('puts watchers where they stand and leaves out the lost', () => {
    const ring = { oldest: 0, newest: 100 };
    const marks = [
      { label: 'A', rv: 100 },
      { label: 'B', rv: 100 },
      { label: 'C', rv: 0 },
      { label: 'D', rv: -1 },
    ];
    expect(ringMarks(marks, ring, 12)).toBe(' C       BA ');
  });

  it('always has the width that it was given', () => {
    const any = fc.double({ min: -1e6, max: 1e6 });
    fc.assert(
      fc.property(any, any, fc.integer({ min: 3, max: 80 }), (a, b, width) => {
        expect(textWidth(ringGauge(a, b, width))).toBe(width);
        expect(textWidth(windowGauge(a, width))).toBe(width);
        expect(textWidth(ringMarks([{ label: 'A', rv: a }], { oldest: 0, newest: b }, width))).toBe(width);
      }),
    );
  });

  it('scales a sparkline to its own maximum', () => {
    expect(sparkline([0, 0, 125, 250])).toBe('▁▁▅█');
    expect(sparkline([0, 0])).toBe('▁▁');
  });
});

describe('WriteRate', () => {
  it('counts by whole seconds and forgets the old ones', () => {
    const rate = new WriteRate();
    for (let i = 0; i < 10; i++) rate.add(1_000 + i * 10);
    rate.add(2_500);
    expect(rate.series(3_000)).toEqual([0, 0, 0, 0, 0, 0, 10, 1]);
    // A late one still falls into its second.
    rate.add(1_900);
    expect(rate.series(3_999)).toEqual([0, 0, 0, 0, 0, 0, 11, 1]);
    expect(rate.series(60_000)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
