import { findingParts, severityStyle } from './finding-block.ts';
import type { RunSummary } from './json.ts';
import { sanitize } from './sanitize.ts';
import { type Line, span } from './spans.ts';
import type { WindowSummary } from './window-watch.ts';
import { windowSentence } from './window-words.ts';

/** The upshot of a run: the verdict, what it rests on, and how far back the windows reach, a line each. */
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
    ...(summary.windowsUnasked
      ? [[span('= window unknown: --no-probe (a probe would tell how far back it reaches)', 'dim')]]
      : []),
    ...(summary.windows ?? []).map((window): Line => [span(`= ${windowLine(window)}`, 'dim')]),
  ];
}

function windowLine({ label, estimate, silence }: WindowSummary): string {
  if (silence)
    return `window of ${label} not known: ${silence.kind === 'uncached' ? 'no watch cache' : `probes ${silence.word}`}`;
  return `window of ${label}: ${estimate ? windowSentence(estimate) : 'not known'}`;
}
