import { describe, expect, it } from 'vitest';
import { openApiDocument, openApiV2 } from '../../src/apiserver/openapi.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';

describe('openApiDocument', () => {
  const document = openApiDocument('api/v1', RESOURCES) as {
    components: { schemas: Record<string, { properties: Record<string, unknown>; [field: string]: unknown }> };
  };
  const { schemas } = document.components;

  it('has a schema for every type, by which kubectl finds it', () => {
    const kinds = Object.values(schemas).flatMap((one) => one['x-kubernetes-group-version-kind'] ?? []);
    expect(kinds).toContainEqual({ group: '', version: 'v1', kind: 'Pod' });
    expect(kinds).toHaveLength(RESOURCES.filter((one) => one.group === '' && one.verbs.includes('patch')).length);
    expect(Object.keys(schemas['io.k8s.api.core.v1.ConfigMap']?.properties ?? {})).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'immutable',
      'data',
      'binaryData',
    ]);
  });

  it('refers to nothing that is not there', () => {
    const references = JSON.stringify(schemas).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const missing = [...references].map(([, name]) => name as string).filter((name) => !Object.hasOwn(schemas, name));
    expect(missing).toEqual([]);
  });

  it('is there for no group version that is not served', () => {
    expect(openApiDocument('apis/batch/v1', RESOURCES)).toBeUndefined();
  });
});

describe('openApiV2', () => {
  it('is an empty document in the form that is asked for', () => {
    const asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect(openApiV2(asked)).toEqual({
      contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      body: '',
    });
    expect(JSON.parse(openApiV2(undefined).body)).toMatchObject({ swagger: '2.0', definitions: {} });
  });
});
