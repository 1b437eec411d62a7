import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The tests' own bundle of the command: a folder with `main.js`. */
    bundle: string;
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Vitest calls this once before all tests: what runs as a command in them is built from the sources under test, into a folder
 * of this run's own, so that two runs do not take it from each other.
 */
export function setup(project: TestProject): () => void {
  const bundle = `node_modules/.cache/kwatch-test-${process.pid}`;
  const built = spawnSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: ROOT, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stderr}`);
  project.provide('bundle', `${ROOT}${bundle}`);
  return () => rmSync(`${ROOT}${bundle}`, { recursive: true, force: true });
}
