import type { KubeObject } from '../protocol/object.ts';
import type { Column } from './columns.ts';
import { goStruct } from './go-types.ts';
import type { NameRule } from './object-names.ts';
import type { Strategy } from './strategy.ts';
import { readTyped } from './typed-value.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A field that `fieldSelector` may name: where its value stands in the object, or how it is found. */
export type SelectableField = string | ((object: KubeObject) => string);

/** One row of the table of resources: all that the apiserver knows of a type. */
export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  /** Empty for core. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** Storage keys are PREFIX/NAMESPACE/NAME, or PREFIX/NAME. Undefined: nothing is stored. */
  readonly prefix: string | undefined;
  /** False: no watch cache, as kube-apiserver runs events (facts/server §4). */
  readonly cached: boolean;
  /** Selectable fields beside metadata.name and metadata.namespace, by label. */
  readonly fields: Readonly<Record<string, SelectableField>>;
  /** Types without field labels of their own refuse an unknown one in other words (facts/server §1.4). */
  readonly ownFieldLabels: boolean;
  /** The field whose exact match finds its watchers by an index (facts/server §3.7). */
  readonly trigger: string | undefined;
  readonly nameRule: NameRule;
  /** How often, and with which of its functions, the type itself looks at metadata on an update (BeforeUpdate does once). */
  readonly metaChecks: readonly ('create' | 'update')[];
  readonly strategy: Strategy;
  readonly subresources: readonly string[];
  readonly columns: readonly Column[];
  /** `Warning` header of every answer, where the type is deprecated. */
  readonly warning: string | undefined;
}

/** `pods`, `deployments.apps`: how metrics labels and some messages name a type (schema.GroupResource.String). */
export function groupResource(resource: Pick<Resource, 'name' | 'group'>): string {
  return resource.group === '' ? resource.name : `${resource.name}.${resource.group}`;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The Go package of a type's internal form, which some messages print: the group's first label. */
export function goPackage({ group }: Pick<Resource, 'group'>): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}

/** Storage key of an object, or with `name` undefined the prefix of a collection, ending in a slash. */
export function storageKey(resource: Resource, namespace: string | undefined, name?: string): string {
  const collection = namespace === undefined ? `${resource.prefix}/` : `${resource.prefix}/${namespace}/`;
  return name === undefined ? collection : collection + name;
}

/** Selectable fields of an object, metadata.name and metadata.namespace first. */
export function selectableFields(resource: Resource, object: KubeObject): Record<string, string> {
  const found: Record<string, string> = { 'metadata.name': object.metadata.name ?? '' };
  if (resource.namespaced) found['metadata.namespace'] = object.metadata.namespace ?? '';
  for (const label of Object.keys(resource.fields)) found[label] = selectableField(resource, object, label);
  return found;
}

/** One of those that only this type has. */
export function selectableField(resource: Resource, object: KubeObject, label: string): string {
  const where = resource.fields[label];
  if (where === undefined) return '';
  return typeof where === 'function' ? where(object) : valueAt(object, where);
}

function valueAt(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[step];
  }
  return value === undefined || value === null ? '' : String(value);
}

/** The type's zero value as Go encodes it, without a resourceVersion: the template of bookmarks (facts/server §3.11). */
export function zeroObject(resource: Resource): KubeObject {
  // The internal form of what can be scaled has a number where v1 has a pointer, and the number comes through.
  const zero = resource.subresources.includes('scale') ? { spec: { replicas: 0 } } : {};
  return {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    ...readTyped(goStruct(resource.kind), zero, []).value,
  } as KubeObject;
}
