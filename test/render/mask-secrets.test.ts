import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK, maskSecrets, maskText } from '../../src/render/mask-secrets.ts';

const VALUE = 'c2VjcmV0LXZhbHVl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const secret = {
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name: 'db',
    annotations: { [LAST_APPLIED]: JSON.stringify({ kind: 'Secret', data: { password: VALUE } }), note: 'kept' },
  },
  data: { password: VALUE },
  stringData: { token: VALUE },
  type: 'Opaque',
};

describe('maskSecrets', () => {
  it('masks the values of a Secret, its keys stay', () => {
    expect(maskSecrets(secret)).toEqual({
      ...secret,
      metadata: { name: 'db', annotations: { [LAST_APPLIED]: MASK, note: 'kept' } },
      data: { password: MASK },
      stringData: { token: MASK },
    });
  });

  it('finds it wherever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('items', 'object', 'rows', 'list'), { maxLength: 6 }), (path) => {
        const wrapped = path.reduce<unknown>((inner, key) => (key === 'list' ? [inner] : { [key]: inner }), secret);
        expect(JSON.stringify(maskSecrets(wrapped))).not.toContain(VALUE);
      }),
    );
  });

  it('masks what is a Secret by its resource only', () => {
    const partial = {
      kind: 'PartialObjectMetadata',
      metadata: { annotations: { [LAST_APPLIED]: `{"data":{"p":"${VALUE}"}}` } },
    };
    expect(JSON.stringify(maskSecrets(partial, true))).not.toContain(VALUE);
    expect(JSON.stringify(maskSecrets({ kind: 'Odd', data: VALUE }, true))).not.toContain(VALUE);
  });

  it('leaves other kinds alone, their last applied configuration too', () => {
    const configMap = {
      kind: 'ConfigMap',
      data: { a: 'b' },
      metadata: { annotations: { [LAST_APPLIED]: '{"kind":"ConfigMap"}' } },
    };
    expect(maskSecrets(configMap)).toEqual(configMap);
  });

  it('is bounded in depth: what lies too deep is masked whole', () => {
    let deep: unknown = secret;
    for (let i = 0; i < 200; i++) deep = { object: deep };
    expect(JSON.stringify(maskSecrets(deep))).not.toContain(VALUE);
  });
});

describe('maskText', () => {
  it('hides half a frame of a Secret, and shows any other', () => {
    expect(maskText(`{"type":"ADDED","object":{"kind":"Secret","data":{"p":"${VALUE}`)).toBe(
      `${MASK} (71 characters of a Secret)`,
    );
    expect(maskText(`"data":{"p":"${VALUE}`, true)).not.toContain(VALUE);
    expect(maskText('<html>502</html>')).toBe('<html>502</html>');
  });
});
