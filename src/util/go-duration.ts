/** Milliseconds per unit of a Go duration (Go `time.ParseDuration`). */
const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses `1m30s`, `500ms`, `0` as Go does. Milliseconds, or undefined where Go would refuse it. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0;
  for (const [, number, unit] of body.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(number) * (UNIT_MS[unit!] ?? 0);
  }
  return sign * total;
}
