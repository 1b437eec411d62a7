/** Colours, titles and links of a terminal, and NULs: they would stand in the middle of words. */
const CONTROL =
  /(?:\u001b\[|\u009b)[0-9;?]{0,60}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|\0/g;
/** A Status, a page or a message that was put into a string of JSON or Go, once or several times over. */
const ESCAPED_QUOTE = /\\{1,15}(?=["'])/g;
const ESCAPED_LINE = /(?:\\{1,15}r)?\\{1,15}n/g;

/** A text without what terminals and strings put into its words, so that sentences stand in it as they were said. Pure. */
export function unwrapped(input: string): string {
  return input.replace(CONTROL, '').replace(ESCAPED_QUOTE, '').replace(ESCAPED_LINE, '\n');
}
