import type { Status } from './status.ts';

/** Longest wait that is honoured, seconds: a hostile value must not put a watch to sleep for ever. */
const MAX_RETRY_AFTER_S = 3600;

/**
 * How long an answer asks to be left alone, ms, or undefined. The header comes first, as an apiserver only mirrors the Status in
 * it (facts/server §5.5); an ERROR event has nothing but its Status. Whole seconds are what an apiserver writes; proxies may write a
 * date, which is counted from the answer's own `Date`, since only that is of the same clock.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  status?: Pick<Status, 'details'>,
): number | undefined {
  const asked = headerMs(headers) ?? statusMs(status);
  return asked === undefined ? undefined : Math.min(Math.max(0, asked), MAX_RETRY_AFTER_S * 1000);
}

function headerMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const wait = httpDate(text) - httpDate(headers.date ?? '');
  return Number.isNaN(wait) ? undefined : wait;
}

function statusMs(status: Pick<Status, 'details'> | undefined): number | undefined {
  const seconds = status?.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** An IMF-fixdate (RFC 9110 §5.6.7: the form that is written today) in ms since the epoch, or NaN. */
function httpDate(text: string): number {
  return /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(text.trim()) ? Date.parse(text) : Number.NaN;
}
