import { ApiError } from '../protocol/api-error.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  tooLongField,
  unsupportedList,
  unsupportedValue,
} from '../protocol/field-error.ts';
import { firstValue, type Query } from '../protocol/query.ts';
import { invalid } from '../protocol/status.ts';

/** What a write does about fields that the type does not have; nothing said: a `Warning` header for each. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  /** Answer as if, and write nothing. */
  dryRun: boolean;
  fieldValidation: FieldValidation;
}

/** Longest fieldManager, bytes (apimachinery v1/validation FieldManagerMaxLength). */
const MANAGER_MAX_BYTES = 128;
const VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];
/** Go's unicode.IsPrint. */
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Options of a POST, PUT or PATCH (apimachinery meta/v1/validation). Throws 422 with all that is wrong. */
export function writeOptions(kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions', query: Query): WriteOptions {
  const fieldValidation = firstValue(query, 'fieldValidation') ?? '';
  const dryRun = query.get('dryRun') ?? [];
  const forced = kind === 'PatchOptions' && query.has('force');
  const errors = [
    ...(forced ? [forbiddenField('force', 'may not be specified for non-apply patch')] : []),
    ...managerErrors(firstValue(query, 'fieldManager') ?? ''),
    ...dryRunErrors(dryRun),
    ...(VALIDATIONS.includes(fieldValidation)
      ? []
      : [unsupportedValue('fieldValidation', fieldValidation, VALIDATIONS)]),
  ];
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return { dryRun: dryRun.length > 0, fieldValidation: (fieldValidation || 'Warn') as FieldValidation };
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [unsupportedList('dryRun', values, ['All'])];
}

/** 422 of a request's options. */
export const invalidOptions = (kind: string, errors: readonly FieldError[]) =>
  new ApiError(invalid({ group: 'meta.k8s.io', kind }, '', errors));

function managerErrors(manager: string): FieldError[] {
  const strange = [...manager.matchAll(NOT_PRINTABLE)].map(({ 0: character, index }) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    const at = Buffer.byteLength(manager.slice(0, index));
    return invalidValue('fieldManager', manager, `invalid character U+${code} (at position ${at})`);
  });
  const tooLong = Buffer.byteLength(manager) > MANAGER_MAX_BYTES;
  return [...(tooLong ? [tooLongField('fieldManager', MANAGER_MAX_BYTES)] : []), ...strange];
}
