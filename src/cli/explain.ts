import { explainText } from '../explain/explain.ts';
import { explanationLines, explanationRecords } from '../render/explanation.ts';
import { recordLine } from '../render/json.ts';
import { type ColorMode, makeTheme } from '../render/theme.ts';
import { SystemClock } from '../util/clock.ts';
import { UsageError } from '../util/usage-error.ts';
import { EXIT } from './exit-codes.ts';

export interface ExplainFlags {
  text: string | undefined;
  output: 'line' | 'json';
  color: ColorMode;
}

/** One question has at most so many lines (contract §6). */
const MAX_LINES = 50;
/** And so many characters: an HTTP answer with its body, with room to spare. */
const MAX_CHARACTERS = 1_000_000;

/** `kwatch explain`: one question, answered offline. Resolves to the exit code; an unknown text is no failure. */
export async function explain(flags: ExplainFlags): Promise<number> {
  const text = flags.text === undefined || flags.text === '-' ? await readStdin() : flags.text;
  if (text.trim() === '')
    throw new UsageError("nothing to explain: give the text, as in kwatch explain 'too old resource version: 1 (2)'");
  const lines = text.trimEnd().split('\n').length;
  if (lines > MAX_LINES) {
    throw new UsageError(`one question has at most ${MAX_LINES} lines; pick the line that worries you`);
  }
  const explanation = explainText(text);
  if (flags.output === 'json') {
    for (const record of explanationRecords(explanation, new SystemClock().now(), lines))
      process.stdout.write(`${recordLine(record)}\n`);
  } else {
    const theme = makeTheme(flags.color, process.env, process.stdout.isTTY);
    for (const line of explanationLines(explanation)) process.stdout.write(`${theme.paint(line)}\n`);
  }
  return EXIT.ok;
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('give the text as an argument, or pipe it in');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_CHARACTERS) throw new UsageError(`the question is longer than ${MAX_CHARACTERS} characters`);
  }
  return text;
}
