import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, PatchError } from '../../src/apiserver/json-patch.ts';
import { mergePatch } from '../../src/apiserver/merge-patch.ts';
import { strategicMergePatch } from '../../src/apiserver/strategic-merge-patch.ts';

describe('mergePatch', () => {
  // The examples of RFC 7386, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, expected) => {
    const before = structuredClone(target);
    expect(mergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });

  it('never touches a prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(JSON.stringify(mergePatch({}, patch))).toBe(JSON.stringify(patch));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('applied twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});

describe('applyJsonPatch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/b' }], { a: 1 }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
    [{ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    [{ a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '/b' }], { a: { x: 1 }, b: { x: 1 } }],
    [{ 'a/b': { '~': 1 } }, [{ op: 'replace', path: '/a~1b/~0', value: 2 }], { 'a/b': { '~': 2 } }],
    [
      { a: 1 },
      [
        { op: 'test', path: '/a', value: 1 },
        { op: 'replace', path: '', value: { b: 1 } },
      ],
      { b: 1 },
    ],
  ])('%j with %j is %j', (target, patch, expected) => {
    expect(applyJsonPatch(structuredClone(target), patch)).toEqual(expected);
  });

  it.each([
    [{}],
    ['x'],
    [[1]],
    [[{ op: 'nope', path: '/a' }]],
    [[{ op: 'add', path: 'a', value: 1 }]],
    [[{ op: 'add', path: '/x/y', value: 1 }]],
    [[{ op: 'add', path: '/list/3', value: 1 }]],
    [[{ op: 'add', path: '/list/01', value: 1 }]],
    [[{ op: 'remove', path: '/x' }]],
    [[{ op: 'remove', path: '/list/2' }]],
    [[{ op: 'replace', path: '/x', value: 1 }]],
    [[{ op: 'test', path: '/a', value: 2 }]],
    [[{ op: 'remove', path: '/toString' }]],
    [Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }))],
  ])('refuses %j', (patch) => {
    expect(() => applyJsonPatch({ a: 1, list: [1, 2] }, patch)).toThrow(PatchError);
  });
});

describe('strategicMergePatch', () => {
  const pod = {
    spec: {
      containers: [
        { name: 'a', image: '1', env: [{ name: 'E', value: '1' }] },
        { name: 'b', image: '2' },
      ],
    },
  };

  it.each([
    [
      'merges containers by name',
      { spec: { containers: [{ name: 'b', image: '3' }] } },
      {
        spec: {
          containers: [
            { name: 'a', image: '1', env: [{ name: 'E', value: '1' }] },
            { name: 'b', image: '3' },
          ],
        },
      },
    ],
    [
      'adds what is new',
      { spec: { containers: [{ name: 'c' }] } },
      { spec: { containers: [...pod.spec.containers, { name: 'c' }] } },
    ],
    [
      'merges deeper lists',
      { spec: { containers: [{ name: 'a', env: [{ name: 'F', value: '2' }] }] } },
      {
        spec: {
          containers: [
            {
              name: 'a',
              image: '1',
              env: [
                { name: 'E', value: '1' },
                { name: 'F', value: '2' },
              ],
            },
            { name: 'b', image: '2' },
          ],
        },
      },
    ],
    [
      'deletes an element',
      { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
      { spec: { containers: [{ name: 'b', image: '2' }] } },
    ],
    [
      'replaces a list',
      { spec: { containers: [{ name: 'z' }, { $patch: 'replace' }] } },
      { spec: { containers: [{ name: 'z' }] } },
    ],
    ['replaces an object', { spec: { $patch: 'replace', x: 1 } }, { spec: { x: 1 } }],
    ['deletes an object', { spec: { $patch: 'delete' } }, {}],
    ['ignores the order of elements', { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } }, pod],
    ['keeps only what it is told to', { spec: { $retainKeys: ['x'], x: 1 } }, { spec: { x: 1 } }],
    ['removes with null', { spec: null }, {}],
  ])('%s', (_, patch, expected) => {
    expect(strategicMergePatch(pod, patch)).toEqual(expected);
  });

  it('unites finalizers and takes single ones away', () => {
    const object = { metadata: { finalizers: ['a', 'b'] } };
    expect(strategicMergePatch(object, { metadata: { finalizers: ['b', 'c'] } })).toEqual({
      metadata: { finalizers: ['a', 'b', 'c'] },
    });
    expect(strategicMergePatch(object, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } })).toEqual({
      metadata: { finalizers: ['b'] },
    });
  });

  it('replaces lists that have no key', () => {
    expect(strategicMergePatch({ args: [1, 2] }, { args: [3] })).toEqual({ args: [3] });
  });
});
