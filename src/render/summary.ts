import { findingParts, severityStyle } from './finding-block.ts';
import type { RunSummary } from './json.ts';
import { sanitize } from './sanitize.ts';
import { type Line, span } from './spans.ts';

/** The upshot of a run in two lines: the verdict, and what it rests on. */
export function summaryLines(summary: RunSummary): Line[] {
  const { verdict, events, bookmarks, streams, lastRv } = summary;
  const counted = [
    `${events} event${events === 1 ? '' : 's'}`,
    `${bookmarks} bookmark${bookmarks === 1 ? '' : 's'}`,
    `${streams} stream${streams === 1 ? '' : 's'}`,
    ...(lastRv === undefined ? [] : [`resume RV ${sanitize(lastRv, 64)}`]),
  ];
  return [
    [
      span('= ', severityStyle(verdict)),
      span(findingParts(verdict).verdict.replaceAll(' · ', ', '), 'strong'),
      span(`: ${sanitize(verdict.title, 120)}`),
    ],
    [span(`= ${counted.join(', ')}`, 'dim')],
  ];
}
