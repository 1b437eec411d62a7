import { ApiError } from '../protocol/api-error.ts';
import { type FieldError, invalidValue, unsupportedValue } from '../protocol/field-error.ts';
import { parseInt64 } from '../protocol/go-strconv.ts';
import { queryFlag } from '../protocol/list-options.ts';
import { firstValue, type Query } from '../protocol/query.ts';
import { invalid } from '../protocol/status.ts';
import { isEmpty } from './meta-fields.ts';
import { decodeJsonObject } from './object-decoding.ts';
import { badRequest } from './refusals.ts';
import { isObject } from './strategy.ts';

/** metav1.DeleteOptions, as far as this server reads them. */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: PropagationPolicy;
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
  dryRun?: boolean;
  /** The old form of the policy, kept because it decides between 200 and 202. */
  orphanDependents?: boolean;
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';
const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** DeleteOptions of a request: from its body, or where it has none from the query. Throws 400 or 422. */
export function parseDeleteOptions(body: Buffer, query: Query): DeleteOptions {
  return body.length > 0 ? fromBody(body) : fromQuery(query);
}

/** Is this request only to be tried? Throws 422 on any value but `All`. */
export function isDryRun(values: readonly string[]): boolean {
  const wrong = values.find((value) => value !== 'All' && value !== '');
  if (wrong === undefined) return values.includes('All');
  throw invalidOption(unsupportedValue('dryRun', wrong, ['All']));
}

function fromBody(body: Buffer): DeleteOptions {
  const given = decodeJsonObject(body, 'DeleteOptions');
  const { kind, gracePeriodSeconds: grace, propagationPolicy: policy, preconditions, dryRun, orphanDependents } = given;
  if (!isEmpty(kind) && kind !== 'DeleteOptions')
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  if (!isEmpty(grace) && !Number.isSafeInteger(grace)) throw badRequest('gracePeriodSeconds must be an integer');
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return checked({
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(isEmpty(policy) ? {} : { propagationPolicy: policyNamed(String(policy)) }),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
    dryRun: isDryRun(Array.isArray(dryRun) ? dryRun.map(String) : []),
  });
}

function fromQuery(query: Query): DeleteOptions {
  const grace = firstValue(query, 'gracePeriodSeconds');
  const policy = firstValue(query, 'propagationPolicy');
  const orphan = queryFlag(query, 'orphanDependents');
  return checked({
    ...(grace === undefined ? {} : { gracePeriodSeconds: seconds(grace) }),
    ...(policy === undefined || policy === '' ? {} : { propagationPolicy: policyNamed(policy) }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    dryRun: isDryRun(query.get('dryRun') ?? []),
  });
}

function checked(options: DeleteOptions): DeleteOptions {
  const { orphanDependents, propagationPolicy, gracePeriodSeconds } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOption(invalidValue('propagationPolicy', propagationPolicy, text));
  }
  if (orphanDependents !== undefined) options.propagationPolicy = orphanDependents ? 'Orphan' : 'Background';
  // Negative values count as one second (rest.BeforeDelete).
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds < 0) options.gracePeriodSeconds = 1;
  return options;
}

function policyNamed(text: string): PropagationPolicy {
  if (POLICIES.includes(text)) return text as PropagationPolicy;
  throw invalidOption(unsupportedValue('propagationPolicy', text, [...POLICIES, 'nil']));
}

function seconds(text: string): number {
  const parsed = parseInt64(text);
  if (!parsed.ok) throw badRequest(parsed.message);
  return Number(parsed.value);
}

const invalidOption = (error: FieldError) =>
  new ApiError(invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error]));
