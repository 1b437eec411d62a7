/**
 * What a count says of a rate, where what is counted comes by chance. The square root of a Poisson count spreads by one half
 * whatever its mean is, so three such spreads are a step of 1.5 on it: of 1,000 ranges about one does not hold what it should.
 */
const STEP = 1.5;

/** So many a second, at least and at most. */
export interface RateRange {
  low: number;
  high: number;
}

/** The least mean that may well give `count`; also the number that surely does not give more than `count`. */
export function fewest(count: number): number {
  return Math.max(0, Math.sqrt(Math.max(0, count)) - STEP) ** 2;
}

/** The greatest mean that may well give `count`; also the number that surely gives more than `count`. */
export function most(count: number): number {
  return (Math.sqrt(Math.max(0, count) + 1) + STEP) ** 2;
}

/** The rate behind `count` within `ms`. Nothing counted is no proof of nothing: `high` is above 0 then. */
export function rateRange(count: number, ms: number): RateRange {
  if (!(ms > 0)) return { low: 0, high: Number.POSITIVE_INFINITY };
  return { low: (fewest(count) * 1000) / ms, high: (most(count) * 1000) / ms };
}
