import { textWidth, truncate } from './width.ts';

/** Names of what a piece of text means; theme.ts alone knows what that looks like. */
export type StyleName =
  | 'plain'
  | 'dim'
  | 'strong'
  | 'added'
  | 'modified'
  | 'deleted'
  | 'bookmark'
  | 'error'
  | 'malformed'
  | 'server'
  | 'good'
  | 'info'
  | 'note'
  | 'warning'
  | 'alarm'
  | 'key';

/** Text in one style. `text` is safe for a terminal already. */
export interface Span {
  text: string;
  style?: StyleName;
}

/** One line of a screen, without newline and without colour codes. */
export type Line = Span[];

export function span(text: string, style: StyleName = 'plain'): Span {
  return { text, style };
}

export function lineText(line: Line): string {
  return line.map((each) => each.text).join('');
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, each) => sum + textWidth(each.text), 0);
}

/** `line` in at most `width` cells; the span that does not fit is cut with `…`, those after it go. */
export function fitLine(line: Line, width: number): Line {
  const fitted: Line = [];
  let left = width;
  for (const each of line) {
    const cells = textWidth(each.text);
    if (cells <= left) {
      fitted.push(each);
      left -= cells;
      continue;
    }
    fitted.push({ ...each, text: truncate(each.text, left) });
    break;
  }
  return fitted;
}

/**
 * `left` and `right` at the two edges of `width` cells. The right one is whole as long as it fits at all: it is
 * the place of what must survive (the state word); the left one is cut.
 */
export function spread(left: Line, right: Line, width: number): Line {
  const end = fitLine(right, width);
  const endWidth = lineWidth(end);
  const gap = endWidth > 0 ? 1 : 0;
  const start = fitLine(left, Math.max(0, width - endWidth - gap));
  return [...start, span(' '.repeat(Math.max(0, width - lineWidth(start) - endWidth))), ...end];
}

/** A rule across the screen; `words` stand in it near the left edge and are cut before they reach the right one. */
export function rule(width: number, words: Line = []): Line {
  if (words.length === 0) return [span('─'.repeat(width), 'dim')];
  const shown = fitLine(words, Math.max(0, width - 6));
  const rest = Math.max(0, width - 5 - lineWidth(shown));
  return [span('─── ', 'dim'), ...shown, span(` ${'─'.repeat(rest)}`, 'dim')];
}
