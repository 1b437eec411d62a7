import { type GoField, type GoType, goStruct, isGoStruct } from './go-types.ts';
import { goPackage, type Resource } from './resource.ts';

type Struct = GoType & { kind: 'struct' };

/**
 * `components.schemas` of an OpenAPI document: the fields of the given types and of all that they are made of, without a
 * word of description. It is what `kubectl explain` walks along.
 */
export function openApiSchemas(resources: readonly Resource[]): Record<string, object> {
  const schemas: Record<string, object> = {};
  const open: [string, Struct, object][] = resources
    .filter(({ kind }) => isGoStruct(kind))
    .map((one) => [`io.k8s.api.${goPackage(one)}.v1.${one.kind}`, goStruct(one.kind), kindOf(one)]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, type, more] = next;
    if (Object.hasOwn(schemas, name)) continue;
    schemas[name] = {
      type: 'object',
      properties: propertiesOf(type, 'x-kubernetes-group-version-kind' in more),
      ...more,
    };
    for (const part of structsIn(type)) open.push([schemaName(part), part, {}]);
  }
  return schemas;
}

const kindOf = ({ group, version, kind }: Resource) => ({
  'x-kubernetes-group-version-kind': [{ group, version, kind }],
});

const schemaName = ({ name }: Struct) => `io.k8s.api.core.${name}`;

function structsIn({ fields }: Struct): Struct[] {
  return [...fields.values()].flatMap(({ type }) => {
    const innermost = type.kind === 'list' || type.kind === 'map' ? type.element : type;
    return innermost.kind === 'struct' ? [innermost] : [];
  });
}

function propertiesOf({ fields }: Struct, isKind: boolean): Record<string, object> {
  const own = [...fields.values()].map(({ name, type }: GoField) => [name, schemaOf(type)]);
  const typeMeta = isKind ? { apiVersion: { type: 'string' }, kind: { type: 'string' } } : {};
  return { ...typeMeta, ...Object.fromEntries(own) };
}

function schemaOf(type: GoType): object {
  switch (type.kind) {
    case 'struct':
      return { allOf: [{ $ref: `#/components/schemas/${schemaName(type)}` }] };
    case 'list':
      return { type: 'array', items: schemaOf(type.element) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.element) };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type.kind };
    case 'any':
      return { type: 'object' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' };
    case 'intOrString':
      return { type: 'string', format: 'int-or-string' };
    default:
      return { type: 'string' };
  }
}
