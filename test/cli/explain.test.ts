import { describe, expect, it } from 'vitest';
import { kwatch, recordsOf } from '../support/kwatch.ts';

describe('kwatch explain', () => {
  it('tells people the two numbers and what they are', async () => {
    const { code, stdout } = await kwatch(['explain', 'too old resource version: 41877 (96214)']);
    expect(stdout).toContain('41877');
    expect(stdout).toContain('96214');
    expect(stdout).toContain('54337');
    expect(code).toBe(0);
  });

  it('reads standard input, and answers in records', async () => {
    const line =
      'W0611 04:12:09.118 1 reflector.go:470] watch of *v1.Event ended with: The resourceVersion for the provided watch is too old.';
    const outcome = await kwatch(['explain', '-o', 'json', '-'], { input: `${line}\n` });
    const [explanation, summary] = recordsOf(outcome);
    expect(explanation).toMatchObject({ record: 'explanation', class: 'upstream-compaction', refused_by: 'etcd' });
    expect(summary).toMatchObject({ record: 'summary', lines: 1, matched: 1 });
  });

  it('says unknown to what it does not know, exit code 0', async () => {
    const { code, stdout } = await kwatch(['explain', '-o', 'json', 'the disk is full']);
    expect(JSON.parse(stdout.split('\n')[0] as string)).toMatchObject({ class: 'unknown', harm: 'depends' });
    expect(code).toBe(0);
  });

  it('shows no control character of its input', async () => {
    const { stdout } = await kwatch(['explain', '\x1b]0;evil\x07too old resource version: 1 (2)\x1b[31m\u202e']);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
  });
});
