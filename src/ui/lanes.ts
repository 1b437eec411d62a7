import type { TimelineEntry } from '../render/timeline.ts';

/** Lanes that can be told apart: more watchers or targets than this share the view of all. */
const MAX_LANES = 64;

/**
 * Whose rows are shown. A lane is a watcher in `local` and a target in `tail`; findings, notes and what belongs to
 * nobody are always shown. `tail` with several targets can also show all of them, which is where it starts.
 */
export class Lanes {
  readonly #mode: 'tail' | 'local';
  readonly #keys: string[] = [];
  #selected: string | undefined;

  constructor(mode: 'tail' | 'local') {
    this.#mode = mode;
  }

  /** Undefined: all. */
  get selected(): string | undefined {
    return this.#selected;
  }

  get count(): number {
    return this.#keys.length;
  }

  /** Learns of a lane; the first one of `local` is selected at once. */
  add(key: string): void {
    if (this.#keys.includes(key) || this.#keys.length >= MAX_LANES) return;
    this.#keys.push(key);
    if (this.#mode === 'local') this.#selected ??= key;
  }

  next(): void {
    const choices = this.#mode === 'local' ? this.#keys : [undefined, ...this.#keys];
    if (this.#keys.length > 1) this.#selected = choices[(choices.indexOf(this.#selected) + 1) % choices.length];
  }

  shows(entry: TimelineEntry): boolean {
    if (entry.kind === 'finding' || entry.item.kind === 'note' || this.#selected === undefined) return true;
    const lane = this.#mode === 'local' ? entry.row.watcher : entry.row.target?.toString();
    return lane === undefined || lane === this.#selected;
  }
}
