import { type FieldError, invalidValue, unsupportedValue } from '../protocol/field-error.ts';
import { parseInt64 } from '../protocol/go-strconv.ts';
import { queryFlag } from '../protocol/list-options.ts';
import { firstValue, type Query } from '../protocol/query.ts';
import { goStruct } from './go-types.ts';
import { isEmpty } from './meta-fields.ts';
import { DecodingError, jsonObject } from './object-decoding.ts';
import { badRequest, unrecognised } from './refusals.ts';
import { dryRunErrors, invalidOptions } from './request-options.ts';
import type { JsonObject } from './strategy.ts';
import { readTyped } from './typed-value.ts';

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

/** The options as they came, of the right types and otherwise unchecked. */
interface Given {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: string[];
  orphanDependents?: boolean;
}

/**
 * DeleteOptions of a request: from its body, or where it has none from the query. Throws 422 on what they may not be, and on
 * what cannot be read 400, or in a body 500: nobody upstream interprets the decoder's error (handlers/delete.go).
 */
export function parseDeleteOptions(body: Buffer, query: Query): DeleteOptions {
  const given = body.length > 0 ? fromBody(body) : fromQuery(query);
  const errors = optionErrors(given);
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  const { propagationPolicy: policy, dryRun = [], ...rest } = given;
  const options: DeleteOptions = { ...rest, dryRun: dryRun.length > 0 };
  if (policy !== undefined) options.propagationPolicy = policy as PropagationPolicy;
  const { orphanDependents, gracePeriodSeconds } = given;
  if (orphanDependents !== undefined) options.propagationPolicy = orphanDependents ? 'Orphan' : 'Background';
  // Negative values count as one second (rest.BeforeDelete).
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds < 0) options.gracePeriodSeconds = 1;
  return options;
}

function fromBody(body: Buffer): Given {
  const { kind, apiVersion, ...rest } = readBody(body);
  if (!isEmpty(kind) && kind !== 'DeleteOptions') {
    const version = isEmpty(apiVersion) ? 'meta.k8s.io/v1' : String(apiVersion);
    throw unrecognised(
      `no kind "${String(kind)}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:100"`,
    );
  }
  const { value, error } = readTyped(goStruct('DeleteOptions'), rest, []);
  if (error !== undefined) throw unrecognised(error);
  return value;
}

function readBody(body: Buffer): JsonObject {
  try {
    return jsonObject(body);
  } catch (error) {
    throw error instanceof DecodingError ? unrecognised(error.message) : error;
  }
}

function fromQuery(query: Query): Given {
  const grace = firstValue(query, 'gracePeriodSeconds');
  const policy = firstValue(query, 'propagationPolicy');
  const orphan = queryFlag(query, 'orphanDependents');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: seconds(grace) }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    dryRun: [...(query.get('dryRun') ?? [])],
  };
}

/** apimachinery meta/v1/validation ValidateDeleteOptions. */
function optionErrors({ orphanDependents, propagationPolicy: policy, dryRun = [] }: Given): FieldError[] {
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && policy !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', policy, text));
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(unsupportedValue('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return [...errors, ...dryRunErrors(dryRun)];
}

function seconds(text: string): number {
  const parsed = parseInt64(text);
  if (!parsed.ok) throw badRequest(parsed.message);
  return Number(parsed.value);
}
