import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Where the tests' own bundle of the command lies, below the checkout. */
export const BUNDLE = 'node_modules/.cache/kwatch-test';

/** Vitest calls this once before all tests: what runs as a command in them is built from the sources under test. */
export function setup(): void {
  const built = spawnSync(process.execPath, ['scripts/build.mjs', BUNDLE], { cwd: ROOT, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stderr}`);
}
