/**
 * What a count says of a rate, where what is counted comes by chance. The square root of a Poisson count spreads by one half
 * whatever its mean is, so three such spreads are a step of 1.5 on it: of 1,000 ranges about one does not hold what it should.
 */
const STEP = 1.5;

/** So many a second, at least and at most. */
export interface RateRange {
  low: number;
  high: number;
  /** How many come together, as far as the spread of the counts shows it; 1 where each comes by itself. Default 1. */
  clump?: number;
}

/** The least mean that may well give `count`; also the mean that surely does not give more than `count`. */
export function fewest(count: number, clump = 1): number {
  return Math.max(0, Math.sqrt(Math.max(0, count)) - STEP * Math.sqrt(clump)) ** 2;
}

/** The greatest mean that may well give `count`; also the mean that surely gives more than `count`. */
export function most(count: number, clump = 1): number {
  return (Math.sqrt(Math.max(0, count) + clump) + STEP * Math.sqrt(clump)) ** 2;
}

/** The rate behind `count` within `ms`. Nothing counted is no proof of nothing: `high` is above 0 then. */
export function rateRange(count: number, ms: number, clump = 1): RateRange {
  if (!(ms > 0)) return { low: 0, high: Number.POSITIVE_INFINITY, clump };
  return { low: (fewest(count, clump) * 1000) / ms, high: (most(count, clump) * 1000) / ms, clump };
}

/** The spread of a few counts is itself known badly: so much more may be behind it. */
const SPREAD_MARGIN = 1.5;

/**
 * How many come together, from the counts of equal stretches of time: their variance over their mean, which is 1 where each
 * comes by itself. What chance alone would give (three standard deviations of that ratio) counts as 1.
 */
export function clumping(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  if (counts.length < 3 || mean === 0) return 1;
  const ratio = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1) / mean;
  return ratio <= 1 + 3 * Math.sqrt(2 / (counts.length - 1)) ? 1 : ratio * SPREAD_MARGIN;
}
