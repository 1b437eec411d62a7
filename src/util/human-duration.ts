const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * An age as kubectl prints it (`45s`, `3m20s`, `2d5h`; apimachinery util/duration.HumanDuration): the larger it is, the
 * fewer units are shown. `ms` may be up to 2 s negative (clocks differ), beyond that it is `<invalid>`.
 */
export function humanDuration(ms: number): string {
  if (Number.isNaN(ms) || ms <= -2 * SECOND) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * MINUTE) return `${whole(ms, SECOND)}s`;
  if (ms < 10 * MINUTE) return two(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${whole(ms, MINUTE)}m`;
  if (ms < 8 * HOUR) return two(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${whole(ms, HOUR)}h`;
  if (ms < 8 * DAY) return two(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${whole(ms, DAY)}d`;
  if (ms < 8 * YEAR) return two(ms, YEAR, 'y', DAY, 'd');
  return `${whole(ms, YEAR)}y`;
}

const whole = (ms: number, unit: number) => Math.floor(ms / unit);

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = whole(ms % large, small);
  return `${whole(ms, large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
