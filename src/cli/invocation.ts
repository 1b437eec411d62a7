import { basename, relative } from 'node:path';

/** How this program is called, for commands that somebody is to type: `kwatch`, or in a checkout `node bin/kwatch.js`. */
export function invocation(): string {
  const script = process.argv[1] ?? 'kwatch';
  if (basename(script) === 'kwatch') return 'kwatch';
  const path = relative(process.cwd(), script);
  return `node ${path.startsWith('..') ? script : path}`;
}
