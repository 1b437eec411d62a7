import type { ProbeKind } from './facts.ts';

/** Honest and greppable in an audit log: `kwatch/0.1.0`. */
export function userAgent(version: string): string {
  return `kwatch/${version}`;
}

/** Extra requests say so, and why: `kwatch/0.1.0 probe/window` (contract §4). */
export function probeUserAgent(version: string, kind: ProbeKind | 'control'): string {
  return `${userAgent(version)} probe/${kind}`;
}
