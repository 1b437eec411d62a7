#!/usr/bin/env node
// Starts the bundle in dist/. `--version` is answered here, before anything is loaded. In a checkout (src/ beside us) a
// build that is missing or older than its sources is refused: debugging with yesterday's code helps nobody.
// CommonJS (bin/package.json), since Node starts it in half of the time that an ES module adds to `node -e ''`.
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

/** Newest modification below a folder, ms; folders count too, so that a removed file is noticed. */
function newest(folder) {
  let time = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

/** What is wrong with the build, or undefined. Without src/ (an installed package) nothing can be stale. */
function staleBuild() {
  const src = join(root, 'src');
  if (statSync(src, { throwIfNoEntry: false }) === undefined) return undefined;
  const built = statSync(join(root, 'dist/main.js'), { throwIfNoEntry: false });
  if (built === undefined) return 'there is no build';
  return built.mtimeMs < newest(src) ? 'the build is older than src/' : undefined;
}

const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
} else {
  const stale = staleBuild();
  if (stale === undefined) {
    import('../dist/main.js');
  } else {
    console.error(`kwatch: ${stale}; run: npm run build`);
    process.exitCode = 2;
  }
}
