import { goQuote } from './go-strconv.ts';

/** RFC 3339 as Go's time.Parse goes through it: what has to come next, and how a complaint names that. */
const STEPS: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}(?:\.\d+)?/, '05'],
  [/^(?:Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
];

/** metav1.MicroTime asks for six digits of a second, no more and no less. */
const MICRO_STEPS = STEPS.map((step): (typeof STEPS)[number] => (step[1] === '05' ? [/^\d{2}/, '05'] : step));
MICRO_STEPS.splice(-1, 0, [/^\.\d{6}(?!\d)/, '.000000']);

/** Go's complaint about a text that is no RFC 3339 time, or no MicroTime; undefined: it is one. */
export function goTimeError(text: string, micro: boolean): string | undefined {
  const layout = `2006-01-02T15:04:05${micro ? '.000000' : ''}Z07:00`;
  const begin = `parsing time ${goQuote(text)}`;
  let rest = text;
  for (const [form, name] of micro ? MICRO_STEPS : STEPS) {
    const found = form.exec(rest)?.[0];
    if (found === undefined) return `${begin} as "${layout}": cannot parse ${goQuote(rest)} as "${name}"`;
    rest = rest.slice(found.length);
  }
  if (rest !== '') return `${begin}: extra text: ${goQuote(rest)}`;
  return Number.isNaN(Date.parse(text)) ? `${begin}: day out of range` : undefined;
}

/** A time as metav1.Time writes it: UTC, whole seconds; with `micro` as metav1.MicroTime: six digits of a second. */
export function goTime(text: string, micro: boolean): string {
  const seconds = new Date(Date.parse(text)).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
  if (!micro) return `${seconds}Z`;
  const digits = /\.(\d{1,6})/.exec(text)?.[1] ?? '';
  return `${seconds}.${digits.padEnd(6, '0')}Z`;
}
