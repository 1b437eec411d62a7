import { invalidValue } from '../protocol/field-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { firstValue, type Query } from '../protocol/query.ts';
import type { Column } from './columns.ts';
import { badRequest } from './refusals.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** `includeObject` of a request for a Table. Throws 400. */
export function includeObjectOf(query: Query): IncludeObject {
  const wanted = firstValue(query, 'includeObject') ?? '';
  if (wanted === '' || wanted === 'Metadata') return 'Metadata';
  if (wanted === 'None' || wanted === 'Object') return wanted;
  const { field, message } = invalidValue('includeObject', wanted, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${field}: ${message}`);
}

export interface TableForm {
  columns: readonly Column[];
  includeObject: IncludeObject;
  version: 'v1' | 'v1beta1';
  /** False in a stream after its first event: the client knows the columns by then (facts/server §5.1). */
  withColumns: boolean;
  /** ms of the server's clock, for ages. */
  now: number;
}

/** A meta.k8s.io Table of objects; `metadata` is the list's, or the one object's resourceVersion. */
export function tableOf(objects: readonly KubeObject[], metadata: object, form: TableForm): object {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.version}`,
    metadata,
    columnDefinitions: form.withColumns ? form.columns.map(definition) : null,
    rows: objects.map((object) => ({
      cells: form.columns.map((column) => column.cell(object, form.now)),
      object: rowObject(object, form),
    })),
  };
}

function definition({ name, type, format, priority }: Column): object {
  return { name, type, format, description: '', priority };
}

function rowObject(object: KubeObject, { includeObject, version }: TableForm): object | null {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partialMetadata(object, version);
}

/** What is left of an object under PartialObjectMetadata. */
export function partialMetadata(object: KubeObject, version: TableForm['version']): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
