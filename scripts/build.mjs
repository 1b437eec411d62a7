// Bundles src/cli/main.ts into dist/ (ESM, split into chunks, so that `--version` never loads undici, ink or yaml).
// Two memory leaks are closed on the way: React's development build (process.env.NODE_ENV is fixed to "production";
// react #35761, ink #869) and ink 6's unbounded text caches (ink #986/#987, fixed upstream only in ink 8, Node >= 22).
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../', import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));

/** Entries that each of ink's two caches may hold; reached, the cache is emptied. */
const INK_CACHE_ENTRIES = 4096;

/** Largest chunk we accept, bytes: one that grows past it makes start-up slow and deserves a look. */
const CHUNK_LIMIT = 1_200_000;
/** The entry is parsed on every start, also for `--version` and completion. */
const ENTRY_LIMIT = 160_000;

function swap(text, from, to, file) {
  if (!text.includes(from)) throw new Error(`ink patch: ${file} no longer contains ${JSON.stringify(from)}`);
  return text.replace(from, to);
}

const inkBoundedCaches = {
  name: 'ink-bounded-caches',
  setup(b) {
    b.onLoad({ filter: /[\\/]ink[\\/]build[\\/]measure-text\.js$/ }, async ({ path }) => ({
      loader: 'js',
      contents: swap(
        await readFile(path, 'utf8'),
        'cache.set(text,',
        `if (cache.size >= ${INK_CACHE_ENTRIES}) cache.clear();\n    cache.set(text,`,
        path,
      ),
    }));
    b.onLoad({ filter: /[\\/]ink[\\/]build[\\/]wrap-text\.js$/ }, async ({ path }) => {
      let text = await readFile(path, 'utf8');
      text = swap(text, 'const cache = {};', 'let cache = Object.create(null), cached = 0;', path);
      text = swap(
        text,
        'cache[cacheKey] = wrappedText;',
        `if (++cached > ${INK_CACHE_ENTRIES}) { cache = Object.create(null); cached = 1; }\n    cache[cacheKey] = wrappedText;`,
        path,
      );
      return { loader: 'js', contents: text };
    });
  },
};

/** ink asks for react-devtools-core when DEV is set; it is not installed and must not be looked for. */
const noDevtools = {
  name: 'no-devtools',
  setup(b) {
    b.onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: '', loader: 'js' }));
  },
};

/** Names and licence texts of what the bundle contains, from esbuild's list of inputs. */
async function thirdPartyLicences(inputs) {
  const names = new Set();
  for (const input of Object.keys(inputs)) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  const parts = [];
  for (const name of [...names].sort()) {
    const manifest = JSON.parse(await readFile(at(`node_modules/${name}/package.json`), 'utf8'));
    let text = '(no licence file in the package)';
    for (const file of ['LICENSE', 'license', 'LICENSE.md', 'LICENSE.txt', 'LICENSE-MIT.txt', 'LICENCE']) {
      try {
        text = await readFile(at(`node_modules/${name}/${file}`), 'utf8');
        break;
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    }
    parts.push(`${name} ${manifest.version} (${manifest.license})\n\n${text.trim()}\n`);
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

const manifest = JSON.parse(await readFile(at('package.json'), 'utf8'));
/** Where the bundle goes: dist/, or the folder that the tests name for one of their own. */
const outdir = process.argv[2] ?? 'dist';
await rm(at(outdir), { recursive: true, force: true });
await mkdir(at(outdir), { recursive: true });
const { metafile } = await build({
  absWorkingDir: at('.'),
  entryPoints: ['src/cli/main.ts'],
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    KWATCH_VERSION: JSON.stringify(manifest.version),
  },
  // undici, react and yaml are CommonJS and call require() inside the ESM bundle.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  plugins: [inkBoundedCaches, noDevtools],
});
await writeFile(at(`${outdir}/THIRD-PARTY-LICENSES.txt`), await thirdPartyLicences(metafile.inputs));
await chmod(at(`${outdir}/main.js`), 0o755);

let total = 0;
for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  total += bytes;
  const limit = file === `${outdir}/main.js` ? ENTRY_LIMIT : CHUNK_LIMIT;
  if (bytes > limit) throw new Error(`${file} is ${bytes} bytes, over its limit of ${limit}`);
}
console.log(`built ${outdir}/: ${Object.keys(metafile.outputs).length} files, ${(total / 1e6).toFixed(2)} MB`);
