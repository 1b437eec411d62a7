/**
 * How times are written. `at` is ms since the epoch, possibly with a fraction (a scaled clock). Times of day are UTC,
 * as the stamps inside the objects and in the cluster's logs are, so that lines of the two can be laid side by side.
 */

const DAY_MS = 86_400_000;

/** The last second that was written: a burst of events falls into a few of them. */
let written = { second: Number.NaN, date: '', time: '' };

/** RFC 3339 with milliseconds, UTC: `2026-11-30T12:09:40.902Z` (contract §1). */
export function rfc3339(at: number): string {
  const ms = Math.floor(at);
  const { date, time } = secondOf(ms);
  return `${date}T${time}.${three(mod(ms, 1000))}Z`;
}

/** `12:09:40.902`, UTC. */
export function timeOfDay(at: number): string {
  const ms = Math.floor(at);
  return `${secondOf(ms).time}.${three(mod(ms, 1000))}`;
}

function secondOf(ms: number): { date: string; time: string } {
  const second = Math.floor(ms / 1000);
  if (second !== written.second) {
    const { year, month, day } = civilDate(Math.floor(ms / DAY_MS));
    const ofDay = mod(second, DAY_MS / 1000);
    written = {
      second,
      date: `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`,
      time: `${two(Math.floor(ofDay / 3600))}:${two(Math.floor(ofDay / 60) % 60)}:${two(ofDay % 60)}`,
    };
  }
  return written;
}

/** Time since a start: `0:03.5`, or with `digits` 3 `0:03.512`; minutes go on counting (`75:00.0`). */
export function sinceStart(ms: number, digits: 1 | 3 = 1): string {
  const whole = Math.max(0, Math.floor(ms));
  const fraction = digits === 1 ? String(Math.floor((whole % 1000) / 100)) : three(whole % 1000);
  const seconds = Math.floor(whole / 1000);
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}.${fraction}`;
}

/** A distance to the row before, in at most 6 characters: `+2ms` `+0.4s` `+14.3s` `+4m39s` `+12m` `+3h`. */
export function delta(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 100) return `+${whole}ms`;
  if (whole < 99_950) return `+${(whole / 1000).toFixed(1)}s`;
  const seconds = Math.round(whole / 1000);
  if (seconds < 600) return `+${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  if (seconds < 6000) return `+${Math.floor(seconds / 60)}m`;
  return seconds < 360_000 ? `+${Math.floor(seconds / 3600)}h` : `+${Math.floor(seconds / 86_400)}d`;
}

/** An age or a duration for people, by whole seconds: `9 s`, `4 m 39 s`, `3 h 05 m`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 200) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} m`;
}

/** How long ago, for people: `now` within a second, else as `age`. */
export function ago(ms: number): string {
  return ms < 1000 ? 'now' : age(ms);
}

/** A measured duration: below 10 s with a tenth (`0.3 s`, `2.5 s`), else as `age`. */
export function duration(ms: number): string {
  return ms < 9950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : age(ms + 500);
}

/**
 * Days since 1970-01-01 to a Gregorian date, by eras of 400 years (which have 146,097 days) that begin on the 1st of
 * March.
 */
function civilDate(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function three(value: number): string {
  return String(value).padStart(3, '0');
}
