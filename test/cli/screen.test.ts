import { afterEach, describe, expect, it, vi } from 'vitest';
import { mainFile } from '../support/kwatch.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

// A process, a terminal and a busy machine: only a test that fails takes this long.
vi.setConfig({ testTimeout: 60_000 });

let terminal: TestTerminal;

afterEach(() => terminal.dispose());

function play(columns: number, rows: number): void {
  const flags = ['local', '--port', '0', '--cache-size', '100', '--burst', '500', '--speed', '2'];
  terminal = openTerminal(process.execPath, [mainFile(), ...flags], { columns, rows, env: { HOME: '/nonexistent' } });
}

const shows = (...texts: string[]) =>
  terminal.waitFor(({ screen }) => texts.every((text) => screen().join('\n').includes(text)), texts.join(' and '));

describe('the command on a real terminal', () => {
  it.each([
    [100, 30, ['100 of 100, pinned', 'RING-BUFFER EXPIRY · overrun · high', 'server agrees ✓', 'q quit']],
    [80, 24, ['pods READY', 'RING-BUFFER EXPIRY · overrun · high', 'server agrees ✓', 'q quit']],
    [40, 10, ['ring 100/100', 'RING-BUFFER EXPIRY · high', 'q quit']],
  ])('%i×%i: the 410 is named where it happened, and q gives the terminal back', async (columns, rows, texts) => {
    play(columns, rows);
    await shows(...texts);
    expect(terminal.wrapped()).toEqual([]);
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.buffer()).toBe('normal');
    expect(terminal.cursorShown()).toBe(true);
  });
});
