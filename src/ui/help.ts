import { type Line, lineWidth, span } from '../render/spans.ts';

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

const LAB_HELP: readonly [string, string][] = [
  [', then', 'the lab; what each key would do stands in the last line'],
  ['b  c', 'burst of writes; compact the store at its head'],
  ['d  u', 'drop or resume the selected watcher; cut or restore upstream'],
  ['+  -', 'double or halve the ring'],
];

const LEGEND: readonly [Line, string][] = [
  [[span('A', 'added'), span(' M '), span('D', 'deleted')], 'ADDED, MODIFIED, DELETED'],
  [[span('B', 'bookmark')], 'BOOKMARK: nothing happened up to this RV'],
  [[span('E', 'error')], 'ERROR: the server ends the stream'],
  [[span('!', 'malformed')], 'bytes that are no watch event'],
  [[span('▫ ▪ ↻', 'dim')], 'a stream opened, ended; a list was read'],
  [[span('◇', 'server')], 'the embedded server itself'],
  [[span('┃', 'note'), span('┃', 'warning'), span('┃', 'alarm')], 'a finding: note, warning, error'],
  [[span('12:09:40', 'dim')], 'times of day are UTC'],
];

/** Keys first, then what the letters mean. On a low screen the second part is cut. `lab`: there are lab keys. */
export function helpLines(lab: boolean): Line[] {
  const keys = [...KEYS, ...(lab ? LAB_HELP : [])].map(
    ([key, says]): Line => [span(` ${key.padEnd(12)}`, 'key'), span(says)],
  );
  const legend = LEGEND.map(
    ([mark, says]): Line => [span(' '), ...mark, span(' '.repeat(12 - lineWidth(mark)) + says)],
  );
  return [...keys, [], ...legend];
}
