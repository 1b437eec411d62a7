import { goQuote } from './go-strconv.ts';

/** One complaint about one field (apimachinery `field.Error`), as it stands in `details.causes` of a 422. */
export interface FieldError {
  reason:
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueTooLong'
    | 'FieldValueDuplicate';
  message: string;
  field: string;
}

export function forbiddenField(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

export function unsupportedValue(field: string, value: string, supported: readonly string[]): FieldError {
  return unsupported(field, goQuote(value), supported);
}

/** The same of a list of texts as a whole. */
export function unsupportedList(field: string, values: readonly string[], supported: readonly string[]): FieldError {
  return unsupported(field, goStrings(values), supported);
}

function unsupported(field: string, shown: string, supported: readonly string[]): FieldError {
  const list = supported.map(goQuote).join(', ');
  return { reason: 'FieldValueNotSupported', message: `Unsupported value: ${shown}: supported values: ${list}`, field };
}

/** A list of texts in Go's `%#v`. */
export function goStrings(values: readonly string[]): string {
  return `[]string{${values.map(goQuote).join(', ')}}`;
}

export function invalidValue(field: string, value: string, why: string): FieldError {
  return invalidShown(field, goQuote(value), why);
}

/** The same of a value that is no text, `shown` as Go prints it. */
export function invalidShown(field: string, shown: string, why: string): FieldError {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${why}`, field };
}

/** `most`: bytes. */
export function tooLongField(field: string, most: number): FieldError {
  return { reason: 'FieldValueTooLong', message: `Too long: must have at most ${most} bytes`, field };
}

export function requiredField(field: string, why = ''): FieldError {
  return { reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}`, field };
}

/** All complaints as one text, each one once: `a`, or `[a, b]` (apimachinery `ErrorList.ToAggregate`). */
export function joinFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
