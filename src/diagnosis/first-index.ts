/**
 * Index of the first of `sorted` for which `fits` holds, where it holds for all that follow as well; its length where it holds for
 * none. By halving: indexes of a diagnosis are asked for each attempt.
 */
export function firstIndex<T>(sorted: readonly T[], fits: (value: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
