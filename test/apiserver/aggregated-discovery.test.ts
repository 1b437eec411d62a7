import { describe, expect, it } from 'vitest';
import { aggregatedDiscovery } from '../../src/apiserver/aggregated-discovery.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';

const clause = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const CLIENT_GO = `${clause('v2')},${clause('v2beta1')},application/json`;

describe('aggregatedDiscovery', () => {
  it.each([
    [CLIENT_GO, 'v2'],
    [`${clause('v2beta1')},application/json`, 'v2beta1'],
    [`${clause('v3')},${clause('v2')}`, 'v2'],
  ])('answers %j as %s', (accept, version) => {
    const { contentType, document } = aggregatedDiscovery('apis', accept, RESOURCES) ?? {};
    expect(contentType).toBe(clause(version));
    expect(document).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}` });
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    `application/json,${CLIENT_GO}`,
    clause('v3'),
    'application/json;as=Table',
  ])('leaves %j to the legacy form', (accept) => {
    expect(aggregatedDiscovery('api', accept, RESOURCES)).toBeUndefined();
  });

  it('tells types with their subresources, and their own group version of no kind', () => {
    const { document } = aggregatedDiscovery('apis', CLIENT_GO, RESOURCES) as { document: { items: object[] } };
    expect(document.items).toContainEqual({
      metadata: { name: 'apps', creationTimestamp: null },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'deployments',
              responseKind: { group: '', version: '', kind: 'Deployment' },
              scope: 'Namespaced',
              singularResource: 'deployment',
              verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
              shortNames: ['deploy'],
              categories: ['all'],
              subresources: [
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                  verbs: ['get', 'patch', 'update'],
                },
                {
                  subresource: 'status',
                  responseKind: { group: '', version: '', kind: 'Deployment' },
                  verbs: ['get', 'patch', 'update'],
                },
              ],
            },
          ],
        },
      ],
    });
    const core = aggregatedDiscovery('api', CLIENT_GO, RESOURCES) as { document: { items: object[] } };
    expect(core.document.items).toMatchObject([
      { metadata: { creationTimestamp: null }, versions: [{ version: 'v1' }] },
    ]);
  });
});
