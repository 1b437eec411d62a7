import { describe, expect, it } from 'vitest';
import { collectionPath, resolveResource } from '../../src/client/resource-name.ts';

describe('resolveResource', () => {
  it.each([
    ['pods', '/api/v1/namespaces/shop/pods'],
    ['po', '/api/v1/namespaces/shop/pods'],
    ['Pod', '/api/v1/namespaces/shop/pods'],
    ['svc', '/api/v1/namespaces/shop/services'],
    ['no', '/api/v1/nodes'],
    ['ns', '/api/v1/namespaces'],
    ['deploy', '/apis/apps/v1/namespaces/shop/deployments'],
    ['deployments.apps', '/apis/apps/v1/namespaces/shop/deployments'],
    ['leases', '/apis/coordination.k8s.io/v1/namespaces/shop/leases'],
    ['crd', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
    ['prioritylevelconfigurations', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'],
    ['clusterrolebindings', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
    ['csistoragecapacities', '/apis/storage.k8s.io/v1/namespaces/shop/csistoragecapacities'],
    ['widgets.v1beta1.stable.example.io', '/apis/stable.example.io/v1beta1/namespaces/shop/widgets'],
  ])('%s is %s', (name, path) => {
    expect(collectionPath(resolveResource(name), 'shop')).toBe(path);
  });

  it('leaves the namespace out for all namespaces', () => {
    expect(collectionPath(resolveResource('pods'), undefined)).toBe('/api/v1/pods');
  });

  it.each([
    ['pdos', 'did you mean pods?'],
    ['deplyments', 'did you mean deployments?'],
  ])('refuses %s and suggests', (name, hint) => {
    expect(() => resolveResource(name)).toThrow(hint);
  });

  it('refuses what resembles nothing without a suggestion, in one bounded line', () => {
    const name = `${'z'.repeat(5000)}\n`;
    expect(() => resolveResource(name)).toThrow(/^no resource type "z{80}": a type that is not built in/);
  });
});
