import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** One run of one command. */
export interface Sample {
  wallMs: number;
  /** User and system time of the process, ms (0 where /proc is missing). */
  cpuMs: number;
  /** Peak resident memory, MiB (0 where /proc is missing). */
  peakMiB: number;
}

export interface Contestant {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Exit codes of a run that worked; default 0. */
  okCodes?: number[];
}

/** Clock ticks a second of /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS = 100;
/** How often /proc is read; both values only grow, so the last reading is at most this much short. */
const POLL_MS = 20;

/** Runs each contestant once per round, in turn and then in reverse, after one round that does not count. */
export async function sideBySide(contestants: Contestant[], rounds: number): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const sample = await runOnce(contestant);
      if (round >= 0) samples.get(contestant.name)?.push(sample);
    }
  }
  return samples;
}

/** One run, stdout thrown away. Rejects on an exit code that is not among `okCodes`. */
export async function runOnce({ command, args, env, okCodes = [0] }: Contestant): Promise<Sample> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  let stderr = '';
  child.stderr?.on('data', (bytes) => {
    stderr = (stderr + String(bytes)).slice(-2000);
  });
  const usage = watchUsage(child);
  const [code] = await once(child, 'exit');
  const wallMs = performance.now() - start;
  if (!okCodes.includes(code)) throw new Error(`${command} ${args.join(' ')}: exit code ${code}: ${stderr}`);
  return { wallMs, ...usage.stop() };
}

function watchUsage(child: ChildProcess): { stop(): { cpuMs: number; peakMiB: number } } {
  let cpuMs = 0;
  let peakMiB = 0;
  const read = () => {
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
      if (peak) peakMiB = Number(peak[1]) / 1024;
    } catch (error) {
      // The process has just ended, or this is no Linux: the last reading stands.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  };
  const timer = setInterval(read, POLL_MS);
  read();
  return {
    stop() {
      clearInterval(timer);
      return { cpuMs, peakMiB };
    },
  };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** `a / b` of the medians of one figure. */
export function ratio(samples: Map<string, Sample[]>, a: string, b: string, figure: keyof Sample): number {
  const of = (name: string) => median((samples.get(name) ?? []).map((sample) => sample[figure]));
  return of(a) / of(b);
}

/** Whether a program is there to be compared with. */
export async function has(command: string, args: string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}
