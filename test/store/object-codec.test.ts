import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectCodec } from '../../src/store/object-codec.ts';
import { SerialisedObject } from '../../src/store/serialised-object.ts';
import { DecodeError, withResourceVersion } from '../../src/store/stored-state.ts';
import { pod } from '../support/lab.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('ObjectCodec', () => {
  it('gives what was written and what comes back from the watch as one state', () => {
    const codec = new ObjectCodec();
    const value = codec.encode(pod('a'));
    const kv = { value, modRevision: 7 };
    expect(codec.decode(kv)).toBe(codec.decode(kv));
    expect(codec.decode(kv, 9)).not.toBe(codec.decode(kv));
    expect(codec.decode(kv).rv).toBe(7);
  });

  it('remembers a bounded number of writes; older ones are parsed', () => {
    const codec = new ObjectCodec();
    const first = { value: codec.encode(pod('a')), modRevision: 1 };
    const state = codec.decode(first);
    for (let i = 0; i < 1_024; i += 1) codec.encode(pod(`p${i}`));
    expect(codec.decode(first)).not.toBe(state);
    expect(codec.decode(first).object).toEqual(state.object);
  });

  it('puts the resourceVersion into the bytes where a second serialisation would', () => {
    const meta = fc.record(
      {
        name: fc.string({ minLength: 1 }),
        generateName: fc.string(),
        namespace: fc.string(),
        uid: fc.string(),
        resourceVersion: fc.string(),
        generation: fc.nat(),
        labels: fc.dictionary(fc.string(), fc.string()),
        annotations: fc.dictionary(fc.string(), fc.string()),
        odd: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const object = fc.record(
      { kind: fc.string(), apiVersion: fc.string(), metadata: meta, spec: fc.jsonValue(), status: fc.jsonValue() },
      { requiredKeys: ['metadata'] },
    );
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 2 ** 50 }), (given, rv) => {
        const codec = new ObjectCodec();
        const value = codec.encode(given);
        const fresh = new ObjectCodec(new Map()).decode({ value, modRevision: rv });
        expect(JSON.parse(text(value)).metadata).not.toHaveProperty('resourceVersion');
        expect(JSON.parse(text(fresh.json))).toEqual(JSON.parse(JSON.stringify(fresh.object)));
        expect(fresh.object.metadata.resourceVersion).toBe(String(rv));
        expect(text(codec.decode({ value, modRevision: rv }).json)).toBe(text(fresh.json));
        const keys = Object.keys(JSON.parse(text(fresh.json)).metadata);
        expect(keys).toEqual(
          Object.keys(fresh.object.metadata).filter((one) => fresh.object.metadata[one] !== undefined),
        );
      }),
    );
  });

  it('shows the same content under another RV', () => {
    const codec = new ObjectCodec();
    const state = codec.decode({ value: codec.encode(pod('a', { note: 'last' })), modRevision: 5 });
    const deleted = withResourceVersion(state, 9);
    expect(deleted.object).toMatchObject({ metadata: { resourceVersion: '9' }, status: { note: 'last' } });
    expect(text(deleted.json)).toBe(text(state.json).replace('"resourceVersion":"5"', '"resourceVersion":"9"'));
    expect(withResourceVersion(state, 5)).toBe(state);
    const foreign = new SerialisedObject(state.object, 5);
    expect(text(withResourceVersion(foreign, 9).json)).toBe(text(deleted.json));
  });

  it.each(['', 'garbage', '[]', 'null', '"x"', '{}', '{"metadata":[]}', '{"metadata":null}'])('refuses %j', (bytes) => {
    expect(() => new ObjectCodec().decode({ value: Buffer.from(bytes), modRevision: 1 })).toThrow(DecodeError);
  });

  it('keeps a member called __proto__ a member', () => {
    const value = Buffer.from('{"metadata":{"name":"a","__proto__":{"x":1}},"__proto__":{"y":2}}');
    const { object, json } = new ObjectCodec().decode({ value, modRevision: 1 });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(text(json)).toBe('{"metadata":{"name":"a","resourceVersion":"1","__proto__":{"x":1}},"__proto__":{"y":2}}');
  });
});
