import { startsRecord } from './log-header.ts';

/** Narrower or wider windows are not used to read logs, characters. */
const LEAST_WIDTH = 40;
const MOST_WIDTH = 400;
/** Beginnings of lines that are no second half of another one: frames of a stack, ends of JSON over several lines, tables, headers. */
const OWN_LINE = /^(?:[\s}\])>|│*#]|Caused by: |Reason: |at \S{1,300}[ (]|HTTP\/\d)/;
/** How much the lengths of lines may differ that a window has cut: a wide character counts twice there. */
const SLACK = 1;

/**
 * A text that was copied out of a window, with its lines put together again in the ways that it may have been broken: where the window
 * ended, in the middle of words; and where the next word would not have fitted in. Empty where it does not look so, as nearly always.
 */
export function withoutWrapping(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (lines.length < 2 || lines[0]!.startsWith('HTTP/') || width < LEAST_WIDTH || width > MOST_WIDTH) return [];
  const cut = joined(lines, '', (line) => line.length >= width - SLACK);
  const filled = joined(lines, ' ', (line, next) => line.length + 1 + firstWord(next) > width);
  return [cut, filled].filter((each) => each !== undefined);
}

/** Undefined: one of the lines was not broken by the window, or none was. */
function joined(
  lines: readonly string[],
  glue: string,
  broken: (line: string, next: string) => boolean,
): string | undefined {
  let text = lines[0]!;
  let breaks = 0;
  for (const [index, next] of lines.slice(1).entries()) {
    if (startsRecord(next)) text += `\n${next}`;
    else if ((glue === '' || !OWN_LINE.test(next)) && broken(lines[index]!, next)) {
      text += glue + next;
      breaks += 1;
    } else return undefined;
  }
  return breaks > 0 ? text : undefined;
}

function firstWord(line: string): number {
  return /^\S{0,1000}/.exec(line)?.[0].length ?? 0;
}
