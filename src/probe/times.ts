/** How times are written in answers and budgets. */

/** What was measured: `0.3 s`, `61 s`, `4 m 5 s`. */
export function measured(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  return seconds(Math.round(ms / 1000));
}

/** A time in whole seconds that is not longer than `ms`. */
export function down(ms: number): string {
  return seconds(Math.floor(ms / 1000));
}

/** One that is not shorter. */
export function up(ms: number): string {
  return seconds(Math.ceil(ms / 1000));
}

function seconds(all: number): string {
  if (all < 120) return `${all} s`;
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const parts = [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} m` : '', rest > 0 ? `${rest} s` : ''];
  return parts.filter((part) => part !== '').join(' ');
}
