/** How times and revisions are written in findings: short, with a unit, and never more exact than they are. */

/** `0.4 s`, `63 s`, `247 s`, `11 min 1 s`: seconds up to ten minutes, since that is how timers are configured. */
export function span(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < 950) return positive < 10 ? `${Math.round(positive)} ms` : `${(positive / 1000).toFixed(2)} s`;
  if (positive < 9950) return `${trimZero((positive / 1000).toFixed(1))} s`;
  const seconds = Math.round(positive / 1000);
  if (seconds < 600) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes >= 120) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** Timers are configured in multiples of this, and what was measured is off by the way and by our own clock. */
const ROUND_MS = 5_000;
const ROUND_SLACK_MS = 1_000;

/** A measured length, taken for a configured one: 50,000 for 49,400. Evidence shows what was measured. */
export function timerMs(ms: number): number {
  const round = Math.round(ms / ROUND_MS) * ROUND_MS;
  return Math.abs(ms - round) <= ROUND_SLACK_MS ? round : ms;
}

/** Long ones in seconds as well, since that is how they are configured: `40 min (2400 s)`. */
export function timerSpan(ms: number): string {
  const timer = timerMs(ms);
  return timer < 599_500 ? span(timer) : `${span(timer)} (${Math.round(timer / 1000)} s)`;
}

/** `247 s (about 4 min)`: long silences are remembered in minutes. */
export function longSpan(ms: number): string {
  return ms >= 110_000 && ms < 600_000 ? `${span(ms)} (about ${Math.round(ms / 60_000)} min)` : span(ms);
}

/** Whole milliseconds, as facts have them. */
export function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}

export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '');
}
