import type { Timeline, TimelineEntry } from '../render/timeline.ts';
import { bottomToShow, type TimelineWindow, type WindowRequest } from '../render/timeline-window.ts';

/** What a window was drawn from, so that moving the cursor knows what was on the screen. */
export type DrawnWindow = TimelineWindow & { request: Omit<WindowRequest, 'bottom'> };

/**
 * Where a person looks in the list. Following: the newest is at the bottom. Otherwise the view stands still at
 * `bottom`, whatever comes, until it is told to follow again.
 */
export class Cursor {
  readonly #timeline: Timeline;
  /** The selected entry. */
  at: number | undefined;
  /** The lowest entry shown; undefined while following. */
  bottom: number | undefined;
  /** A finding that was jumped to: it is shown unfolded. */
  opened: number | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get following(): boolean {
    return this.bottom === undefined;
  }

  follow(): void {
    this.at = undefined;
    this.bottom = undefined;
    this.opened = undefined;
  }

  pause(drawn: DrawnWindow | undefined): void {
    this.bottom ??= drawn?.bottom ?? this.#timeline.next - 1;
  }

  up(drawn: DrawnWindow): void {
    this.pause(drawn);
    const from = this.at === undefined ? this.bottom : this.at - 1;
    const entry = this.#find(this.#timeline.backwards(from), drawn);
    if (!entry) return;
    this.#select(entry.seq, drawn);
  }

  /** Below the newest entry it follows again. */
  down(drawn: DrawnWindow): void {
    if (this.at === undefined) return;
    const entry = this.#find(this.#timeline.forwards(this.at + 1), drawn);
    if (!entry) this.follow();
    else this.#select(entry.seq, drawn);
  }

  top(drawn: DrawnWindow): void {
    const entry = this.#find(this.#timeline.forwards(0), drawn);
    if (entry) this.#select(entry.seq, drawn);
  }

  /** The finding after the selected one, beginning anew after the last; the newest where none is selected. */
  nextFinding(drawn: DrawnWindow): void {
    const findings = this.#timeline.findings().map(({ seq }) => seq);
    const current = this.at === undefined ? -1 : findings.indexOf(this.at);
    const next = current === -1 ? findings.at(-1) : (findings[current + 1] ?? findings[0]);
    if (next === undefined) return;
    this.opened = next;
    this.pause(drawn);
    this.#select(next, drawn);
  }

  #select(seq: number, drawn: DrawnWindow): void {
    this.at = seq;
    const { top, bottom } = drawn;
    if (top !== undefined && bottom !== undefined && seq >= top && seq <= bottom && this.bottom !== undefined) return;
    const below = bottom !== undefined && seq > bottom;
    this.bottom = below ? seq : bottomToShow(this.#timeline, seq, drawn.request);
  }

  #find(entries: Iterable<TimelineEntry>, drawn: DrawnWindow): TimelineEntry | undefined {
    for (const entry of entries) if (drawn.request.filter(entry)) return entry;
    return undefined;
  }
}
