import { quote } from '../diagnosis/quote.ts';

/** Facts that are worth a word, and what they are. */
const WORDS: readonly [string, string][] = [
  ['resource', 'resource'],
  ['requested_rv', 'from RV'],
  ['timeout_seconds', 'timeoutSeconds'],
  ['key', 'key'],
  ['mod_revision', 'modRevision'],
  ['compact_rv', 'compacted revision'],
  ['retry_after_s', 'Retry-After:'],
];
/** Characters of what may be said of names: the cause comes first. */
const MAX_LENGTH = 240;

/** The names and numbers that the text states and its explanation would otherwise not mention. Undefined: there are none. */
export function namedInIt(
  told: string,
  name: string | undefined,
  facts: Readonly<Record<string, string>>,
): string | undefined {
  const parts = name === undefined ? [] : [quote(name, 80)];
  for (const [fact, word] of WORDS) {
    const value = facts[fact];
    if (value !== undefined && value !== name && !told.includes(value)) parts.push(`${word} ${quote(value, 80)}`);
  }
  let said = '';
  for (const part of parts) if (said.length + part.length <= MAX_LENGTH) said += said === '' ? part : `, ${part}`;
  return said === '' ? undefined : `Named in it: ${said}.`;
}
