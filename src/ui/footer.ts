import { sanitize } from '../render/sanitize.ts';
import { type Line, lineWidth, span } from '../render/spans.ts';
import type { LabKey } from './lab.ts';

/** What decides which keys do something now. */
export interface FooterState {
  overlay: 'none' | 'help' | 'detail';
  following: boolean;
  hasEntries: boolean;
  hasFindings: boolean;
  /** What `tab` goes through, where there is more than one. */
  lane: 'watcher' | 'target' | undefined;
  /** local: the lab's keys that do something now. */
  lab: readonly LabKey[];
  /** The leader was pressed: what the next key would do is all that matters. */
  leading: boolean;
  /** Rows that came while the view stood still. */
  unseen: number;
  /** local: what the story does next. */
  next: string | undefined;
}

interface KeyHint {
  key: string;
  says: string;
  /** The higher, the sooner it goes where there is no room. */
  spare: number;
}

/** The keys that exist and do something now, in as much detail as there is room for. */
export function footerLine(state: FooterState, width: number): Line {
  if (state.leading) return labLine(state.lab, width);
  const lead: Line = state.next === undefined ? [] : [span(`next: ${sanitize(state.next, 60)}   `, 'dim')];
  const unseen: Line = state.following
    ? []
    : [span(`PAUSED${state.unseen > 0 ? `, ${state.unseen} new` : ''}`, 'warning')];
  const hints = hintsOf(state);
  for (const [before, says, dropped] of ATTEMPTS) {
    const kept = hints.filter(({ spare }) => spare <= dropped);
    const keys = kept.flatMap(({ key, says: words }, i) => [
      span(i === 0 ? key : `  ${key}`, 'key'),
      span(says ? ` ${words}` : '', 'dim'),
    ]);
    const left = [span(' '), ...(before ? lead : []), ...keys];
    const gap = width - lineWidth(left) - lineWidth(unseen) - 1;
    if (gap >= (unseen.length > 0 ? 2 : 0))
      return unseen.length > 0 ? [...left, span(' '.repeat(gap)), ...unseen] : left;
  }
  return unseen;
}

/** What each of the lab's keys would do now, in as many words as there is room for. */
function labLine(keys: readonly LabKey[], width: number): Line {
  const attempts: [before: string, gap: string, words: (key: LabKey) => string][] = [
    [',', '  ', ({ says }) => says],
    [',', '  ', ({ short }) => short],
    ['', ' ', ({ short }) => short],
    ['', ' ', ({ key, short }) => (/[a-z]/.test(key) ? short : '')],
    ['', ' ', () => ''],
  ];
  let line: Line = [];
  for (const [before, gap, words] of attempts) {
    const hints = keys.flatMap((each) => {
      const text = sanitize(words(each), 40);
      return [span(`${before}${each.key}`, 'key'), span(`${text && ` ${text}`}${gap}`, 'dim')];
    });
    line = [span(' '), ...hints, span('esc', 'key')];
    if (lineWidth(line) <= width) return line;
  }
  return line;
}

/** With the story's next step and words; without it; then fewer keys; then keys alone. */
const ATTEMPTS: readonly [before: boolean, says: boolean, dropped: number][] = [
  [true, true, 9],
  [true, true, 1],
  [false, true, 9],
  [false, true, 1],
  [false, false, 9],
  [false, false, 0],
];

function hintsOf(state: FooterState): KeyHint[] {
  const quit = { key: 'q', says: 'quit', spare: 0 };
  const finding = state.hasFindings ? [{ key: 'e', says: 'finding', spare: 0 }] : [];
  if (state.overlay === 'help') return [{ key: 'esc', says: 'back', spare: 0 }, quit];
  if (state.overlay === 'detail') {
    return [{ key: '↑↓', says: 'scroll', spare: 1 }, { key: 'esc', says: 'back', spare: 0 }, ...finding, quit];
  }
  return [
    { key: '?', says: 'keys', spare: 0 },
    ...(state.lane ? [{ key: 'tab', says: state.lane, spare: 1 }] : []),
    ...(state.lab.length > 0 ? [{ key: ',', says: 'lab', spare: 0 }] : []),
    { key: 'space', says: state.following ? 'pause' : 'follow', spare: 2 },
    ...(state.hasEntries ? [{ key: 'enter', says: 'detail', spare: 3 }] : []),
    ...finding,
    quit,
  ];
}
