import { describe, expect, it } from 'vitest';
import { typed } from '../../src/apiserver/object-decoding.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import { LAB_RESOURCES, labObject } from '../../src/scenario/lab-object.ts';

describe('labObject', () => {
  // Otherwise a first `kubectl label` would change more than the label: the spec of a pod, which is refused.
  it.each(LAB_RESOURCES)('%s: is what the apiserver would make of it, defaults included', (name) => {
    const resource = RESOURCES.find(({ name: one, group }) => one === name && group === '');
    const object = labObject(name, { name: 'web-00', namespace: 'default', uid: 'u-1', at: 0 });
    const { object: read, unknown } = typed(structuredClone(object), resource!);
    expect(unknown).toEqual([]);
    expect(read.spec).toEqual(object.spec);
    expect(Object.keys(object.spec ?? {})).toEqual(Object.keys(read.spec ?? {}));
  });
});
