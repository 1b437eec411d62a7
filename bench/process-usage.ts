import { readFileSync } from 'node:fs';

/** Clock ticks a second of /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** User and system time of a process so far, ms, in steps of 10. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Resident memory of a process, KiB. */
export function rssKibOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
