#!/usr/bin/env node
// Starts the bundle in dist/. `--version` is answered here, before anything is loaded. In a checkout (src/ beside us) a
// build that is missing or older than its sources is refused: debugging with yesterday's code helps nobody.
import { readdirSync, readFileSync, statSync } from 'node:fs';

const root = new URL('../', import.meta.url);

/** Newest modification below a folder, ms; folders count too, so that a removed file is noticed. */
function newest(folder) {
  let time = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = new URL(entry.name + (entry.isDirectory() ? '/' : ''), folder);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

/** What is wrong with the build, or undefined. Without src/ (an installed package) nothing can be stale. */
function staleBuild() {
  const src = new URL('src/', root);
  if (statSync(src, { throwIfNoEntry: false }) === undefined) return undefined;
  const built = statSync(new URL('dist/main.js', root), { throwIfNoEntry: false });
  if (built === undefined) return 'there is no build';
  return built.mtimeMs < newest(src) ? 'the build is older than src/' : undefined;
}

const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  console.log(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version);
} else {
  const stale = staleBuild();
  if (stale === undefined) {
    await import('../dist/main.js');
  } else {
    console.error(`kwatch: ${stale}; run: npm run build`);
    process.exitCode = 2;
  }
}
