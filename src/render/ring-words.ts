import type { RingView } from './local-view.ts';
import { type Line, span } from './spans.ts';

/** `100 of 100, pinned`; `100 of 200, pinned, was 100` for a while after it was resized. */
export function ringWords({ used, capacity, pinned, resizedFrom }: RingView): string {
  const was = resizedFrom === undefined ? '' : `, was ${resizedFrom}`;
  return `${used} of ${capacity}, ${pinned ? 'pinned' : 'dynamic'}${was}`;
}

/** The same in less room: `100/200 pinned, was 100`. */
export function shortRingWords({ used, capacity, pinned, resizedFrom }: RingView): string {
  const was = resizedFrom === undefined ? '' : `, was ${resizedFrom}`;
  return `${used}/${capacity} ${pinned ? 'pinned' : 'dynamic'}${was}`;
}

/** ` 1449 … 1548  floor 1448 `: the events that it holds, and the lowest RV that a watch may start from. */
export function ringRange({ oldest, newest, floor }: RingView): Line {
  const range = oldest === undefined || newest === undefined ? ' empty' : ` ${oldest} … ${newest}`;
  return [span(range), span(`  floor ${floor} `, 'dim')];
}
