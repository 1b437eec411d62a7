import { goQuote } from './go-strconv.ts';

/** One complaint about one field (apimachinery `field.Error`), as it stands in `details.causes` of a 422. */
export interface FieldError {
  reason: 'FieldValueForbidden' | 'FieldValueNotSupported' | 'FieldValueInvalid' | 'FieldValueRequired';
  message: string;
  field: string;
}

export function forbiddenField(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

export function unsupportedValue(field: string, value: string, supported: readonly string[]): FieldError {
  const list = supported.map(goQuote).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${goQuote(value)}: supported values: ${list}`,
    field,
  };
}

export function invalidValue(field: string, value: string, why: string): FieldError {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${goQuote(value)}: ${why}`, field };
}

export function requiredField(field: string, why = ''): FieldError {
  return { reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}`, field };
}

/** All complaints as one text, each one once: `a`, or `[a, b]` (apimachinery `ErrorList.ToAggregate`). */
export function joinFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
