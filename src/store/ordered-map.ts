import sortedBtree from 'sorted-btree';

const BTree = sortedBtree.default;

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A map from storage keys that is read in the order of its keys (a B+ tree: O(log n) per write, ranges without sorting). */
export class OrderedMap<V> {
  readonly #tree = new BTree<string, V>(undefined, byCodeUnit);

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): V | undefined {
    return this.#tree.get(key);
  }

  set(key: string, value: V): void {
    this.#tree.set(key, value);
  }

  delete(key: string): void {
    this.#tree.delete(key);
  }

  clear(): void {
    this.#tree.clear();
  }

  /** Visits keys in [start, end) in order. The map must not be changed meanwhile. */
  forRange(start: string, end: string, visit: (value: V, key: string) => void): void {
    this.#tree.forRange(start, end, false, (key, value) => {
      visit(value, key);
    });
  }

  /** All values, in the order of their keys. */
  values(): V[] {
    return this.#tree.valuesArray();
  }
}
