import { isDeepStrictEqual } from 'node:util';
import { type FieldError, forbiddenField, invalidValue, requiredField, tooLongField } from '../protocol/field-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { changedMetaErrors, kubeFinalizerErrors, newMetaErrors } from './meta-validation.ts';
import type { Resource } from './resource.ts';
import { isObject } from './strategy.ts';

/** Bytes of all data together (core MaxSecretSize, and of a ConfigMap). */
const DATA_MAX_BYTES = 1024 * 1024;
/** Longest key, bytes (apimachinery util/validation DNS1123SubdomainMaxLength). */
const KEY_MAX_BYTES = 253;

/**
 * What is wrong with a new object. The type's own checks come first and end it; what every type is asked for is told only
 * where they found nothing (registry/rest BeforeCreate).
 */
export function creationErrors({ strategy, nameRule }: Resource, object: KubeObject): FieldError[] {
  const own = nameRule === 'segment' ? [] : typeMetaErrors(object, nameRule);
  const errors = [...own, ...(strategy.validate?.(object) ?? [])];
  return errors.length > 0 ? errors : newMetaErrors(object.metadata, 'segment');
}

/** What is wrong with a change. All checks are told together, so that most of metadata is told more than once (BeforeUpdate). */
export function updateErrors(resource: Resource, object: KubeObject, old: KubeObject): FieldError[] {
  const { strategy, nameRule, metaChecks } = resource;
  const checks = {
    create: () => typeMetaErrors(object, nameRule),
    update: () => [...changedMetaErrors(object.metadata, old.metadata), ...kubeFinalizerErrors(object.metadata)],
  };
  return [
    ...newMetaErrors(object.metadata, 'segment'),
    ...changedMetaErrors(object.metadata, old.metadata),
    ...metaChecks.flatMap((check) => checks[check]()),
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateUpdate?.(object, old) ?? []),
  ];
}

function typeMetaErrors({ metadata }: KubeObject, rule: Resource['nameRule']): FieldError[] {
  return [...newMetaErrors(metadata, rule), ...kubeFinalizerErrors(metadata)];
}

/** Keys and size of a ConfigMap's or Secret's data (core/validation ValidateConfigMap, ValidateSecret). */
export function dataErrors({ data, binaryData }: KubeObject): FieldError[] {
  const texts = isObject(data) ? data : {};
  const binaries = isObject(binaryData) ? binaryData : {};
  const errors = Object.keys(texts).flatMap((key) => [
    ...keyErrors(`data[${key}]`, key),
    ...(Object.hasOwn(binaries, key)
      ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
      : []),
  ]);
  errors.push(...Object.keys(binaries).flatMap((key) => keyErrors(`binaryData[${key}]`, key)));
  const size = [...Object.values(texts), ...Object.values(binaries)].reduce<number>(
    (sum, one) => sum + bytesOf(one),
    0,
  );
  return size > DATA_MAX_BYTES ? [...errors, tooLongField('[]', DATA_MAX_BYTES)] : errors;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(String(value));

const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** apimachinery util/validation IsConfigMapKey. */
function keyErrors(field: string, key: string): FieldError[] {
  const why: string[] = [];
  if (key.length > KEY_MAX_BYTES) why.push(`must be no more than ${KEY_MAX_BYTES} characters`);
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) why.push(KEY_TEXT);
  if (key === '.' || key === '..') why.push(`must not be '${key}'`);
  else if (key.startsWith('..')) why.push("must not start with '..'");
  return why.map((one) => invalidValue(field, key, one));
}

/** Once `immutable` is set, it stays, and data with it. */
export function immutableErrors(object: KubeObject, old: KubeObject): FieldError[] {
  if (old.immutable !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const changed = (['immutable', 'data', 'binaryData'] as const).filter(
    (field) => !isDeepStrictEqual(object[field], old[field]),
  );
  return changed.map((field) => forbiddenField(field, why));
}

/** An event is about an object of its own namespace; without one, about one of none (core/validation legacyValidateEvent). */
export function involvedObjectErrors({ metadata, involvedObject }: KubeObject): FieldError[] {
  const about = isObject(involvedObject) ? String(involvedObject.namespace ?? '') : '';
  const fits = about === '' ? (metadata.namespace ?? 'default') === 'default' : about === metadata.namespace;
  return fits ? [] : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')];
}

/** Keys that a Secret of a type cannot do without (core/validation ValidateSecret). */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
};

export function secretErrors(secret: KubeObject): FieldError[] {
  const data = isObject(secret.data) ? secret.data : {};
  const missing = (SECRET_KEYS[String(secret.type)] ?? []).filter((key) => !Object.hasOwn(data, key));
  return [...dataErrors(secret), ...missing.map((key) => requiredField(`data[${key}]`))];
}
