/** What a key does. The screen's whole vocabulary. */
export type Action =
  | 'quit'
  | 'interrupt'
  | 'help'
  | 'pause'
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'top'
  | 'newest'
  | 'open'
  | 'back'
  | 'next-lane'
  | 'next-finding';

/** The part of Ink's `Key` that is looked at. */
export interface KeyPress {
  ctrl: boolean;
  return: boolean;
  escape: boolean;
  tab: boolean;
  upArrow: boolean;
  downArrow: boolean;
  pageUp: boolean;
  pageDown: boolean;
}

const LETTERS: Record<string, Action> = {
  q: 'quit',
  '?': 'help',
  ' ': 'pause',
  k: 'up',
  j: 'down',
  g: 'top',
  G: 'newest',
  e: 'next-finding',
};

/** Undefined for keys that mean nothing; pasted text never means anything. */
export function actionOf(input: string, key: KeyPress): Action | undefined {
  if (key.ctrl) return input === 'c' ? 'interrupt' : undefined;
  if (key.escape) return 'back';
  if (key.return) return 'open';
  if (key.tab) return 'next-lane';
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.pageUp) return 'page-up';
  if (key.pageDown) return 'page-down';
  return LETTERS[input];
}
