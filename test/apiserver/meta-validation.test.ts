import { describe, expect, it } from 'vitest';
import { changedMetaErrors, kubeFinalizerErrors, newMetaErrors } from '../../src/apiserver/meta-validation.ts';
import type { ObjectMeta } from '../../src/protocol/object.ts';

const texts = (errors: ReturnType<typeof newMetaErrors>) => errors.map(({ field, message }) => `${field}: ${message}`);
const SUBDOMAIN = /a lowercase RFC 1123 subdomain must consist of/;
const owner = { apiVersion: 'v1', kind: 'X', name: 'x', uid: '1' };

describe('newMetaErrors', () => {
  it.each<[ObjectMeta, (string | RegExp)[]]>([
    [{ name: 'a', labels: { 'example.com/a': 'B.c_d' }, annotations: { 'Example.com/A': '!' } }, []],
    [{}, ['metadata.name: Required value: name or generateName is required']],
    [{ name: 'A' }, [SUBDOMAIN]],
    [{ name: `${'a'.repeat(253)}_` }, ['must be no more than 253 characters', SUBDOMAIN]],
    [{ name: 'a-x1', generateName: 'a-' }, []],
    [{ name: 'A-x1', generateName: 'A-' }, [/^metadata\.generateName: /, /^metadata\.name: /]],
    [{ name: 'a', generation: -1 }, ['metadata.generation: Invalid value: -1: must be greater than or equal to 0']],
    [{ name: 'a', labels: { 'a b': 'c d' } }, [/"a b": name part must consist of/, /"c d": a valid label must be/]],
    [{ name: 'a', annotations: { 'a b': 'x' } }, [/^metadata\.annotations: Invalid value: "a b": name part/]],
    [
      { name: 'a', annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: must have at most 262144 bytes'],
    ],
    [{ name: 'a', finalizers: ['a b/c'] }, [/^metadata\.finalizers: Invalid value: "a b\/c": prefix part/]],
    [
      { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
      [/\[\]string\{"orphan", "foregroundDeletion"\}: finalizer orphan and foregroundDeletion cannot be both set/],
    ],
    [{ name: 'a', ownerReferences: [owner] }, []],
    [
      { name: 'a', ownerReferences: [{}] },
      [/apiVersion: .*version must not/, /kind: .*kind must not/, /name: .*name must not/, /uid: .*uid must not/],
    ],
    [{ name: 'a', ownerReferences: [{ ...owner, kind: 'Event' }] }, [/Kind=Event is disallowed from being an owner/]],
    [
      { name: 'a', ownerReferences: [1, 2].map((one) => ({ ...owner, name: `x${one}`, controller: true })) },
      [/Only one reference can have Controller set to true. Found "true" in references for X\/x1 and X\/x2/],
    ],
  ])('of %j', (meta, expected) => {
    expect(texts(newMetaErrors(meta, 'subdomain'))).toEqual(
      expected.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : expect.stringContaining(one))),
    );
  });

  it.each([
    ['segment', 'A_b', []],
    ['segment', '..', ["may not be '..'"]],
    ['segment', 'a/b%', ["may not contain '/'", "may not contain '%'"]],
    ['label', 'a.b', ['a lowercase RFC 1123 label must consist of']],
    ['service', '1a', ['a DNS-1035 label must consist of']],
  ] as const)('asks of a %s %j', (rule, name, expected) => {
    expect(texts(newMetaErrors({ name }, rule))).toEqual(expected.map((one) => expect.stringContaining(one)));
  });
});

describe('changedMetaErrors', () => {
  const old: ObjectMeta = { name: 'a', namespace: 'n', uid: 'u', finalizers: ['example.com/f'] };

  it.each<[ObjectMeta, string[]]>([
    [{}, []],
    [{ uid: 'v' }, ['metadata.uid: Invalid value: "v": field is immutable']],
    [
      { deletionTimestamp: '2020-01-01T00:00:00Z' },
      ['metadata.deletionTimestamp: Invalid value: 2020-01-01 00:00:00 +0000 UTC: field is immutable'],
    ],
    [{ deletionGracePeriodSeconds: 3 }, ['metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable']],
  ])('of %j', (change, expected) => {
    expect(texts(changedMetaErrors({ ...old, ...change }, old))).toEqual(expected);
  });

  it('lets nobody add finalizers to what is being deleted', () => {
    const deleted = { ...old, deletionTimestamp: '2020-01-01T00:00:00Z' };
    expect(texts(changedMetaErrors({ ...deleted, finalizers: ['example.com/f', 'b/c'] }, deleted))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b/c"}',
    ]);
  });
});

describe('kubeFinalizerErrors', () => {
  it('wants a name that says whose it is', () => {
    expect(texts(kubeFinalizerErrors({ finalizers: ['kubernetes', 'example.com/f', 'f'] }))).toEqual([
      'metadata.finalizers[2]: Invalid value: "f": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});
