import stringWidth from 'string-width';

/**
 * How many terminal cells text takes. Counted per code point, not per grapheme: terminals disagree about flags, skin
 * tones and joined emoji, and the sum is never less than what any of them draws. A row that is a cell short is
 * harmless, one that is a cell long wraps and breaks the screen.
 */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

const ASCII = /^[\x20-\x7e]*$/;
const BLOCKS = /^[\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25ff]$/;

function characterWidth(character: string): number {
  if (ASCII.test(character) || BLOCKS.test(character)) return 1;
  return stringWidth(character);
}

/** `text` in at most `width` cells; what does not fit is replaced by one `…`. A wide character is never halved. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
  if (textWidth(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const character of text) {
    const cells = characterWidth(character);
    if (used + cells > width - 1) break;
    used += cells;
    kept += character;
  }
  return `${kept}…`;
}

/** `text` in exactly `width` cells: cut where it is longer, filled with spaces where it is shorter. */
export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncate(text, width);
  const space = ' '.repeat(Math.max(0, width - textWidth(cut)));
  return align === 'left' ? cut + space : space + cut;
}

/**
 * `text` broken at spaces into lines of at most `width` cells; a longer word is broken where it must be. At least one
 * line.
 */
export function wrap(text: string, width: number): string[] {
  if (width <= 0) return [''];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ').flatMap((each) => chop(each, width))) {
    const cells = textWidth(word);
    if (used > 0 && used + 1 + cells <= width) {
      line += ` ${word}`;
      used += 1 + cells;
      continue;
    }
    if (used > 0) lines.push(line);
    line = word;
    used = cells;
  }
  lines.push(line);
  return lines;
}

/** Text without regard to words, in pieces of at most `width` cells. */
export function chop(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const cells = characterWidth(character);
    if (used > 0 && used + cells > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += cells;
  }
  if (piece) pieces.push(piece);
  return pieces;
}
