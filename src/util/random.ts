/** A source of numbers in [0, 1), as `Math.random`, but handed in, so that runs repeat. */
export type Random = () => number;

/** Not repeatable: for jitter that nobody asked to reproduce. */
export const systemRandom: Random = () => Math.random();

/** mulberry32: small, fast, good enough for jitter and test data; the same seed gives the same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
