import { isLabKey, type LabKeyName } from './lab.ts';

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
  | 'next-finding'
  /** `,`: the next key is the lab's. */
  | 'leader'
  | `lab:${LabKeyName}`;

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
  ',': 'leader',
};

/**
 * Undefined for keys that mean nothing; pasted text never means anything. `leading`: the leader was pressed before, so
 * the lab's keys mean what they mean there, and all others what they always do. Typed fast, leader and key come at once.
 */
export function actionOf(input: string, key: KeyPress, leading = false): Action | undefined {
  if (key.ctrl) return input === 'c' ? 'interrupt' : undefined;
  if (key.escape) return 'back';
  if (key.return) return 'open';
  if (key.tab) return 'next-lane';
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.pageUp) return 'page-up';
  if (key.pageDown) return 'page-down';
  const lab = leading ? input : input.startsWith(',') ? input.slice(1) : '';
  return isLabKey(lab) ? `lab:${lab}` : LETTERS[input];
}
