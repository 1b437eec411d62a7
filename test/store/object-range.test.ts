import { describe, expect, it } from 'vitest';
import { objectRange } from '../../src/store/object-range.ts';
import { predicate } from '../support/lab.ts';

const PODS = { resourcePrefix: '/registry/pods', namespaced: true };
const NODES = { resourcePrefix: '/registry/nodes', namespaced: false };

const range = (key: string, fields: string, { continued = false, resource = PODS } = {}) => {
  const { key: found, recursive } = objectRange(key, predicate({ fields }), resource, continued);
  return [found, recursive];
};

describe('objectRange', () => {
  it.each([
    ['/registry/pods/ns/', '', ['/registry/pods/ns/', true]],
    ['/registry/pods/ns/', 'metadata.name=a', ['/registry/pods/ns/a', false]],
    ['/registry/pods/ns/', 'metadata.name!=a', ['/registry/pods/ns/', true]],
    ['/registry/pods/ns/', 'metadata.name=a/b', ['/registry/pods/ns/', true]],
    ['/registry/pods/ns/', 'metadata.namespace=other', ['/registry/pods/ns/', true]],
    ['/registry/pods/', 'metadata.name=a', ['/registry/pods/', true]],
    ['/registry/pods/', 'metadata.namespace=ns', ['/registry/pods/ns/', true]],
    ['/registry/pods/', 'metadata.namespace=ns,metadata.name=a', ['/registry/pods/ns/a', false]],
    ['/registry/pods/', 'metadata.namespace=N_S', ['/registry/pods/', true]],
  ])('of %s with %j is %j', (key, fields, expected) => {
    expect(range(key, fields)).toEqual(expected);
  });

  it('of a type without namespaces is a key for a name', () => {
    expect(range('/registry/nodes/', 'metadata.name=n', { resource: NODES })).toEqual(['/registry/nodes/n', false]);
  });

  it('of a list that goes on is the collection, whatever is selected', () => {
    const fields = 'metadata.namespace=ns,metadata.name=a';
    expect(range('/registry/pods/', fields, { continued: true })).toEqual(['/registry/pods/', true]);
  });
});
