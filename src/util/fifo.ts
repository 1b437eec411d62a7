/** Slots a Fifo may leave empty at its front before it moves its content down. */
const SLACK = 1024;

/**
 * A first-in first-out queue with O(1) ends (`Array.shift` is O(n) on long arrays). It has no bound of its own: whoever
 * owns one says how long it may get.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item, taken out; undefined where there is none. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > SLACK && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** The oldest item, left in its place. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** The item `index` places behind the oldest. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index];
  }

  /** A copy of what follows the first `from` items. */
  slice(from: number): T[] {
    return this.#items.slice(this.#head + from) as T[];
  }

  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }
}
