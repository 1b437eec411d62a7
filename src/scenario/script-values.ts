import * as v from 'valibot';
import { labelKeyErrors, labelValueErrors } from '../protocol/label-validation.ts';
import { parseGoDuration } from '../util/go-duration.ts';
import { UNSEEN } from './script-fault.ts';
import { MAX_SIZE, MAX_TEXT, MAX_TIME_MS } from './script-limits.ts';

/** The values that a script is made of. Each schema's message says what is expected, in words that follow "expected". */

const DURATION = 'a duration from 0s to 24h, as 2s or 500ms';

/** `2s`: ms. */
export const duration = v.pipe(
  v.string(DURATION),
  v.transform((text) => parseGoDuration(text) ?? Number.NaN),
  v.number(DURATION),
  v.minValue(0, DURATION),
  v.maxValue(MAX_TIME_MS, DURATION),
);

export const whole = (least: number, most: number) => {
  const message = `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
};

const SIZE = `bytes up to ${MAX_SIZE / 1024}KiB, as 12KiB or 500`;

/** Bytes, as a number or with KiB behind it. */
export const size = v.pipe(
  v.union([v.number(SIZE), v.pipe(v.string(SIZE), v.transform(bytesOf))], SIZE),
  v.integer(SIZE),
  v.minValue(0, SIZE),
  v.maxValue(MAX_SIZE, SIZE),
);

function bytesOf(text: string): number {
  const found = /^(\d{1,9})(KiB|MiB)?$/.exec(text);
  if (!found) return Number.NaN;
  return Number(found[1]) * (found[2] === 'MiB' ? 1024 * 1024 : found[2] === 'KiB' ? 1024 : 1);
}

const RV = 'a resourceVersion: a whole number';

/** A resourceVersion; numbers without quotes are welcome as long as they are exact. */
const revision = v.union(
  [
    v.pipe(
      v.number(RV),
      v.check((value) => Number.isSafeInteger(value) && value >= 0, RV),
      v.transform(String),
    ),
    v.pipe(v.string(RV), v.regex(/^\d{1,20}$/, RV)),
  ],
  RV,
);

export { revision as resourceVersion };

const START = 'list, now, unset, or a resourceVersion';
export const startingPoint = v.union([v.picklist(['list', 'now', 'unset'], START), revision], START);

const NAME = 'a name of letters, digits, - and _, at most 20';
export const actorName = v.pipe(v.string(NAME), v.regex(/^[A-Za-z][A-Za-z0-9_-]{0,19}$/, NAME));

const OBJECT = 'the name of an object: small letters, digits, - and .';
export const objectName = v.pipe(v.string(OBJECT), v.regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, OBJECT));

export const sentence = v.pipe(
  v.string('text'),
  v.check((text) => text.search(UNSEEN) < 0, 'text without control and invisible characters'),
  v.minLength(1, 'text that is not empty'),
  v.maxLength(MAX_TEXT, `text of at most ${MAX_TEXT} characters`),
);

const YES = 'true';
export const yes = v.literal(true, YES);

const LABELS = 'labels as Kubernetes takes them: a map of keys to texts of at most 63 letters, digits, -, _ and .';
export const labels = v.pipe(
  v.record(
    v.string(LABELS),
    v.pipe(
      v.string(LABELS),
      v.check((text) => labelValueErrors(text).length === 0, LABELS),
    ),
    LABELS,
  ),
  v.check((map) => Object.keys(map).every((key) => labelKeyErrors(key).length === 0), LABELS),
  v.check((map) => Object.keys(map).length <= 10, 'at most 10 labels'),
);

export function oneOf<const T extends readonly string[]>(words: T) {
  return v.picklist(words, `one of ${words.join(', ')}`);
}
