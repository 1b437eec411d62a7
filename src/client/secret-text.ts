import type { WatchTarget } from './facts.ts';

/** The kind of a Secret, or of a list of them, somewhere in a text that need not be whole JSON. */
export const SECRET_KIND = /"kind"\s*:\s*"Secret(?:List)?"/;

/**
 * A piece of a stream that is no whole event, as it may be kept and quoted: that of a Secret cannot be masked field by field, so
 * only its size is told. What begins like a page of a proxy is none.
 */
export function quotable(text: string, target: WatchTarget): string {
  const isPage = /^\s*</.test(text);
  if (!SECRET_KIND.test(text) && (target.resource !== 'secrets' || isPage)) return text;
  return `(${text.length} characters of a Secret, not shown)`;
}
