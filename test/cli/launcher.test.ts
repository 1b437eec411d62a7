import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('bin/kwatch.js', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kwatch-launcher-'));
    cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
    mkdirSync(join(root, 'src/cli'), { recursive: true });
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'src/cli/main.ts'), '');
    writeFileSync(join(root, 'dist/main.js'), "console.log('started', process.argv[2]);\n");
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'bin/kwatch.js'), ...args], { encoding: 'utf8' });

  it('starts a build that is as new as its sources', () => {
    expect(run('pods')).toMatchObject({ status: 0, stdout: 'started pods\n', stderr: '' });
  });

  it('refuses a build that is older than a source, with one line that says what to run', () => {
    const soon = Date.now() / 1000 + 10;
    utimesSync(join(root, 'src/cli/main.ts'), soon, soon);
    expect(run('pods')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'kwatch: the build is older than src/; run: npm run build\n',
    });
  });

  it('refuses a checkout that was never built', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(run('pods')).toMatchObject({ status: 2, stderr: 'kwatch: there is no build; run: npm run build\n' });
  });

  it('starts in an installed package, which has no sources', () => {
    rmSync(join(root, 'src'), { recursive: true });
    expect(run('pods')).toMatchObject({ status: 0, stdout: 'started pods\n' });
  });

  it('answers --version without a build', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
});
