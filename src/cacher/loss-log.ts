/** Overwritten events that are remembered, by number only (16 bytes each). As many as the largest ring. */
const REMEMBERED = 100 * 1024;

/**
 * RV and time of events that the ring has overwritten: with it the server can say of a refused RV how old the history
 * was that it lost. Nothing of it reaches a client.
 */
export class LossLog {
  #rvs = new Float64Array(64);
  #times = new Float64Array(64);
  #start = 0;
  #end = 0;

  add(event: { rv: number; recordTime: number }): void {
    if (this.#end - this.#start === this.#rvs.length) this.#makeRoom();
    const slot = this.#end % this.#rvs.length;
    this.#rvs[slot] = event.rv;
    this.#times[slot] = event.recordTime;
    this.#end += 1;
  }

  clear(): void {
    this.#start = this.#end;
  }

  /** When the first remembered event after `rv` was recorded: where more were lost than are remembered, a later one. */
  firstAfter(rv: number): number | undefined {
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#rvs[middle % this.#rvs.length]! > rv) high = middle;
      else low = middle + 1;
    }
    return low === this.#end ? undefined : this.#times[low % this.#times.length];
  }

  #makeRoom(): void {
    const length = this.#rvs.length;
    if (length >= REMEMBERED) {
      this.#start += 1;
      return;
    }
    const rvs = new Float64Array(Math.min(length * 2, REMEMBERED));
    const times = new Float64Array(rvs.length);
    for (let i = this.#start; i < this.#end; i += 1) {
      rvs[i - this.#start] = this.#rvs[i % length]!;
      times[i - this.#start] = this.#times[i % length]!;
    }
    this.#end -= this.#start;
    this.#start = 0;
    this.#rvs = rvs;
    this.#times = times;
  }
}
