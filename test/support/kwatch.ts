import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inject } from 'vitest';

/** The command's entry in the bundle that was built for this run of the tests. */
export function mainFile(): string {
  return `${inject('bundle')}/main.js`;
}

/** What a run of the command left behind. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command as a process, without a terminal; HOME is empty, so no kubeconfig of this machine is read. */
export function startKwatch(args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [mainFile(), ...args], { env: { PATH, HOME: '/nonexistent', ...env } });
}

/** Runs it to its end; `input` goes to stdin. */
export async function kwatch(
  args: string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Outcome> {
  const child = startKwatch(args, options.env);
  child.stdin.end(options.input ?? '');
  return outcomeOf(child);
}

/** Waits for the end of a process. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** The records of a run with `-o json`. */
export function recordsOf({ stdout }: Outcome): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
