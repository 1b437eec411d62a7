import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goJson } from '../../src/protocol/go-json.ts';
import type { KubeObject } from '../../src/protocol/object.ts';
import { writeObject } from '../../src/store/object-writer.ts';
import { splicePoint } from '../../src/store/splice-point.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** Text with what Go escapes, and with what takes more than a byte. */
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('<', '&', 'é', '\u2028', '"', '\\', '😀', 'x') }),
);
const value = fc.oneof(fc.jsonValue(), anyText, fc.dictionary(anyText, anyText), fc.constant(undefined));
const anyObject = fc.record({
  kind: fc.string(),
  metadata: fc.dictionary(fc.oneof(anyText, fc.constantFrom('name', 'labels', '__proto__')), value),
  spec: value,
  status: value,
}) as unknown as fc.Arbitrary<KubeObject>;

describe('writeObject', () => {
  it('writes what goJson does, also of parts that it copies', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (first, other) => {
        const before = writeObject(first, undefined);
        expect(text(before.value)).toBe(goJson(first));
        const metadata = { ...first.metadata, annotations: { change: 'é<' } };
        const next = { ...first, metadata, status: other.spec } as KubeObject;
        const after = writeObject(next, before);
        expect(text(after.value)).toBe(goJson(next));
        expect(text(writeObject({ ...next, kind: 'ü' }, after).value)).toBe(goJson({ ...next, kind: 'ü' }));
        expect(text(before.value)).toBe(goJson(first));
      }),
    );
  });

  it('writes an object that is larger than its block, with and without parts of another', () => {
    const large = { metadata: { name: 'a' }, data: { x: 'é'.repeat(600_000) } };
    const before = writeObject(large, undefined);
    expect(text(before.value)).toBe(goJson(large));
    const small = writeObject({ metadata: { name: 'a' }, data: { x: 'y'.repeat(100_000) } }, undefined);
    expect(text(writeObject({ ...large, more: 1 }, small).value)).toBe(goJson({ ...large, more: 1 }));
  });
});

describe('splicePoint', () => {
  it.each([
    ['{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"c","labels":{}}}', ',"labels"'],
    ['{"metadata":{"name":"a\\"}\\\\","x":1}}', ',"x"'],
    ['{"metadata":{"name":"a"},"spec":{}}', '},"spec"'],
    ['{"kind":"Pod","metadata":{"generateName":"a-","generation":2}}', ',"generation"'],
  ])('of %s stands before %s', (json, rest) => {
    expect(json.slice(splicePoint(Buffer.from(json)))).toMatch(new RegExp(`^${rest.replace(/[{}]/g, '\\$&')}`));
  });

  it.each([
    '',
    '{',
    '{}',
    '[]',
    '{"metadata":{}}',
    '{"metadata":{"labels":{}}}',
    '{"metadata":{"name":"a',
    '{"kind":"a"}',
    '{"metadata":{"name":1}}',
  ])('of %s is not known', (json) => {
    expect(splicePoint(Buffer.from(json))).toBeUndefined();
  });
});
