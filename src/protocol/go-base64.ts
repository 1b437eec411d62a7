/**
 * Go's complaint about a text that is no padded base64 (encoding/base64 StdEncoding), as it stands in the 400 of a Secret's
 * data; undefined: there is none. Line breaks count for nothing, as in Go.
 */
export function base64Error(text: string): string | undefined {
  const at = firstCorrupt(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

const SYMBOL = /^[A-Za-z0-9+/]$/;
/** Characters that one group of base64 has. */
const GROUP = 4;

function firstCorrupt(text: string): number | undefined {
  let inGroup = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\n' || character === '\r') continue;
    if (SYMBOL.test(character)) inGroup = (inGroup + 1) % GROUP;
    else if (character === '=' && inGroup >= 2) return afterPadding(text, at, inGroup);
    else return at;
  }
  return inGroup === 0 ? undefined : text.length - inGroup;
}

/** `at`: the first `=`. Two stand where the group has two symbols, and nothing comes after. */
function afterPadding(text: string, at: number, inGroup: number): number | undefined {
  const next = skipBreaks(text, at + 1);
  if (inGroup === GROUP - 1) return next === text.length ? undefined : next;
  if (next === text.length) return next;
  if (text[next] !== '=') return next;
  const end = skipBreaks(text, next + 1);
  return end === text.length ? undefined : end;
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at++;
  return at;
}
