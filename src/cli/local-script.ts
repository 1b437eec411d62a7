import type { Script } from '../scenario/script.ts';
import { storyScript } from '../scenario/story.ts';
import { UsageError } from '../util/usage-error.ts';
import { loadScript } from './script-source.ts';

/** The flags of `local` that say what is played, and those that a script may fix. */
export interface ScriptFlags {
  script?: string;
  story: boolean;
  burst: { count: number; durationMs: number | undefined };
  cacheSize: number | 'auto';
  objects: number;
  replicas: number;
  seed: number;
  compactEvery: number | 'off';
  progressNotify: number;
  /** Names of the flags that were given, as commander knows them (`cacheSize`). */
  given: ReadonlySet<string>;
}

/** Nothing is played: `--no-story`. */
const NOTHING: Script = { name: '', numbers: {}, steps: [] };

/** What is played: a script, the story that its numbers make, or nothing. Throws a UsageError. */
export async function scriptOf(flags: ScriptFlags): Promise<Script> {
  if (flags.script === undefined) return flags.story ? storyScript(flags) : NOTHING;
  if (!flags.story) throw new UsageError('--script and --no-story contradict each other: leave one out');
  if (flags.given.has('burst')) throw new UsageError('--burst is the story’s: a script has bursts of its own');
  return loadScript(flags.script, { replicas: flags.replicas, outright: flags.given.has('replicas') });
}

/** The flags with the numbers that the script fixes; what the command line names outright is stronger. */
export function withNumbers<T extends ScriptFlags>(flags: T, { numbers }: Script): T {
  const { background: _background, compactEveryMs, progressNotifyMs, ...rest } = numbers;
  const fixed = {
    ...rest,
    ...(compactEveryMs === undefined ? {} : { compactEvery: compactEveryMs }),
    ...(progressNotifyMs === undefined ? {} : { progressNotify: progressNotifyMs }),
  };
  const open = Object.entries(fixed).filter(([name]) => !flags.given.has(name));
  return { ...flags, ...Object.fromEntries(open) };
}
