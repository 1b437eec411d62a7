import { describe, expect, it } from 'vitest';
import { CLASSES } from '../../src/diagnosis/finding.ts';
import { kwatch, recordsOf } from '../support/kwatch.ts';

describe('kwatch explain CLASS', () => {
  it('tells what is known of it, however it is written', async () => {
    const { code, stdout, stderr } = await kwatch(['explain', 'Ring-Buffer-Expiry']);
    expect(stdout.split('\n')[0]).toBe('ring-buffer-expiry');
    for (const title of ['signs', 'confused with', 'what to do', 'reproduce it'])
      expect(stdout).toContain(`\n${title}\n`);
    expect(stdout).toContain('kwatch local --script ring-overrun');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('as a record', async () => {
    const [note, summary] = recordsOf(await kwatch(['explain', 'apf-rejected', '-o', 'json']));
    expect(note).toMatchObject({
      record: 'class',
      class: 'apf-rejected',
      reproduce: 'kwatch local --script too-many-requests',
    });
    expect(summary).toMatchObject({ record: 'summary', exit_code: 0 });
  });

  it('a word that is nearly one is refused with its name', async () => {
    const { code, stderr } = await kwatch(['explain', 'ring-bufer-expiry']);
    expect([code, stderr]).toEqual([
      2,
      'kwatch: there is no class ring-bufer-expiry: did you mean ring-buffer-expiry?\n',
    ]);
    expect((await kwatch(['explain', 'idle'])).stderr).toContain('idle-cut-by-proxy');
  });

  it('its help names them all', async () => {
    const { stdout } = await kwatch(['explain', '--help']);
    for (const name of CLASSES) expect(stdout).toContain(name);
  });
});
