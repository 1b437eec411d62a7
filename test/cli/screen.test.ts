import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mainFile } from '../support/kwatch.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

// A process, a terminal and a busy machine: only a test that fails takes this long.
vi.setConfig({ testTimeout: 60_000 });

let terminal: TestTerminal;

afterEach(() => terminal.dispose());

function play(columns: number, rows: number, ...more: string[]): void {
  const flags = ['local', '--port', '0', ...more];
  terminal = openTerminal(process.execPath, [mainFile(), ...flags], { columns, rows, env: { HOME: '/nonexistent' } });
}

const shows = (...texts: string[]) =>
  terminal.waitFor(({ screen }) => texts.every((text) => screen().join('\n').includes(text)), texts.join(' and '));

describe('the command on a real terminal', () => {
  it.each([
    [100, 30, ['100 of 100, pinned', 'RING-BUFFER EXPIRY · overrun · high', 'server agrees ✓', 'q quit']],
    [80, 24, ['pods READY', 'RING-BUFFER EXPIRY · overrun · high', 'server agrees ✓', 'q quit']],
    [40, 10, ['ring 100/100', 'RING-BUFFER EXPIRY · high', '  e  q']],
  ])('%i×%i: the 410 is named where it happened, and q gives the terminal back', async (columns, rows, texts) => {
    play(columns, rows, '--cache-size', '100', '--burst', '500', '--speed', '2');
    await shows(...texts);
    expect(terminal.wrapped()).toEqual([]);
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.buffer()).toBe('normal');
    expect(terminal.cursorShown()).toBe(true);
  });
});

describe('the lab’s keys on a real terminal', () => {
  /** A server, forty pods, and nothing that happens by itself. */
  const QUIET = ['--no-story', '--objects', '40', '--cache-size', '40', '--burst', '60', '--compact-every', 'off'];

  it('do what they say: burst, ring, compaction, upstream; each says its line of a script', async () => {
    play(100, 30, ...QUIET);
    await shows('ring  40 of 40, pinned', ', lab', 'no watchers of its own');
    terminal.press(',b');
    await shows('is in a script: - burst: 60', 'rev 1105');
    terminal.press(',+');
    await shows('is in a script: - { resize: pods, capacity: 80 }', '40 of 80, pinned, was 40', 'pods ring 40 → 80');
    terminal.press(',-');
    await shows('40 of 40, pinned, was 80');
    terminal.press(',');
    await shows(',c compact at 1105', ',u cut upstream');
    terminal.press('c');
    await shows('is in a script: - compact: head', 'store compacted at 1105 (asked)', 'compacted 1105');
    // The head is compacted, and nobody is there to be dropped: two keys do nothing now, and are not listed.
    terminal.press(',');
    await terminal.waitFor(
      ({ screen }) => screen().at(-2) === ' ,b burst 60  ,u cut upstream  ,+ ring 80  ,- ring 20  esc',
      'the four keys that do something',
    );
    terminal.press('u');
    await shows('is in a script: - cut: upstream', 'upstream CUT');
    terminal.press(',u');
    await shows('is in a script: - restore: upstream', 'upstream connected');
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.buffer()).toBe('normal');
  });

  it('of several apiservers, the first; each has its line', async () => {
    play(100, 30, ...QUIET, '--replicas', '3');
    await terminal.waitFor(
      ({ screen }) => screen().filter((line) => /^.:\d+ +READY gen 1/.test(line)).length === 3,
      '3',
    );
    terminal.press(',u');
    await terminal.waitFor(
      ({ screen }) => / READY gen 1 +CUT +40\/40 pinned/.test(screen()[2] ?? ''),
      'the first is cut',
    );
    terminal.press(',b');
    await terminal.waitFor(({ screen }) => / lag 61 *$/.test(screen()[2] ?? ''), 'the first lags behind');
    expect(terminal.wrapped()).toEqual([]);
    expect(terminal.screen()[3]).toMatch(/connected +40\/40 pinned .* floor \d+ *$/);
  });

  it('in the story: a watcher is dropped, and resumed', async () => {
    play(100, 30, '--cache-size', '1000', '--burst', '10');
    await terminal.waitFor(({ screen }) => screen().some((line) => /▸ A steady +pods +LIVE/.test(line)), 'A is live');
    terminal.press(',d');
    await shows('- disconnect: A');
    await terminal.waitFor(({ screen }) => screen().some((line) => /▸ A steady +pods +AWAY/.test(line)), 'A is away');
    terminal.press(',');
    await shows(',d resume A');
    terminal.press('d');
    // What the row says beside LIVE hangs on what the story does with A meanwhile.
    await shows('- resume: A');
    await terminal.waitFor(({ screen }) => screen().some((line) => /▸ A steady +pods +LIVE/.test(line)), 'A is back');
  });

  it('an expectation that fails is told on stderr when the screen is gone, and does not tear it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kwatch-script-'));
    const script = join(folder, 'fails.yaml');
    writeFileSync(
      script,
      'steps:\n  - { watch: A, resource: pods }\n  - { expect: A, finding: ring-buffer-expiry, within: 50ms }\n',
    );
    play(100, 30, '--script', script);
    await shows('expectations held');
    expect(terminal.screen().join('\n')).not.toContain('kwatch: script');
    expect(terminal.screen()[0]).toContain('kwatch local');
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.screen().join('\n')).toContain('kwatch: script fails:3: ');
    rmSync(folder, { recursive: true, force: true });
  });

  it('while the leader is pending, Ctrl-C gives the terminal back', async () => {
    play(100, 30, ...QUIET);
    await shows(', lab');
    terminal.press(',');
    await shows(',b burst 60');
    terminal.press('\x03');
    expect(await terminal.exited).toBe(130);
    expect(terminal.buffer()).toBe('normal');
    expect(terminal.cursorShown()).toBe(true);
  });
});
