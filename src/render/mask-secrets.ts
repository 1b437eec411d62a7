import { SECRET_KIND } from '../client/secret-text.ts';

/** What stands in the place of a value that must not be shown. */
export const MASK = '[masked]';

/** kubectl keeps the whole object, Secret data included, in this annotation. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * How deep a List, Table or wrapped object is looked into. An apiserver nests three levels; what lies deeper is masked
 * whole.
 */
const MAX_DEPTH = 64;

/**
 * A copy of `value` in which the `data` and `stringData` of every Secret is masked (keys stay: they say what is there),
 * wherever in it the Secret is, and kubectl's copy in the annotation too. `secret` says that it is one although its
 * kind does not (`PartialObjectMetadata` of a Secret, a Table row). Other values are shared with the original.
 */
export function maskSecrets(value: unknown, secret = false, depth = 0): unknown {
  if (depth > MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((each) => maskSecrets(each, secret, depth + 1));
  if (!isRecord(value)) return value;
  const isSecret = secret || value.kind === 'Secret' || value.kind === 'SecretList';
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, maskField(key, inner, isSecret, depth)] as const),
  );
}

function maskField(key: string, inner: unknown, secret: boolean, depth: number): unknown {
  if (secret && (key === 'data' || key === 'stringData')) return maskValues(inner);
  if (key === LAST_APPLIED && (secret || typeof inner !== 'string' || SECRET_KIND.test(inner))) return MASK;
  return maskSecrets(inner, secret, depth + 1);
}

function maskValues(inner: unknown): unknown {
  return isRecord(inner) ? Object.fromEntries(Object.keys(inner).map((key) => [key, MASK])) : MASK;
}

/**
 * Text that is no whole JSON value (half a frame, a body that was cut): it cannot be masked field by field, so that of
 * a Secret is not shown at all.
 */
export function maskText(text: string, secret = false): string {
  return secret || SECRET_KIND.test(text) ? `${MASK} (${text.length} characters of a Secret)` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
