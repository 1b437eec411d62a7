import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goStruct } from '../../src/apiserver/go-types.ts';
import { applyJsonPatch, decodeJsonPatch, PatchError } from '../../src/apiserver/json-patch.ts';
import { mergePatch } from '../../src/apiserver/merge-patch.ts';
import { StrategicPatchError, strategicMergePatch } from '../../src/apiserver/strategic-merge-patch.ts';

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

const patched = (target: unknown, patch: unknown) =>
  applyJsonPatch(structuredClone(target), decodeJsonPatch(Buffer.from(JSON.stringify(patch))));

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
    // The liberties of upstream's library.
    [{ a: 1 }, [{ op: 'replace', path: '/x', value: 2 }], { a: 1, x: 2 }],
    [{ a: 1 }, [{ op: 'copy', from: '/x', path: '/y' }], { a: 1, y: null }],
    [{ a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
    [{ a: 1 }, [{ op: 'test', path: '/x', value: null }], { a: 1 }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { a: 1 }],
    [{ a: 1 }, null, { a: 1 }],
  ])('%j with %j is %j', (target, patch, expected) => {
    expect(patched(target, patch)).toEqual(expected);
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
    [[{ op: 'replace', path: '/x/y', value: 1 }]],
    [[{ op: 'replace', path: '/list/2', value: 1 }]],
    [[{ op: 'test', path: '/a', value: 2 }]],
    [[{ op: 'test', path: '/x/y', value: null }]],
    [[{ op: 'move', from: '/x', path: '/y' }]],
    [[{ op: 'add', path: '', value: {} }]],
    [[{ path: '/a' }]],
    [[null]],
    [[{ op: 1, path: '/a' }]],
    [[{ op: 'remove', path: '/toString' }]],
  ])('refuses %j', (patch) => {
    expect(() => patched({ a: 1, list: [1, 2] }, patch)).toThrow(PatchError);
  });

  it('refuses more operations than upstream takes', () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(() => patched({ a: 1 }, patch)).toThrow('maximum operations in a JSON patch is 10000, got 10001');
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
      { spec: { containers: [{ name: 'c' }, ...pod.spec.containers] } },
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
                { name: 'F', value: '2' },
                { name: 'E', value: '1' },
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
    ['empties an object', { spec: { $patch: 'delete' } }, { spec: {} }],
    [
      'puts elements into the order that it is told',
      { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      { spec: { containers: [...pod.spec.containers].reverse() } },
    ],
    [
      'puts what it brings where it is told, and leaves the others where they were',
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }],
          containers: [{ name: 'c' }, { name: 'b', image: '3' }],
        },
      },
      { spec: { containers: [{ name: 'c' }, pod.spec.containers[0], { name: 'b', image: '3' }] } },
    ],
    [
      'leaves out of what is new what it sets to null',
      { metadata: { a: null, b: '1' } },
      { ...pod, metadata: { b: '1' } },
    ],
    ['keeps only what it is told to', { spec: { $retainKeys: ['x'], x: 1 } }, { spec: { x: 1 } }],
    ['removes with null', { spec: null }, {}],
  ])('%s', (_, patch, expected) => {
    expect(strategicMergePatch(pod, patch, goStruct('Pod'))).toEqual(expected);
  });

  it('unites finalizers, its own before those that were there, and takes single ones away', () => {
    const object = { metadata: { finalizers: ['a', 'b'] } };
    const apply = (metadata: object) => strategicMergePatch(object, { metadata }, goStruct('Pod'));
    expect(apply({ finalizers: ['b', 'c'] })).toEqual({ metadata: { finalizers: ['a', 'b', 'c'] } });
    expect(apply({ finalizers: ['c'] })).toEqual({ metadata: { finalizers: ['c', 'a', 'b'] } });
    expect(apply({ '$deleteFromPrimitiveList/finalizers': ['a'] })).toEqual({ metadata: { finalizers: ['b'] } });
  });

  it('replaces lists that have no key, and what no type says anything of', () => {
    const any = goStruct('Pod');
    expect(strategicMergePatch({ spec: { containers: [{ name: 'a', args: [1, 2] }] } }, ARGS, any)).toEqual(ARGS);
    expect(strategicMergePatch({ x: { list: [1] } }, { x: { list: [2] } }, any)).toEqual({ x: { list: [2] } });
  });

  it.each([
    [{ spec: { containers: [{ image: '1' }] } }, 'map: map[image:1] does not contain declared merge key: name'],
    [{ metadata: { $patch: 'nope' } }, 'unknown patch type: nope'],
    [
      { metadata: { '$setElementOrder/finalizers': ['q'], finalizers: ['r'] } },
      "The order in patch list:\n[r]\n doesn't match $setElementOrder list:\n[q]\n",
    ],
  ])('refuses %j', (patch, message) => {
    const object = { metadata: { finalizers: ['q'] }, spec: { containers: [{ name: 'a' }] } };
    expect(() => strategicMergePatch(object, patch, goStruct('Pod'))).toThrow(new StrategicPatchError(message, false));
  });
});

const ARGS = { spec: { containers: [{ name: 'a', args: [3] }] } };
