import { didYouMean } from './did-you-mean.ts';
import type { Path } from './script-yaml.ts';

/** What is wrong with a script, before it has a place in the file: at `path`, of the value or of its key. */
export interface ScriptFault {
  path: Path;
  key?: 'key';
  /** `found "brust", expected one of …`. */
  text: string;
}

/** `one of a, b, c (did you mean b?)`. */
export function choice(word: string, words: readonly string[]): string {
  const meant = didYouMean(word, words);
  return `one of ${words.join(', ')}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

/** Characters of a foreign value that a message shows. */
const SHOWN = 40;

/** A value as a message shows it: short, and without control characters. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/**
 * What a terminal acts upon, or draws as nothing, instead of showing it: controls, format characters (the direction of
 * writing, zero width) but for the joiner that some scripts and pictures need, lone surrogates, line separators.
 */
export const UNSEEN = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Such characters as escapes: a script may come from anywhere. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}
