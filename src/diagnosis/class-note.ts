import type { FindingClass } from './finding.ts';

/**
 * What is known of each class, told once: `kwatch explain CLASS` shows it, explanations of log lines take their way to
 * reproduce it from here, and docs/diagnoses.md is made of it (`npm run docs`).
 */
export interface ClassNote {
  /** One or two sentences: what it means. */
  meaning: string;
  /** What shows it, strongest first; numbers with their source. */
  signs: readonly string[];
  /** What looks alike, and what tells them apart. */
  confusedWith: readonly { class: FindingClass; apart: string }[];
  /** What to do; the first a command or a named setting. */
  remedy: readonly string[];
  /** How it comes about at will: a script that `kwatch local --script` knows, or a whole command, or why there is none. */
  reproduce: { script: string } | { command: string } | { none: string };
}
