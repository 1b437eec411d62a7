import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Held } from '../support/client-lab.ts';

const run = promisify(execFile);

const SOURCE = join(import.meta.dirname, 'go');

/** Longest that the first build may take, ms: it compiles client-go, a minute of one core. */
const BUILD_MS = 280_000;

/** The program of `test/clients/go`, built once for each state of its source; or why there is none. */
export async function builtInformer(): Promise<{ program: string } | { missing: string }> {
  if (spawnSync('go', ['version']).status !== 0) return { missing: 'Go is not installed' };
  const folder = join(tmpdir(), 'kwatch-go');
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(SOURCE, file)));
  const program = join(folder, `informer-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOCACHE: join(folder, 'cache') };
  // Under a name of its own until it is whole: others may build it, too.
  const made = `${program}.${process.pid}`;
  try {
    await run('go', ['build', '-o', made, '.'], { cwd: SOURCE, env, timeout: BUILD_MS });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return { missing: `it could not be built: ${(stderr || message).trim().slice(0, 200)}` };
  }
  renameSync(made, program);
  return { program };
}

interface Said {
  request?: 'list' | 'watch';
  rv?: string;
  error?: string;
  listed?: string;
  set?: string;
  unset?: string;
  cache?: Held;
  fatal?: string;
}

/** A running client-go informer. */
export class GoInformer {
  /** What it asked for, in order. */
  readonly requests: Said[] = [];
  /** Its cache, as its handlers were told of it. */
  readonly held: Held = {};
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #over: Promise<void>;
  #look = () => {};
  #dumped: (cache: Held) => void = () => {};
  #fatal: string | undefined;

  constructor(program: string, server: string, resource: string) {
    this.#child = spawn(program, ['-server', server, '-resource', resource]);
    this.#over = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stderr.resume();
    createInterface(this.#child.stdout).on('line', (line) => this.#hear(JSON.parse(line) as Said));
  }

  get lists(): Said[] {
    return this.requests.filter(({ request, listed }) => request === 'list' && listed !== undefined);
  }

  #hear(said: Said): void {
    if (said.request !== undefined) this.requests.push(said);
    if (said.set !== undefined) this.held[said.set] = said.rv ?? '';
    if (said.unset !== undefined) delete this.held[said.unset];
    if (said.cache !== undefined) this.#dumped(said.cache);
    this.#fatal ??= said.fatal;
    this.#look();
  }

  /** Resolves once something that it says makes it true. Rejects where it gave up. */
  until(what: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        if (this.#fatal !== undefined) reject(new Error(this.#fatal));
        else if (what()) resolve();
      };
      this.#look();
    });
  }

  /** What its cache itself holds. */
  dump(): Promise<Held> {
    return new Promise((resolve) => {
      this.#dumped = resolve;
      this.#child.stdin.write('dump\n');
    });
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#over;
  }
}
