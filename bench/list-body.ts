import { spawnSync } from 'node:child_process';
import { compiled } from './compiled.ts';

/** K4: the body of a LIST of 10,000 pods of 3 KB, from the store; base: what one writes first, parse every object and stringify the list. */
export async function run(): Promise<void> {
  const { status } = spawnSync(process.execPath, [await compiled('list-body-process')], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`list-body ended with ${status}`);
}
