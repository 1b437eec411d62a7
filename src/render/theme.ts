import { Chalk, type ChalkInstance, supportsColor } from 'chalk';
import type { Line, StyleName } from './spans.ts';

export type ColorMode = 'auto' | 'always' | 'never';

/** The environment variables that have a say in colour. */
export interface ColorEnvironment {
  NO_COLOR?: string | undefined;
  TERM?: string | undefined;
}

/** Turns styled spans into a string with colour codes, or into plain text. The only place that knows chalk. */
export interface Theme {
  readonly colored: boolean;
  paint(line: Line): string;
}

/**
 * `auto` follows NO_COLOR (any value but the empty one, no-color.org), TERM=dumb, and what chalk finds out about the
 * terminal; `terminal` is whether the output is one. `--color always` wins over all of them, since somebody said so.
 */
export function makeTheme(mode: ColorMode, env: ColorEnvironment, terminal: boolean): Theme {
  const chalk = new Chalk({ level: colorLevel(mode, env, terminal) });
  const styles = stylesOf(chalk);
  return {
    colored: chalk.level > 0,
    paint: (line) => line.map(({ text, style = 'plain' }) => (text === '' ? '' : styles[style](text))).join(''),
  };
}

function colorLevel(mode: ColorMode, env: ColorEnvironment, terminal: boolean): 0 | 1 | 2 | 3 {
  const found = supportsColor ? supportsColor.level : 0;
  if (mode === 'never') return 0;
  if (mode === 'always') return found > 0 ? found : 1;
  return env.NO_COLOR || env.TERM === 'dumb' || !terminal ? 0 : found;
}

/** Sixteen colours only: they follow the person's own scheme, and stay readable on a light ground. */
function stylesOf(chalk: ChalkInstance): Record<StyleName, (text: string) => string> {
  return {
    plain: (text) => text,
    dim: chalk.dim,
    strong: chalk.bold,
    added: chalk.green,
    modified: (text) => text,
    deleted: chalk.red,
    bookmark: chalk.blue,
    error: chalk.bold.white.bgRed,
    malformed: chalk.bold.magenta,
    server: chalk.cyan,
    good: chalk.green,
    info: chalk.dim,
    note: chalk.blue,
    warning: chalk.yellow,
    alarm: chalk.red.bold,
    key: chalk.bold,
  };
}
