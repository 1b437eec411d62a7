import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Who may import whom. Two halves that meet on the wire only: neither list of one half holds a folder of the other. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  util: [],
  protocol: ['util'],
  store: ['util', 'protocol'],
  cacher: ['util', 'protocol', 'store'],
  apiserver: ['util', 'protocol', 'store', 'cacher'],
  scenario: ['util', 'protocol', 'store', 'cacher', 'apiserver'],
  client: ['util', 'protocol'],
  diagnosis: ['util', 'protocol', 'client'],
  explain: ['util', 'protocol', 'diagnosis'],
  probe: ['util', 'protocol', 'client', 'diagnosis'],
  render: ['util', 'protocol', 'client', 'diagnosis', 'explain', 'probe'],
  ui: ['util', 'protocol', 'client', 'diagnosis', 'render'],
  cli: [
    'util',
    'protocol',
    'store',
    'cacher',
    'apiserver',
    'scenario',
    'client',
    'diagnosis',
    'explain',
    'probe',
    'render',
    'ui',
  ],
};

/** Each outside dependency has one home. */
const HOME: Record<string, readonly string[]> = {
  undici: ['client/transport.ts'],
  chalk: ['render/theme.ts'],
  'string-width': ['render/width.ts'],
  ink: ['ui/'],
  react: ['ui/'],
  commander: ['cli/'],
  yaml: ['client/kubeconfig.ts', 'scenario/script-yaml.ts'],
  valibot: ['scenario/'],
  'sorted-btree': ['store/'],
  'node:http': ['apiserver/'],
  'node:http2': ['apiserver/', 'client/http2-transport.ts'],
  'node:https': ['apiserver/'],
  'node:zlib': ['apiserver/', 'cli/explain-source.ts', 'client/inflated-body.ts'],
  'node:fs': ['client/', 'cli/'],
  'node:fs/promises': ['client/', 'cli/'],
};

/** Folders that compute and do nothing else: no Node, no clock, no console. */
const PURE = ['protocol', 'cacher', 'diagnosis', 'explain', 'render'];

interface Source {
  path: string;
  folder: string;
  text: string;
  /** Specifiers; `typeOnly` ones leave no trace at run time. */
  imports: { from: string; typeOnly: boolean }[];
}

function sources(): Source[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      const found = [
        ...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm),
        ...text.matchAll(/import\(()'([^']+)'\)/g),
      ];
      const imports = found.map(([, type, from]) => ({ from: from as string, typeOnly: Boolean(type) }));
      return { path, folder: path.split('/')[0] as string, text, imports };
    });
}

const all = sources();

/** `folder/file.ts` that a relative import of `source` leads to. */
const target = (source: Source, from: string) => relative(SRC, join(SRC, dirname(source.path), from));

describe('architecture', () => {
  it('has two folder levels, and only folders with a rule', () => {
    for (const { path, folder } of all) {
      expect(path.split('/').length, path).toBe(2);
      expect(Object.keys(MAY_IMPORT), path).toContain(folder);
    }
  });

  it('imports only downwards, and never from the other half', () => {
    const wrong = all.flatMap((source) =>
      source.imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => target(source, from))
        .filter((to) => to.split('/')[0] !== source.folder)
        .filter((to) => !MAY_IMPORT[source.folder]?.includes(to.split('/')[0] as string))
        .map((to) => `${source.path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps each dependency in its home', () => {
    const wrong = all.flatMap((source) =>
      source.imports
        .map(({ from }) => from)
        .filter((from) => HOME[from] && !HOME[from].some((home) => source.path.startsWith(home)))
        .map((from) => `${source.path} → ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  it('loads the screen, the client and yaml lazily: the entry imports commander alone', () => {
    const seen = new Set<string>();
    const outside = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const source = all.find((one) => one.path === path);
      if (source === undefined) throw new Error(`no such file: ${path}`);
      for (const [, type, from] of source.text.matchAll(
        /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm,
      )) {
        if (type || from === undefined) continue;
        if (from.startsWith('.')) visit(target(source, from));
        else if (!from.startsWith('node:')) outside.add(from);
      }
    };
    visit('cli/main.ts');
    expect([...outside]).toEqual(['commander']);
  });

  it('has no import cycles', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]) => {
      if (state.get(path) === 'done') return;
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
        return;
      }
      state.set(path, 'open');
      const source = all.find((one) => one.path === path);
      for (const { from, typeOnly } of source?.imports ?? []) {
        if (from.startsWith('.') && !typeOnly && source) visit(target(source, from), [...trail, path]);
      }
      state.set(path, 'done');
    };
    for (const { path } of all) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('keeps Node, time and the console out of the pure folders', () => {
    const wrong = all
      .filter(({ folder }) => PURE.includes(folder))
      .flatMap(({ path, text, imports }) => [
        ...imports.filter(({ from }) => from.startsWith('node:')).map(({ from }) => `${path}: ${from}`),
        ...(
          text.match(/\b(?:Date\.now|new Date\(\)|setTimeout|setInterval|setImmediate|console\.|process\.)/g) ?? []
        ).map((word) => `${path}: ${word}`),
      ]);
    expect(wrong).toEqual([]);
  });

  it('reads the clock, sets timers and draws random numbers only in util/', () => {
    const wrong = all
      .filter(({ folder }) => folder !== 'util')
      .flatMap(({ path, text }) =>
        (
          text.match(
            /\b(?:Date\.now|new Date\(\)|setTimeout|setInterval|setImmediate|performance\.now|Math\.random)\b/g,
          ) ?? []
        ).map((word) => `${path}: ${word}`),
      );
    expect(wrong).toEqual([]);
  });

  it('exports by name, from the file that owns the concept', () => {
    const wrong = all.filter(
      ({ text, path }) => /^export default|^export \* from/m.test(text) || path.endsWith('/index.ts'),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});
