import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLASSES } from '../diagnosis/finding.ts';
import { didYouMean } from '../scenario/did-you-mean.ts';
import type { Script } from '../scenario/script.ts';
import { UsageError } from '../util/usage-error.ts';

/** Folders above this file in which the package's root may lie: dist/chunks/ and src/cli/ are two below it. */
const LEVELS = 6;
/** Read at most: a script is smaller (scenario/script-yaml.ts), and what is larger is told by its first bytes. */
const MAX_READ = 256 * 1024;

/**
 * The script that `--script` names: one that ships with the program, by its name, or a file. Throws a UsageError of one
 * line where there is none, or it is wrong. `around.replicas`: how many apiservers there are, where it does not say.
 */
export async function loadScript(
  nameOrFile: string,
  around: { replicas: number; outright?: boolean },
): Promise<Script> {
  const folder = await scenarioFolder();
  const names = await namesIn(folder);
  const shipped = names.includes(nameOrFile);
  const path = shipped ? join(folder as string, `${nameOrFile}.yaml`) : nameOrFile;
  const bytes = await readBounded(path, nameOrFile, names);
  // Only now: whoever has no script does not load its reader.
  const { readScript } = await import('../scenario/read-script.ts');
  return readScript(bytes, shipped ? `${nameOrFile}.yaml` : nameOrFile, { ...around, classes: CLASSES });
}

/** The names of the scripts that ship with the program, and what each is about. */
export async function shippedScripts(): Promise<{ name: string; title: string }[]> {
  const names = await namesIn(await scenarioFolder());
  const scripts = await Promise.all(names.map((name) => loadScript(name, { replicas: 1 })));
  return scripts.map(({ name, title = '' }) => ({ name, title }));
}

async function readBounded(path: string, typed: string, names: readonly string[]): Promise<Uint8Array> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = new Uint8Array(MAX_READ);
      let length = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, MAX_READ - length, null);
        length += bytesRead;
        if (bytesRead === 0 || length === MAX_READ) return buffer.subarray(0, length);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new UsageError(whyUnread(error as NodeJS.ErrnoException, typed, names));
  }
}

function whyUnread(error: NodeJS.ErrnoException, typed: string, names: readonly string[]): string {
  const shown = JSON.stringify(typed.slice(0, 120));
  if (error.code === 'EISDIR') return `--script ${shown} is a directory, expected a file or one of ${names.join(', ')}`;
  if (error.code !== 'ENOENT') return `--script ${shown} cannot be read: ${error.message}`;
  const meant = didYouMean(typed, names);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `--script ${shown} is no file and no script of ours: ${names.join(', ')}${hint}`;
}

async function scenarioFolder(): Promise<string | undefined> {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < LEVELS; level++) {
    const scenarios = join(folder, 'fixtures', 'scenarios');
    if ((await namesIn(scenarios)).length > 0) return scenarios;
    folder = dirname(folder);
  }
  return undefined;
}

/** Names of the scripts in a folder; none where there is no such folder. */
async function namesIn(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  try {
    const files = await readdir(folder);
    return files.flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : [])).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
