import { openApiSchemas } from './openapi-schemas.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/**
 * OpenAPI v3, cut down to what kubectl 1.30 to 1.33 looks for before it creates something: for each kind a PATCH operation
 * with the parameter `fieldValidation`, which tells it that the server validates (facts/client §2.3), and its fields.
 */
export function openApiIndex(resources: readonly Resource[]): object {
  const documents = [...new Set(resources.map(apiVersionOf))];
  return {
    paths: Object.fromEntries(
      documents.map((version) => [rootOf(version), { serverRelativeURL: `/openapi/v3/${rootOf(version)}?hash=1` }]),
    ),
  };
}

/** The document of one group version; `path` as in the index: `api/v1`, `apis/apps/v1`. Undefined: there is none. */
export function openApiDocument(path: string, resources: readonly Resource[]): object | undefined {
  const served = resources.filter((one) => rootOf(apiVersionOf(one)) === path && one.verbs.includes('patch'));
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.30.3' },
    paths: Object.fromEntries(served.map((one) => [objectPath(path, one), { patch: patchOperation(one) }])),
    components: { schemas: openApiSchemas(served) },
  };
}

const rootOf = (version: string) => (version.includes('/') ? `apis/${version}` : `api/${version}`);

const objectPath = (root: string, { name, namespaced }: Resource) =>
  `/${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${name}/{name}`;

function patchOperation({ group, version, kind }: Resource): object {
  return {
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

/** Media type of OpenAPI v2 as protobuf, the only form in which clients ask for it (kube-openapi handler). */
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * OpenAPI v2, empty. kubectl up to 1.28 wants one before it applies something, and checks nothing of a type that it does not
 * find in there. An empty message of protobuf has no bytes.
 */
export function openApiV2(accept: string | undefined): { contentType: string; body: string } {
  if (/proto-openapi\.spec\.v2/.test(accept ?? '')) return { contentType: V2_PROTOBUF, body: '' };
  const document = { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.30.3' }, paths: {}, definitions: {} };
  return { contentType: 'application/json', body: JSON.stringify(document) };
}
