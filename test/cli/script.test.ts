import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kwatch, recordsOf } from '../support/kwatch.ts';

const folder = mkdtempSync(join(tmpdir(), 'kwatch-script-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function scriptFile(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const local = (...flags: string[]) => kwatch(['local', '--port', '0', '--speed', '100', ...flags]);

/** What of a run must be the same the next time: revisions and verdicts, not the moments. */
function essence(outcome: Awaited<ReturnType<typeof local>>) {
  const records = recordsOf(outcome);
  const written = records.filter(({ what }) => what === 'write').map(({ key, rv }) => `${key} ${rv}`);
  const verdicts = records.filter(({ what }) => what === 'verdict').map(({ at: _at, ...rest }) => rest);
  return { written, verdicts };
}

const SHIPPED = [
  'age-cut',
  'apiserver-killed',
  'apiserver-shutdown',
  'bad-gateway',
  'bad-selector',
  'compaction-direct',
  'compaction-through-cache',
  'connection-lost',
  'connection-reset',
  'continue-token-expired',
  'idle-cut',
  'other-replica',
  'planned-end',
  'proxy-buffering',
  'quiet-watch',
  'ring-overrun',
  'rv-too-large',
  'selector-exit',
  'silent-stall',
  'slow-reader',
  'storage-error',
  'too-many-requests',
  'unreachable',
  'window-slid',
];

/** The first YAML of a page that is a whole script: what somebody copies first. */
function exampleOf(page: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return /```yaml\n(title:[\s\S]*?)```/.exec(text)?.[1] ?? '';
}

describe('the example to be copied', () => {
  it.each(['README.md', 'docs/scripts.md'])('of %s holds', async (page) => {
    const outcome = await local('--script', scriptFile('copied.yaml', exampleOf(page)), '-o', 'json');
    expect(outcome.stderr).toBe('');
    const verdicts = recordsOf(outcome).filter(({ what }) => what === 'verdict');
    expect(verdicts).toMatchObject([{ found: expect.stringContaining('overrun'), ok: true, agrees: true }]);
    expect(outcome.code).toBe(0);
  });
});

describe('the scripts that ship with the program', () => {
  it('are named by --script list', async () => {
    const { code, stdout } = await local('--script', 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n').flatMap((line) => line.split(' ')[0] || [])).toEqual(SHIPPED);
  });

  it.each(SHIPPED)('%s holds', async (name) => {
    const outcome = await local('--script', name, '-o', 'json');
    expect(outcome.stderr).toBe('');
    const verdicts = recordsOf(outcome).filter(({ what }) => what === 'verdict');
    expect(verdicts.length).toBeGreaterThan(0);
    for (const verdict of verdicts) expect(verdict).toMatchObject({ ok: true, agrees: true });
    expect(outcome.code).toBe(0);
  });

  it('give the same revisions and the same verdicts twice, at another speed too', async () => {
    const once = essence(await local('--script', 'ring-overrun', '-o', 'json', '--seed', '7'));
    const twice = essence(await local('--script', 'ring-overrun', '-o', 'json', '--seed', '7', '--speed', '20'));
    expect(once.written.length).toBeGreaterThan(500);
    expect(twice).toEqual(once);
  });
});

describe('the built-in story', () => {
  it('gives the same revisions and the same verdicts twice', async () => {
    const flags = ['-o', 'json', '--cache-size', '100', '--burst', '500', '--seed', '3'];
    const once = essence(await local(...flags));
    expect(essence(await local(...flags))).toEqual(once);
  });
});

describe('a script of one’s own', () => {
  it('exits with 1 where something came out otherwise, and says what was expected and what there is', async () => {
    const file = scriptFile(
      'wrong.yaml',
      'cacheSize: 1000\nsteps:\n- { watch: B, resource: pods }\n- disconnect: B\n- { burst: 200, within: 1s }\n- wait: 2s\n- resume: B\n- { expect: B, finding: ring-buffer-expiry, within: 1s }\n',
    );
    const { code, stdout, stderr } = await local('--script', file, '-o', 'line');
    expect(code).toBe(1);
    expect(stderr).toBe('kwatch: script wrong:8: B: expected ring-buffer-expiry; there is: no finding\n');
    expect(stdout).toContain('✗ B: expected ring-buffer-expiry; there is: no finding');
    expect(stdout).toContain('the end of wrong: 0 of 1 expectations held');
  });

  it('exits with 1 also where --keep and --for let it go on after that', async () => {
    const file = scriptFile('kept.yaml', 'steps:\n- { list: L, resource: pods }\n- { expect: L, status: 410 }\n');
    const { code, stderr } = await local('--script', file, '--keep', '--for', '10s', '-o', 'line');
    expect(stderr).toBe('kwatch: script kept:3: L: expected HTTP 410; there is: HTTP 200, 40 items\n');
    expect(code).toBe(1);
  });

  it('lets the command line have the last word on its numbers', async () => {
    const outcome = await local('--script', 'ring-overrun', '--cache-size', '1000', '-o', 'json');
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain(
      'expected ring-buffer-expiry, overrun, high, refused by watch-cache; there is: no finding',
    );
  });

  it('exits with 2 where a step cannot be done, and names it', async () => {
    const file = scriptFile('impossible.yaml', 'steps:\n- { write: configmaps, name: a }\n- compact: 999999\n');
    const { code, stdout, stderr } = await local('--script', file, '-o', 'line');
    expect(code).toBe(2);
    expect(stdout).toContain('✗ ends here: compact: 999999: etcdserver: mvcc: required revision is a future revision');
    expect(stderr).toBe(
      'kwatch: script impossible:3: compact: 999999: etcdserver: mvcc: required revision is a future revision\n',
    );
  });

  it('ends with its last step, also where a watcher was to stall for longer', async () => {
    const text = `steps:
  - { watch: A, resource: pods }
  - { stall: A, for: 23h }
`;
    const { code, stdout } = await local('--script', scriptFile('stall.yaml', text));
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^= 0 events/);
    expect(stdout).not.toContain('reads on');
  });

  it('knows what a watch from the future does: nothing', async () => {
    const file = scriptFile(
      'future.yaml',
      'steps:\n- { watch: F, resource: pods, rv: 99999999 }\n- { write: pods, count: 30 }\n- { expect: F, events: 0, within: 2s }\n- { expect: F, state: live }\n- { list: L, resource: pods, rv: 99999999 }\n- { expect: L, status: 504, reason: Timeout }\n- { expect: L, finding: rv-too-large }\n',
    );
    const { code, stdout } = await local('--script', file, '-o', 'line');
    expect(stdout).toContain('4 of 4 expectations held');
    expect(code).toBe(0);
  });

  it('resizes a ring, restores a cut that was silent, deletes, and restarts in order', async () => {
    const file = scriptFile(
      'all.yaml',
      `cacheSize: 50
objects: 5
steps:
- { watch: A, resource: pods, timeoutSeconds: 600 }
- { resize: pods, capacity: 10 }
- { expect: server, trace: resize, resource: pods, times: 1 }
- { cut: pods, silent: true }
- { write: pods, count: 3 }
- { expect: A, events: 0, within: 1s }
- restore: pods
- { expect: A, events: 3, within: 30s }
- { delete: pods, count: 2 }
- { expect: A, events: 5 }
- restart: 0
- { expect: A, state: live, within: 60s }
- { expect: server, trace: restart, times: 1 }
`,
    );
    const { code, stdout, stderr } = await local('--script', file, '-o', 'line');
    expect(stderr).toBe('');
    expect(stdout).toContain('6 of 6 expectations held');
    expect(code).toBe(0);
  });
});

describe('a script without watchers', () => {
  it('says so, and of whom it speaks nothing', async () => {
    const file = scriptFile('none.yaml', 'steps:\n- { list: L, resource: pods }\n- { expect: L, status: 200 }\n');
    const outcome = await local('--script', file, '-o', 'json');
    const summary = recordsOf(outcome).at(-1) as { verdict: Record<string, unknown> };
    expect(summary.verdict).toMatchObject({
      class: 'healthy',
      title: expect.stringContaining('no watchers'),
      next: [],
    });
    expect(summary.verdict).not.toHaveProperty('watcher');
    expect(outcome.code).toBe(0);
  });
});

describe('a script that cannot be played', () => {
  it('with fewer apiservers on the command line than it speaks of', async () => {
    const { code, stderr } = await local('--script', 'other-replica', '--replicas', '1');
    expect(stderr).toMatch(/^kwatch: script other-replica.yaml:\d+:\d+: found 1, expected 0: there is one apiserver/);
    expect(code).toBe(2);
  });

  it.each<[string, () => string, string | RegExp]>([
    [
      'a name that is none',
      () => 'ring-overun',
      /^kwatch: --script "ring-overun" is no file and no script of ours: age-cut, .* \(did you mean ring-overrun\?\)\n$/,
    ],
    ['a directory', () => folder, /^kwatch: --script ".*" is a directory, expected a file or one of age-cut/],
    [
      'a binary',
      () => scriptFile('binary', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff])),
      /binary: it is no UTF-8 text\n$/,
    ],
    [
      '100 MB',
      () => scriptFile('large.yaml', new Uint8Array(100 * 1024 * 1024).fill(35)),
      /large.yaml: it is larger than 128 KiB, the most that is read\n$/,
    ],
    ['an endless device', () => '/dev/zero', /\/dev\/zero: it is larger than 128 KiB/],
    [
      'an unknown verb',
      () => scriptFile('verb.yaml', 'steps:\n- brust: 5\n'),
      /verb.yaml:2:3: found "brust", expected one of .*\(did you mean burst\?\)\n$/,
    ],
  ])('%s: one line and exit code 2', async (_, script, expected) => {
    const { code, stdout, stderr } = await local('--script', script());
    expect(stderr).toMatch(expected);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it.each([
    [['--no-story'], '--script and --no-story contradict each other'],
    [['--burst', '5'], '--burst is the story’s: a script has bursts of its own'],
    [['--speed', '5000'], 'at most 1000'],
  ])('together with %j', async (flags, expected) => {
    const { code, stderr } = await local('--script', 'ring-overrun', ...flags);
    expect(stderr).toContain(expected);
    expect(code).toBe(2);
  });
});
