import {
  type FieldError,
  forbiddenField,
  goStrings,
  invalidShown,
  invalidValue,
  requiredField,
  tooLongField,
} from '../protocol/field-error.ts';
import { goQuote } from '../protocol/go-strconv.ts';
import { labelKeyErrors, labelValueErrors } from '../protocol/label-validation.ts';
import type { ObjectMeta } from '../protocol/object.ts';
import { type NameRule, nameErrors } from './object-names.ts';
import { isObject } from './strategy.ts';

/** Bytes of all annotations together (apimachinery api/validation TotalAnnotationSizeLimitB). */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** What is wrong with a new object's metadata (apimachinery api/validation ValidateObjectMetaAccessor), in its order. */
export function newMetaErrors(meta: ObjectMeta, rule: NameRule): FieldError[] {
  const { name, generateName, generation = 0 } = meta;
  return [
    ...(generateName ? nameErrors(rule, generateName, 'metadata.generateName') : []),
    ...(name ? nameErrors(rule, name) : [requiredField('metadata.name', 'name or generateName is required')]),
    ...(generation < 0
      ? [invalidShown('metadata.generation', String(generation), 'must be greater than or equal to 0')]
      : []),
    ...mapErrors(meta),
    ...finalizerErrors(meta.finalizers ?? []),
  ];
}

/** What an update may not do to metadata (ValidateObjectMetaAccessorUpdate), in its order. */
export function changedMetaErrors(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors = old.deletionTimestamp === undefined ? [] : newFinalizerErrors(meta, old);
  for (const field of IMMUTABLE) {
    if (meta[field] === old[field]) continue;
    errors.push(invalidShown(`metadata.${field}`, shown(meta[field], field), 'field is immutable'));
  }
  return [...errors, ...mapErrors(meta)];
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Only core's own types ask this of finalizers (core/validation validateKubeFinalizerName). */
export function kubeFinalizerErrors({ finalizers = [] }: ObjectMeta): FieldError[] {
  return finalizers.flatMap((name, index) => {
    if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidValue(`metadata.finalizers[${index}]`, name, why)];
  });
}

/** A value as Go's field.Error prints it. */
function shown(value: unknown, field: (typeof IMMUTABLE)[number]): string {
  if (field.endsWith('Timestamp') && typeof value === 'string') {
    return value.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' +0000 UTC');
  }
  if (value === undefined || value === null) return field.startsWith('deletion') ? 'null' : '""';
  return JSON.stringify(value);
}

function mapErrors({ labels = {}, annotations = {}, ownerReferences }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...labelKeyErrors(key).map((why) => invalidValue('metadata.labels', key, why)));
    errors.push(...labelValueErrors(value).map((why) => invalidValue('metadata.labels', value, why)));
  }
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // The same rule, but case does not matter.
    errors.push(...labelKeyErrors(key.toLowerCase()).map((why) => invalidValue('metadata.annotations', key, why)));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATIONS_MAX_BYTES) errors.push(tooLongField('metadata.annotations', ANNOTATIONS_MAX_BYTES));
  return [...errors, ...ownerErrors(ownerReferences)];
}

function ownerErrors(owners: unknown): FieldError[] {
  if (!Array.isArray(owners)) return [];
  const field = 'metadata.ownerReferences';
  const references = owners.filter(isObject);
  const errors = references.flatMap((owner) =>
    [['apiVersion', 'version'] as const, ...(['kind', 'name', 'uid'] as const).map((one) => [one, one] as const)]
      .filter(([key]) => !owner[key])
      .map(([key, what]) => invalidValue(`${field}.${key}`, '', `${what} must not be empty`)),
  );
  for (const { apiVersion, kind, name, uid } of references) {
    if (apiVersion !== 'v1' || kind !== 'Event') continue;
    const owner = `v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:${goQuote(String(name))}, UID:${goQuote(String(uid))}, Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}`;
    errors.push(invalidShown(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  const [first, second] = references.filter((owner) => owner.controller === true);
  if (first !== undefined && second !== undefined) {
    const names = [first, second].map(({ kind, name }) => `${String(kind)}/${String(name)}`).join(' and ');
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
    errors.push(invalidShown(field, JSON.stringify(owners), why));
  }
  return errors;
}

function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((name) => labelKeyErrors(name).map((why) => invalidValue(field, name, why)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidShown(field, goStrings(finalizers), why));
  }
  return errors;
}

function newFinalizerErrors(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const added = (meta.finalizers ?? []).filter((one) => !old.finalizers?.includes(one));
  if (added.length === 0) return [];
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(added)}`;
  return [forbiddenField('metadata.finalizers', why)];
}
