/** Colours, titles and links of a terminal, and NULs: they would stand in the middle of words. */
const CONTROL =
  /(?:\u001b\[|\u009b)[0-9;?]{0,60}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|\0/g;
/** A Status, a page or a message that was put into a string of JSON or Go, once or several times over. */
const ESCAPED_QUOTE = /\\{1,15}(?=["'])/g;
const ESCAPED_LINE = /(?:\\{1,15}r)?\\{1,15}n/g;

/** Blanks of web pages and of typesetting; marks without width. */
const BLANKS = /[\u00a0\u2007\u202f]/g;
const NO_WIDTH = /[\u200b\u2060\ufeff]/g;
/** Quotes of a text that came out of a web page, or out of a column of a table (CSV). */
const HTML_QUOTE = /&(?:quot|#34|#x22|#39|#x27|apos);/g;
const HTML_AND = /&amp;/g;

/** A text without what terminals and strings put into its words, so that sentences stand in it as they were said. Pure. */
export function unwrapped(input: string): string {
  const text = ofMarkup(input.replace(CONTROL, '').replace(BLANKS, ' ').replace(NO_WIDTH, ''));
  return text.replace(ESCAPED_QUOTE, '').replace(ESCAPED_LINE, '\n');
}

function ofMarkup(text: string): string {
  const decoded = text.includes('&') ? text.replace(HTML_QUOTE, '"').replace(HTML_AND, '&') : text;
  return decoded.startsWith('"') && decoded.includes('""') ? decoded.replaceAll('""', '"') : decoded;
}
