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

/** What a terminal would act upon instead of showing it, as escapes: a script may come from anywhere. */
export function visible(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
