import { spawn as spawnPty } from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** How long something may take to appear before the test fails; no test waits this long when all is well. */
const PATIENCE_MS = 45_000;

export interface TerminalOptions {
  columns: number;
  rows: number;
  /** Added to the environment of the tests. */
  env?: Record<string, string>;
}

/** A real terminal with a process in it: what is on the screen is read back cell by cell. */
export interface TestTerminal {
  /** The lines that are visible, without trailing spaces. */
  screen(): string[];
  /** Lines that the terminal had to continue on the next row. */
  wrapped(): number[];
  /** `alternate` while a full-screen program has it. */
  buffer(): 'normal' | 'alternate';
  cursorShown(): boolean;
  /** Everything that was written, with its escape sequences. */
  output(): string;
  press(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves as soon as `seen` holds, looking again after each piece of output. */
  waitFor(seen: (terminal: TestTerminal) => boolean, what: string): Promise<void>;
  /** Resolves to the exit code. */
  readonly exited: Promise<number>;
  readonly pid: number;
  /** Ends what is still running. */
  dispose(): void;
}

/** Runs `command` in a terminal. CI variables are taken out of its environment: with them Ink draws nothing. */
export function openTerminal(command: string, args: string[], options: TerminalOptions): TestTerminal {
  const {
    CI: _ci,
    CONTINUOUS_INTEGRATION: _integration,
    FORCE_COLOR: _color,
    NODE_ENV: _node,
    ...inherited
  } = process.env;
  const emulator = new xterm.Terminal({ cols: options.columns, rows: options.rows, allowProposedApi: true });
  // Programs may ask for no automatic wrap. It stays on here: a row that is too long must be seen to wrap.
  emulator.parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => params.length === 1 && params[0] === 7);
  const child = spawnPty(command, args, {
    name: 'xterm-256color',
    cols: options.columns,
    rows: options.rows,
    env: { ...inherited, TERM: 'xterm-256color', ...options.env } as Record<string, string>,
  });
  const watchers = new Set<() => void>();
  let written = '';
  let running = true;
  child.onData((data) => {
    written += data;
    emulator.write(data, () => {
      for (const look of [...watchers]) look();
    });
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      running = false;
      emulator.write('', () => resolve(exitCode));
    });
  });
  const lines = () => {
    const { active } = emulator.buffer;
    return Array.from({ length: emulator.rows }, (_, row) => active.getLine(active.viewportY + row));
  };
  const terminal: TestTerminal = {
    screen: () => lines().map((line) => line?.translateToString(true) ?? ''),
    wrapped: () => lines().flatMap((line, row) => (line?.isWrapped ? [row] : [])),
    buffer: () => emulator.buffer.active.type,
    cursorShown: () => written.lastIndexOf('\x1b[?25h') >= written.lastIndexOf('\x1b[?25l'),
    output: () => written,
    press: (keys) => child.write(keys),
    resize(columns, rows) {
      emulator.resize(columns, rows);
      child.resize(columns, rows);
    },
    waitFor(seen, what) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`never seen: ${what}\n${terminal.screen().join('\n')}`));
        }, PATIENCE_MS);
        const look = () => {
          if (!seen(terminal)) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    exited,
    pid: child.pid,
    dispose() {
      if (running) child.kill('SIGKILL');
      emulator.dispose();
    },
  };
  return terminal;
}
