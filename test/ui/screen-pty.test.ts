import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

// A process, a terminal and a busy machine: only a test that fails takes this long.
vi.setConfig({ testTimeout: 60_000 });

const BUILT = mkdtempSync(join(tmpdir(), 'kwatch-demo-'));
const DEMO = join(BUILT, 'demo.mjs');

beforeAll(() => bundle(fileURLToPath(new URL('./demo.tsx', import.meta.url)), DEMO));
afterAll(() => rmSync(BUILT, { recursive: true, force: true }));

/** The demo inside a shell that tells how it ended and in which state it left the terminal. */
const SHELL = '"$@"; echo "code $?"; stty -a';

let terminal: TestTerminal;
let folder: string;

function open(columns: number, rows: number, more: Record<string, string>, ...args: string[]): void {
  folder = mkdtempSync(join(tmpdir(), 'kwatch-pty-'));
  const env = { DEMO_PID_FILE: join(folder, 'pid'), ...more };
  terminal = openTerminal('sh', ['-c', SHELL, 'sh', process.execPath, DEMO, ...args], {
    columns,
    rows,
    env,
  });
}

const shows = (text: string) => terminal.waitFor(({ screen }) => screen().join('\n').includes(text), text);
const demoPid = () => Number(readFileSync(join(folder, 'pid'), 'utf8'));

/** Waits for the shell's last words and checks that the terminal is as it was before. */
async function expectRestored(code: number): Promise<string> {
  await terminal.exited;
  expect(terminal.buffer()).toBe('normal');
  expect(terminal.cursorShown()).toBe(true);
  const text = terminal.screen().join('\n');
  expect(terminal.output()).toContain(`code ${code}\r\n`);
  const modes = terminal.output().slice(terminal.output().lastIndexOf('code '));
  expect(modes).toMatch(/[^-]icanon/);
  expect(modes).toMatch(/[^-]echo\b/);
  return text;
}

afterEach(() => {
  terminal.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['tail', 80, 24],
  ['tail', 100, 30],
  ['tail', 40, 10],
  ['local', 80, 24],
  ['local', 100, 30],
  ['local', 40, 10],
] as const)('%s at %i×%i', (mode, columns, rows) => {
  it('wraps no row and shows state word, resume RV and newest finding', async () => {
    open(columns, rows, {}, mode);
    await shows('RING-BUFFER EXPIRY');
    const screen = terminal.screen();
    expect(terminal.wrapped()).toEqual([]);
    expect(terminal.buffer()).toBe('alternate');
    expect(screen.join('\n')).toContain('LIVE');
    expect(screen.join('\n')).toMatch(mode === 'tail' ? /resume 24188/ : /1548/);
    expect(screen.at(-1)).toBe('');
    expect(screen.slice(0, -1).findLast((line) => line !== '')).toMatch(/q( quit)?$/);
  });
});

describe('the screen in a terminal', () => {
  it('gives the terminal back on q, exit code 0', async () => {
    open(80, 24, {}, 'tail');
    await shows('RING-BUFFER EXPIRY');
    terminal.press('q');
    expect(await expectRestored(0)).toContain('left by quit');
  });

  it('gives the terminal back on Ctrl-C, exit code 130', async () => {
    open(80, 24, {}, 'tail');
    await shows('RING-BUFFER EXPIRY');
    terminal.press('\x03');
    expect(await expectRestored(130)).toContain('left by interrupt');
  });

  it('gives the terminal back on SIGTERM, before anything is printed', async () => {
    open(80, 24, {}, 'local');
    await shows('RING-BUFFER EXPIRY');
    process.kill(demoPid(), 'SIGTERM');
    expect(await expectRestored(143)).toContain('terminated');
  });

  it('gives the terminal back on SIGTERM where nobody listens for it', async () => {
    open(80, 24, {}, 'tail', 'naked');
    await shows('RING-BUFFER EXPIRY');
    process.kill(demoPid(), 'SIGTERM');
    await expectRestored(143);
  });

  it('gives the terminal back before a thrown error is printed', async () => {
    open(80, 24, {}, 'tail', 'crash');
    await expectRestored(1);
    const output = terminal.output();
    expect(output.indexOf('boom: thrown')).toBeGreaterThan(output.indexOf('\x1b[?1049l'));
  });

  it('gives the terminal back before a rejection that nobody handled is printed', async () => {
    open(80, 24, {}, 'tail', 'reject');
    await expectRestored(1);
    const output = terminal.output();
    expect(output.indexOf('boom: rejected')).toBeGreaterThan(output.indexOf('\x1b[?1049l'));
  });

  it('is whole again after a resize, smaller and larger', async () => {
    open(80, 24, {}, 'local');
    await shows('RING-BUFFER EXPIRY');
    terminal.resize(40, 10);
    await terminal.waitFor(({ screen }) => screen()[0]?.startsWith(' local') ?? false, 'the small header');
    expect(terminal.wrapped()).toEqual([]);
    terminal.resize(39, 9);
    await shows('terminal too small');
    terminal.resize(120, 40);
    await shows('store rev 1548, compacted');
    await shows('upstream connected');
    expect(terminal.wrapped()).toEqual([]);
    expect(terminal.screen().filter((line) => line.includes('kwatch local')).length).toBe(1);
  });

  it('draws no frame when nothing visible changed', async () => {
    open(80, 24, {}, 'tail');
    await shows('RING-BUFFER EXPIRY');
    terminal.press('?');
    await shows('this help');
    const before = terminal.output().length;
    // The clock of the demo stands still: keys that change nothing are all that happens.
    terminal.press('xyz');
    terminal.press('\x1b');
    await shows('finding 1');
    const drawn = terminal.output().slice(before).split('\x1b[?2026h').length - 1;
    expect(drawn).toBe(1);
  });

  it('draws although CI is set: somebody sits at this terminal', async () => {
    open(80, 24, { CI: '1', CONTINUOUS_INTEGRATION: '1' }, 'tail');
    await shows('RING-BUFFER EXPIRY');
    terminal.press('q');
    expect(await expectRestored(0)).toContain('left by quit');
  });

  it('draws without colour codes under NO_COLOR', async () => {
    open(80, 24, { NO_COLOR: '1' }, 'tail');
    await shows('RING-BUFFER EXPIRY');
    expect(terminal.output()).not.toMatch(/\x1b\[(?!0m)[0-9;]*m/);
    expect(terminal.screen().join('\n')).toContain('E  ERROR 410');
  });
});
