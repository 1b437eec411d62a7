import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goJson } from '../../src/protocol/go-json.ts';
import type { KubeObject } from '../../src/protocol/object.ts';
import { internalError, tooOldResourceVersion } from '../../src/protocol/status.ts';
import {
  bookmarkObject,
  encodeBookmark,
  encodeError,
  encodeObject,
  encodeWatchEvent,
} from '../../src/protocol/watch-encoder.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const zero = (kind: string, rest: object = {}): KubeObject => ({
  kind,
  apiVersion: 'v1',
  metadata: { creationTimestamp: null },
  ...rest,
});
const pod = zero('Pod', { spec: { containers: null }, status: {} });

// Frames of a real v1.30.3.
describe('frames byte by byte', () => {
  it.each<[string, Uint8Array, string]>([
    [
      'pod bookmark',
      encodeBookmark(pod, 1824),
      '{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1824","creationTimestamp":null},"spec":{"containers":null},"status":{}}}\n',
    ],
    [
      'configmap bookmark',
      encodeBookmark(zero('ConfigMap'), 5),
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","creationTimestamp":null}}}\n',
    ],
    [
      'end of the initial events',
      encodeBookmark(zero('ConfigMap'), 365, true),
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"365","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
    ],
    [
      '410',
      encodeError(tooOldResourceVersion(298, 309)),
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 298 (309)","reason":"Expired","code":410}}\n',
    ],
    [
      '500 of etcd',
      encodeError(
        internalError('etcd event received with PrevKv=nil (key="/registry/events/ns-a/a", modRevision=930, type=PUT)'),
      ),
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: etcd event received with PrevKv=nil (key=\\"/registry/events/ns-a/a\\", modRevision=930, type=PUT)","reason":"InternalError","details":{"causes":[{"message":"etcd event received with PrevKv=nil (key=\\"/registry/events/ns-a/a\\", modRevision=930, type=PUT)"}]},"code":500}}\n',
    ],
    ['added', encodeWatchEvent('ADDED', Buffer.from('{"a":1}')), '{"type":"ADDED","object":{"a":1}}\n'],
    ['modified', encodeWatchEvent('MODIFIED', Buffer.from('{}')), '{"type":"MODIFIED","object":{}}\n'],
    ['deleted', encodeWatchEvent('DELETED', Buffer.from('{ }')), '{"type":"DELETED","object":{ }}\n'],
  ])('%s', (_name, bytes, expected) => {
    expect(text(bytes)).toBe(expected);
  });

  it('a bookmark leaves its template alone', () => {
    const before = structuredClone(pod);
    const object = bookmarkObject(pod, 7, true);
    expect(object.metadata.resourceVersion).toBe('7');
    expect(pod).toEqual(before);
  });
});

describe('goJson', () => {
  it('escapes what Go escapes', () => {
    expect(goJson({ '<k>': 'a<b>&\u2028\u2029"\\\u0001\n\b\f\x7fé' })).toBe(
      '{"\\u003ck\\u003e":"a\\u003cb\\u003e\\u0026\\u2028\\u2029\\"\\\\\\u0001\\n\\b\\f\x7fé"}',
    );
  });

  it('keeps every value and the order of keys', () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const written = goJson(value);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(written).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
    expect(text(encodeObject({ kind: 'B', apiVersion: 'a', metadata: { z: 1, a: 2 } }))).toBe(
      '{"kind":"B","apiVersion":"a","metadata":{"z":1,"a":2}}',
    );
  });
});
