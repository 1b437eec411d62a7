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

describe('the machine room in trouble', () => {
  it.each([
    ['cold', 100, 30, ['pods NOT READY, generation 1', 'upstream CUT', 'B traveller     pods       NOT READY']],
    ['cold', 40, 10, ['rev 1548  NOT READY  CUT', '▸A NOT READY']],
    ['terminated', 100, 30, ['C slow reader   pods       TERMINATED      1302      −146', 'closed at 2.4 s, too slow']],
    ['terminated', 80, 24, ['C slow reader  TERMINATED      1302      −146']],
    ['terminated', 40, 10, [' C TERMINATED −146']],
    [
      'replicas',
      100,
      30,
      [
        '▸:7410   READY gen 1  connected',
        ' :7411   READY gen 1  CUT',
        'floor 1300 lag 148',
        ' :7412   –            STARTING',
        '– kubectl/v1.30 pods       :7411',
        'more from outside',
      ],
    ],
    ['replicas', 200, 60, ['▸:7410   READY gen 1', '1000 more from outside']],
    ['replicas', 500, 100, ['1000 more from outside', 'story 5 of 9']],
    ['replicas', 64, 20, ['connected  100/100 pinned', 'floor 1448', '… 2 more, 2 of them not ready or cut off']],
    ['replicas', 40, 10, ['rev 1548  :7410 100/100', '▸A LIVE +100']],
  ] as const)('%s at %i×%i', async (trouble, columns, rows, texts) => {
    open(columns, rows, {}, 'local', trouble);
    await shows('RING-BUFFER EXPIRY');
    const screen = terminal.screen();
    for (const text of texts) expect(screen.join('\n')).toContain(text);
    expect(terminal.wrapped()).toEqual([]);
    expect(screen.at(-1)).toBe('');
  });

  it('follows the selected watcher to its apiserver', async () => {
    open(100, 30, {}, 'local', 'replicas');
    await shows('▸:7410');
    terminal.press('\t');
    await shows('▸:7411');
    terminal.press(',');
    await shows(',u restore :7411');
  });

  it.each([
    [20, 5],
    [1, 1],
    [39, 100],
  ])('says that %i×%i is too small, and still quits', async (columns, rows) => {
    open(100, 30, {}, 'local', 'replicas');
    await shows('RING-BUFFER EXPIRY');
    terminal.resize(columns, rows);
    await shows(columns > 1 ? 'terminal too small' : '…');
    expect(terminal.wrapped()).toEqual([]);
    terminal.press('q');
    await terminal.exited;
    expect(terminal.output()).toContain('left by quit');
    expect(terminal.buffer()).toBe('normal');
  });
});

describe('the lab’s keys in a terminal', () => {
  it('the leader shows what each would do now; the key does it and says the script line that it equals', async () => {
    open(100, 30, {}, 'local');
    await shows(', lab');
    terminal.press(',');
    await shows(',b burst 500  ,c compact at 1548  ,d drop A  ,u cut upstream  ,+ ring 200  ,- ring 50  esc');
    terminal.press('c');
    await shows(',c is in a script: - compact: head');
    await shows(', lab');
    // Typed so fast that both come at once.
    terminal.press(',d');
    await shows(',d is in a script: - disconnect: A');
    terminal.press(',u');
    await shows(',u came to nothing: it is cut already');
    expect(terminal.wrapped()).toEqual([]);
  });

  it.each([
    [40, 10, ' b burst c compact d drop u cut + - esc'],
    [80, 24, ' ,b burst  ,c compact  ,d drop  ,u cut  ,+ 200  ,- 50  esc'],
  ])('at %i×%i the footer still says what they would do', async (columns, rows, footer) => {
    open(columns, rows, {}, 'local');
    await shows('RING-BUFFER EXPIRY');
    terminal.press(',');
    await shows(footer);
    terminal.press('\x1b');
    await terminal.waitFor(({ screen }) => !screen().join('\n').includes('esc'), 'the footer as before');
  });

  it.each([
    ['q', 0],
    ['\x03', 130],
  ])('while the leader is pending, %j gives the terminal back', async (key, code) => {
    open(100, 30, {}, 'local');
    await shows('RING-BUFFER EXPIRY');
    terminal.press(',');
    await shows(',b burst 500');
    terminal.press(key);
    await expectRestored(code);
  });

  it('while the leader is pending, SIGTERM gives the terminal back', async () => {
    open(100, 30, {}, 'local');
    await shows('RING-BUFFER EXPIRY');
    terminal.press(',');
    await shows(',b burst 500');
    process.kill(demoPid(), 'SIGTERM');
    await expectRestored(143);
  });

  it('the footer is whole after a resize in mid-burst with the leader pending', async () => {
    open(100, 30, {}, 'local', 'flood');
    await shows('RING-BUFFER EXPIRY');
    terminal.press(',');
    await shows(',b burst 500');
    for (const [columns, rows] of [
      [44, 12],
      [200, 60],
      [100, 30],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.waitFor(
        ({ screen }) => (screen()[rows - 2] ?? '').includes(columns < 60 ? 'b burst' : ',b burst 500'),
        `the lab’s keys at ${columns}×${rows}`,
      );
      expect(terminal.wrapped()).toEqual([]);
    }
    terminal.press('q');
    await expectRestored(0);
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
