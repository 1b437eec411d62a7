/**
 * What Go's encoding/json escapes and JSON.stringify does not: `<`, `>`, `&` (SetEscapeHTML is on by default, the
 * apiserver leaves it so) and the two line separators. Outside strings JSON has none of them.
 */
const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A value as Go would write it, keys in the order they have. Values of `undefined` are left out, as everywhere. `indent`: spaces a
 * level, 0 for one line.
 */
export function goJson(value: object, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(ESCAPED_BY_GO, escapeCharacter);
}
