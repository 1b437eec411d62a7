import { type Line, type StyleName, span } from '../render/spans.ts';

const KEYS: readonly [string, string][] = [
  ['↑ ↓  j k', 'move through the list'],
  ['g  G', 'oldest, newest (G follows again)'],
  ['space', 'pause, follow; what comes meanwhile is kept and counted'],
  ['e', 'next finding; from the last one on to the first'],
  ['enter', 'detail: all fields and the raw frame, or all of a finding'],
  ['esc', 'back'],
  ['tab', 'next watcher or target; findings of all stay'],
  ['?', 'this help'],
  ['q  ctrl-c', 'quit (exit code 0), interrupt (130)'],
];

const LEGEND: readonly [string, StyleName, string][] = [
  ['A', 'added', 'ADDED'],
  ['M', 'modified', 'MODIFIED'],
  ['D', 'deleted', 'DELETED'],
  ['B', 'bookmark', 'BOOKMARK: nothing happened up to this RV'],
  ['E', 'error', 'ERROR: the server ends the stream'],
  ['!', 'malformed', 'bytes that are no watch event'],
  ['▫ ▪', 'dim', 'a stream opened, ended'],
  ['↻', 'dim', 'a list was read'],
  ['12:09:40', 'dim', 'times of day are UTC'],
  ['◇', 'server', 'the embedded server itself'],
];

/** Keys first, then what the letters mean. On a low screen the second part is cut. */
export function helpLines(): Line[] {
  const keys = KEYS.map(([key, says]): Line => [span(` ${key.padEnd(12)}`, 'key'), span(says)]);
  const legend = LEGEND.map(
    ([mark, style, says]): Line => [span(' '), span(mark, style), span(`${' '.repeat(12 - mark.length)}${says}`)],
  );
  return [...keys, [], ...legend];
}
