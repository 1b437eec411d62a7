import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/kwatch-bench/', import.meta.url));

/**
 * A program of this folder, compiled as the published one is. Run by tsx it would be another program: tsx gives every function its
 * name back at run time, which makes each closure four times as large and as slow.
 */
export async function compiled(name: string): Promise<string> {
  const outfile = `${CACHE}${name}.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
