import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kwatch, outcomeOf, recordsOf, startKwatch } from '../support/kwatch.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwatch-logs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** `count` expired watches, a minute apart, each of a reflector of its own. */
function log(count: number): string {
  const line = (n: number) =>
    `W0611 ${String(n >= 60 ? 5 : 4).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00.000000 1 reflector.go:470] a.go:1: watch of *v1.Kind${n} ended with: too old resource version: ${n + 1} (${n + 9})\n`;
  return Array.from({ length: count }, (_, n) => line(n)).join('');
}

const json = (...args: string[]) => kwatch(['explain', '-o', 'json', ...args]);
const gone = (count: number) => ({ record: 'group', class: 'ring-buffer-expiry', count, distinct_reflectors: count });

describe('kwatch explain of a log', () => {
  it('takes a file for a log, however short; --file or a name', async () => {
    const path = file('short.log', log(2));
    for (const args of [[path], ['--file', path]]) {
      const outcome = await json(...args);
      expect(recordsOf(outcome)).toMatchObject([
        { ...gone(2), first: '06-11T04:00:00.000', last: '06-11T04:01:00.000', harm: 'harmless-once' },
        { record: 'summary', lines: 2, matched: 2, groups: 1, from: '06-11T04:00:00.000', exit_code: 0 },
      ]);
      expect(outcome.code).toBe(0);
    }
  });

  it('reads several files as one, and standard input of more than 50 lines', async () => {
    const [a, b] = [file('a.log', log(3).trimEnd()), file('b.log', log(3))];
    expect(recordsOf(await json(a, b))).toMatchObject([{ ...gone(6), distinct_reflectors: 3 }, { lines: 6 }]);
    const outcome = await kwatch(['explain', '-o', 'json', '-'], { input: log(60) });
    expect(recordsOf(outcome)).toMatchObject([gone(60), { lines: 60 }]);
  });

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    [
      'gzip in several members',
      (text: string) => Buffer.concat([gzipSync(text.slice(0, 40)), gzipSync(text.slice(40))]),
    ],
    ['UTF-16 with a mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without one', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['CRLF', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['colours', (text: string) => Buffer.from(text.replaceAll('too old', '\u001b[1mtoo\u001b[0m old'))],
    [
      'bytes that are no text',
      (text: string) => Buffer.concat([Buffer.from([0xff, 0xc0, 0, 0x80, 10]), Buffer.from(text)]),
    ],
  ])('reads %s', async (_, pack) => {
    const path = file('packed', pack(log(30)));
    expect(recordsOf(await json('--file', path))[0]).toMatchObject(gone(30));
  });

  it('says plainly that there is nothing in it', async () => {
    const empty = await kwatch(['explain', file('empty.log', '')]);
    expect(empty.stdout).toContain('No watch trouble is recognised in 0 lines.');
    const quiet = await kwatch(['explain', file('quiet.log', 'I0611 04:00:00.000000 1 a.go:1] Reconciled\n')]);
    expect(quiet.stdout).toMatch(/No watch trouble is recognised in 1 line\.\n06-11 04:00:00\.000 to /);
    expect(quiet.code).toBe(0);
    expect(recordsOf(await json(file('empty.log', '')))).toMatchObject([{ record: 'summary', lines: 0, harm: null }]);
  });

  it('writes for people within 80 columns, without colours or control characters in a pipe', async () => {
    const path = file(
      'hostile.log',
      `${log(40)}\u001b]0;evil\u0007\u202e too old resource version: 1 (2) Bearer abcdefghijkl\n`,
    );
    const { stdout } = await kwatch(['explain', path]);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
    expect(stdout).not.toContain('abcdefghijkl');
    expect(stdout).toMatch(/^41 records of watch trouble in 41 lines: 1 kind/);
  });

  it('keeps the beginning and the end of an endless line, and says so', async () => {
    const child = startKwatch(['explain', '-o', 'json', '-']);
    const end = outcomeOf(child);
    child.stdin.write('x'.repeat(20_000_000));
    child.stdin.end(`too old resource version: 1 (2)\n${log(50)}`);
    const [group, summary] = recordsOf(await end);
    expect(group).toMatchObject({ count: 51 });
    expect(summary).toMatchObject({ lines: 51, notes: [expect.stringMatching(/1 line of more than 64 KiB/)] });
  });

  it('tells what was counted when it is interrupted', async () => {
    const child = startKwatch(['explain', '-o', 'json', '-']);
    const end = outcomeOf(child);
    // The pipe holds less than this: once it is written, most of it has been read.
    await new Promise<void>((resolve) => child.stdin.write(log(60).repeat(200), () => resolve()));
    child.kill('SIGINT');
    const outcome = await end;
    const [group, summary] = recordsOf(outcome);
    expect(group?.count).toBeGreaterThan(1000);
    expect(summary).toMatchObject({ exit_code: 130, notes: [expect.stringMatching(/interrupted/)] });
    expect(outcome.code).toBe(130);
  });

  it('tells what stood before damage', async () => {
    const path = file('cut.log.gz', gzipSync(log(60)).subarray(0, -20));
    const outcome = await json(path);
    expect(recordsOf(outcome).at(-1)).toMatchObject({
      record: 'summary',
      notes: [expect.stringMatching(/damaged or cut/)],
    });
    expect(outcome.code).toBe(2);
  });

  it.each([
    ['a directory', () => folder, /is a directory/],
    ['a missing file', () => join(folder, 'missing.log'), /no such file/],
    ['a path that is no file', () => './no/such/place', /no such file/],
    ['zstd', () => file('x.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2])), /zstd: unpack it first/],
    ['zip', () => file('x.zip', Buffer.from('PK\u0003\u0004xxxx')), /zip: unpack it first/],
  ])('%s: one line, exit 2', async (_, path, message) => {
    for (const args of [[path()], ['--file', path()]]) {
      const { code, stderr, stdout } = await kwatch(['explain', ...args]);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    }
  });
});
